#include "troupe/graph/import/saved_model.hpp"

#include <troupe_proto/saved_model.pb.h>

#include <filesystem>
#include <utility>

#include "troupe/graph/import/import_graph.hpp"
#include "troupe/graph/import/message_bytes.hpp"
#include "troupe/graph/proto/tensor_proto.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr auto asset_collection = "saved_model_assets";
constexpr auto asset_type = "type.googleapis.com/tensorflow.AssetFileDef";
constexpr auto init_op_signature = "__saved_model_init_op";
constexpr auto train_op_signature = "__saved_model_train_op";

std::string list_of(const auto& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + quote(name);
  return text.empty() ? "none" : text;
}

/// The graph that was saved with just those tags.
Result<proto::MetaGraphDef> find_graph(
    const std::string& folder, const std::set<std::string>& tags) {
  auto path = (fs::path(folder) / "saved_model.pb").string();
  auto bytes = read_file(path);
  if (!bytes) return bytes.status();
  proto::SavedModel model;
  if (!parse_message(*bytes, model)) return invalid_argument(quote(path) + " has no SavedModel");
  std::string known;
  for (auto& graph : *model.mutable_meta_graphs()) {
    const auto& names = graph.meta_info_def().tags();
    if (std::set<std::string>(names.begin(), names.end()) == tags) return std::move(graph);
    known += (known.empty() ? "(" : ", (") + list_of(names) + ")";
  }
  return not_found(
      quote(path) + " has no graph with the tags " + list_of(tags) + ", but " +
      (known.empty() ? "none at all" : "with " + known));
}

/// Names of nodes and tensors as they are in the graph.
class Prefixed {
 public:
  explicit Prefixed(const std::string& prefix) : prefix_(prefix.empty() ? "" : prefix + "/") {}
  std::string operator()(const std::string& name) const {
    return name.empty() ? name : prefix_ + name;
  }

 private:
  std::string prefix_;
};

Result<std::map<std::string, SignatureTensor>> tensors_of(
    const google::protobuf::Map<std::string, proto::TensorInfo>& infos, const Prefixed& prefixed) {
  std::map<std::string, SignatureTensor> tensors;
  for (const auto& [key, info] : infos) {
    auto dtype = dtype_from_proto(info.dtype());
    auto shape = shape_from_proto(info.tensor_shape());
    if (!dtype) return dtype.status();
    if (!shape) return shape.status();
    tensors[key] = {prefixed(info.name()), *dtype, *shape};
  }
  return tensors;
}

Result<std::map<std::string, Signature>> signatures_of(
    const proto::MetaGraphDef& graph, const Prefixed& prefixed) {
  std::map<std::string, Signature> signatures;
  for (const auto& [key, message] : graph.signature_def()) {
    if (key == init_op_signature || key == train_op_signature) continue;
    auto inputs = tensors_of(message.inputs(), prefixed);
    auto outputs = tensors_of(message.outputs(), prefixed);
    for (const auto* tensors : {&inputs, &outputs})
      if (!*tensors)
        return Status(
            tensors->status().code(),
            "signature " + quote(key) + ": " + tensors->status().message());
    signatures[key] = {message.method_name(), *std::move(inputs), *std::move(outputs)};
  }
  return signatures;
}

/// The node that initializes the graph once its variables have values; empty where there is none.
std::string initializer_of(const proto::MetaGraphDef& graph) {
  auto signature = graph.signature_def().find(init_op_signature);
  if (signature != graph.signature_def().end()) {
    const auto& outputs = signature->second.outputs();
    auto output = outputs.find(init_op_signature);
    return output == outputs.end() ? "" : output->second.name();
  }
  for (const auto* key : {"saved_model_main_op", "legacy_init_op"}) {
    auto found = graph.collection_def().find(key);
    if (found != graph.collection_def().end() && found->second.node_list().value_size() > 0)
      return found->second.node_list().value(0);
  }
  return "";
}

/// The files that the graph reads, where they are now, in place of their names when it was saved.
std::vector<Feed> assets_of(
    const proto::MetaGraphDef& graph, const std::string& folder, const Prefixed& prefixed) {
  std::vector<proto::AssetFileDef> assets(
      graph.asset_file_def().begin(), graph.asset_file_def().end());
  auto found = graph.collection_def().find(asset_collection);
  if (assets.empty() && found != graph.collection_def().end())
    for (const auto& packed : found->second.any_list().value())
      if (packed.type_url() == asset_type)
        if (proto::AssetFileDef asset; parse_message(packed.value(), asset))
          assets.push_back(std::move(asset));
  // Each graph that was saved with an asset has noted it once more.
  std::map<std::string, std::string> files;
  for (const auto& asset : assets) files[asset.tensor_info().name()] = asset.filename();
  std::vector<Feed> feeds;
  for (const auto& [name, file] : files)
    feeds.push_back(
        {prefixed(name), Tensor::string((fs::path(folder) / "assets" / file).string())});
  return feeds;
}

}  // namespace

Result<SavedModel> SavedModel::load(
    const Builder& builder, const std::string& folder, const std::set<std::string>& tags,
    const std::string& prefix) {
  auto graph = find_graph(folder, tags);
  if (!graph) return graph.status();
  Prefixed prefixed(prefix);
  auto signatures = signatures_of(*graph, prefixed);
  if (!signatures) return signatures.status();
  ImportOptions options;
  options.prefix = prefix;
  options.producer_ops = graph->meta_info_def().stripped_op_list();
  auto imported = import_graph_def(builder, graph->graph_def(), options);
  if (!imported) return imported.status();
  SavedModel model(builder);
  model.signatures_ = *std::move(signatures);
  model.variables_ = (fs::path(folder) / "variables" / "variables").string();
  model.filename_ = prefixed(graph->saver_def().filename_tensor_name());
  model.restore_ = prefixed(graph->saver_def().restore_op_name());
  model.initializer_ = prefixed(initializer_of(*graph));
  model.assets_ = assets_of(*graph, folder, prefixed);
  return model;
}

Status SavedModel::restore(BasicSession& session) const {
  if (auto status = session.extend(builder_); !status.ok()) return status;
  if (!restore_.empty()) {
    auto status = session.run({{filename_, Tensor::string(variables_)}}, {}, {restore_}).status();
    if (!status.ok()) return status;
  }
  if (initializer_.empty()) return {};
  return session.run(assets_, {}, {initializer_}).status();
}

Result<std::map<std::string, Tensor>> SavedModel::run(
    BasicSession& session, const std::string& signature,
    const std::map<std::string, Tensor>& inputs) const {
  auto found = signatures_.find(signature);
  if (found == signatures_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, each] : signatures_) names.push_back(name);
    return not_found("there is no signature " + quote(signature) + "; there are " + list_of(names));
  }
  const auto& [method, wanted, outputs] = found->second;
  std::vector<Feed> feeds;
  for (const auto& [name, value] : inputs) {
    auto input = wanted.find(name);
    if (input == wanted.end())
      return invalid_argument("signature " + quote(signature) + " has no input " + quote(name));
    feeds.push_back({input->second.name, value});
  }
  for (const auto& [name, input] : wanted)
    if (!inputs.contains(name))
      return invalid_argument("signature " + quote(signature) + " needs input " + quote(name));
  Refs fetches;
  for (const auto& [name, output] : outputs) fetches.emplace_back(output.name);
  auto values = session.run(feeds, fetches);
  if (!values) return values.status();
  std::map<std::string, Tensor> named;
  size_t index = 0;
  for (const auto& [name, output] : outputs) named[name] = std::move((*values)[index++]);
  return named;
}

}  // namespace troupe
