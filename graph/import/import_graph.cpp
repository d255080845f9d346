#include "troupe/graph/import/import_graph.hpp"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <troupe_proto/graph.pb.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/import/graph_reader.hpp"
#include "troupe/graph/import/instantiate_functions.hpp"
#include "troupe/graph/import/message_bytes.hpp"
#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

constexpr std::string_view colocation_prefix = "loc:@";

/// "node:0" is "node".
std::string canonical(const std::string& input) {
  return input.ends_with(":0") ? input.substr(0, input.size() - 2) : input;
}

/// The names of nodes, and of the scopes that they are in.
class NamesAndScopes {
 public:
  void add_name(const std::string& name) { names_.insert(name); }
  void add(const std::string& name) {
    names_.insert(name);
    for (auto at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1))
      names_.insert(name.substr(0, at));
  }
  bool contains(const std::string& name) const { return names_.contains(name); }

 private:
  std::unordered_set<std::string> names_;
};

/// Names for the nodes of a GraphDef that no node and no scope of the graph has.
class UniqueNames {
 public:
  UniqueNames(const Graph& graph, const std::vector<NodeDef>& nodes, std::string prefix)
      : graph_(graph), nodes_(nodes), prefix_(std::move(prefix)) {
    for (const auto& node : graph.nodes())
      if (node.name.starts_with(prefix_)) taken_.add(node.name);
  }

  std::string of(const std::string& name) {
    auto unique = prefix_ + name;
    if (taken_.contains(unique)) {
      unique = with_suffix(unique);
      renamed_[name] = unique;
    }
    taken_.add_name(unique);  // a node of the message may have the name of a scope there
    return unique;
  }

  /// The name of the frame of a loop: two imports of one GraphDef are two loops.
  std::string frame(const std::string& name) {
    auto [known, is_new] = frames_.try_emplace(name, prefix_ + name);
    if (!is_new) return known->second;
    std::set<std::string> taken;
    for (const auto& node : graph_.nodes())
      if (loops::is_enter(node.op->name())) taken.insert(node.attr<std::string>("frame_name"));
    for (int i = 1; taken.contains(known->second); ++i)
      known->second = prefix_ + name + "_" + std::to_string(i);
    return known->second;
  }

  const std::map<std::string, std::string>& renamed() const { return renamed_; }

 private:
  std::string with_suffix(const std::string& name) {
    if (renamed_.empty())  // the first time
      for (const auto& node : nodes_) own_.add(prefix_ + node.name);
    for (int i = 1;; ++i) {
      auto unique = name + "_" + std::to_string(i);
      if (!taken_.contains(unique) && !own_.contains(unique)) return unique;
    }
  }

  const Graph& graph_;
  const std::vector<NodeDef>& nodes_;
  const std::string prefix_;
  NamesAndScopes taken_;
  NamesAndScopes own_;
  std::map<std::string, std::string> renamed_;
  std::map<std::string, std::string> frames_;
};

/// Gives the nodes of a GraphDef the names, inputs and devices that they have in the graph.
class NodeRenamer {
 public:
  NodeRenamer(
      const Graph& graph, const std::vector<NodeDef>& nodes, const ImportOptions& options,
      DeviceName device)
      : prefix_(options.prefix.empty() ? "" : options.prefix + "/"),
        device_(std::move(device)),
        unique_(graph, nodes, prefix_) {
    names_.reserve(nodes.size());
    for (const auto& node : nodes)
      names_.emplace(node.name, options.unique_names ? unique_.of(node.name) : prefix_ + node.name);
    for (const auto& [from, to] : options.input_map) map_[canonical(from)] = to;
  }

  Status rename(NodeDef& node) {
    for (auto& input : node.inputs)
      if (auto status = rename_input(input); !status.ok())
        return status.at({.node = node.name, .op = node.op});
    sort_controls(node);
    if (auto status = complete_device(node); !status.ok())
      return status.at({.node = node.name, .op = node.op});
    node.name = names_.at(node.name);
    if (prefix_.empty() && unique_.renamed().empty()) return {};
    if (auto found = node.attrs.find("_class"); found != node.attrs.end())
      found->second = renamed_classes(found->second);
    if (!loops::is_enter(node.op)) return {};
    // Two imports of one GraphDef are two loops.
    if (auto found = node.attrs.find("frame_name"); found != node.attrs.end())
      if (auto* frame = found->second.get<std::string>()) found->second = unique_.frame(*frame);
    return {};
  }

  const std::map<std::string, std::string>& renamed() const { return unique_.renamed(); }

  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const auto& [from, to] : map_)
      if (!used_.contains(from)) names.push_back(from);
    return names;
  }

 private:
  Status rename_input(std::string& input) {
    auto name = canonical(input);
    if (auto mapped = map_.find(name); mapped != map_.end()) {
      used_.insert(name);
      input = mapped->second;
      return {};
    }
    bool is_control = input.starts_with('^');
    auto node = is_control ? name.substr(1) : name.substr(0, name.rfind(':'));
    auto found = names_.find(node);
    if (found == names_.end())
      return invalid_argument("the graph has no node '" + node + "', which an input names");
    input = is_control ? "^" + found->second : found->second + name.substr(node.size());
    return {};
  }

  /// What a control input is mapped to may be any name of a node.
  static void sort_controls(NodeDef& node) {
    std::stable_partition(node.inputs.begin(), node.inputs.end(), [](const auto& input) {
      return !input.starts_with('^');
    });
  }

  /// The nodes of a graph are on few devices, which are parsed once.
  Status complete_device(NodeDef& node) {
    auto [known, is_new] = devices_.try_emplace(node.device);
    if (is_new) {
      auto own = DeviceName::parse(node.device);
      if (!own) return own.status();
      known->second = own->or_else(device_).to_string();
    }
    node.device = known->second;
    return {};
  }

  AttrValue renamed_classes(const AttrValue& value) const {
    auto* classes = value.get<std::vector<std::string>>();
    if (!classes) return value;
    auto renamed = *classes;
    for (auto& name : renamed) {
      if (!name.starts_with(colocation_prefix)) continue;
      auto node = name.substr(colocation_prefix.size());
      auto found = names_.find(node);
      auto now = found == names_.end() ? prefix_ + node : found->second;
      name = std::string(colocation_prefix) + now;
    }
    return renamed;
  }

  const std::string prefix_;
  const DeviceName device_;
  UniqueNames unique_;
  std::unordered_map<std::string, std::string> names_;    // in the message, and in the graph
  std::unordered_map<std::string, std::string> devices_;  // as given, and completed
  std::map<std::string, std::string> map_;
  std::set<std::string> used_;
};

/// Adds all, or leaves the graph as it was.
Status add_all(Graph& graph, GraphContent content) {
  auto size = graph.size();
  auto library = graph.shared_library();
  auto status = graph.add_functions(std::move(content.functions));
  for (auto& node : content.nodes) {
    if (!status.ok()) break;
    status = graph.add(std::move(node)).status();
  }
  if (status.ok()) status = graph.check_loops();
  if (status.ok()) return {};
  graph.shrink_to(size);
  graph.restore_library(std::move(library));
  return status;
}

/// Keeps what the parser of the text form finds wrong first.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!status.ok()) return;
    status = invalid_argument(
        "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1) + ": " +
        message);
  }

  Status status;
};

Status not_a_graph() { return invalid_argument("the bytes are no GraphDef"); }

}  // namespace

Result<ImportedNodes> import_graph_def(
    Graph& graph, const std::string& bytes, const ImportOptions& options) {
  std::optional<google::protobuf::Arena> arena(std::in_place);  // whose messages end at once
  auto& message = *google::protobuf::Arena::CreateMessage<proto::GraphDef>(&*arena);
  if (!parse_message(bytes, message)) return not_a_graph();
  proto::OpList producer_ops;
  if (!parse_message(options.producer_ops, producer_ops))
    return invalid_argument("the bytes of the producer's ops are no OpList");
  auto device = DeviceName::parse(options.device);
  if (!device) return device.status();
  if (auto status = instantiate_functions(message); !status.ok()) return status;
  auto content = GraphReader(graph.catalog(), message, producer_ops).read();
  if (!content) return content.status();
  arena.reset();
  NodeRenamer renamer(graph, content->nodes, options, *device);
  for (auto& node : content->nodes)
    if (auto status = renamer.rename(node); !status.ok()) return status;
  ImportedNodes imported{
      .first = graph.size(),
      .count = static_cast<int>(content->nodes.size()),
      .unused = renamer.unused(),
      .renamed = renamer.renamed()};
  if (auto status = add_all(graph, *std::move(content)); !status.ok()) return status;
  return imported;
}

Result<ImportedNodes> import_graph_def(
    const Builder& builder, const std::string& bytes, const ImportOptions& options) {
  if (builder.contexts().current() >= 0)
    return unimplemented("a GraphDef cannot be imported into a branch or a loop");
  // A builder is a handle of its graph, which is not const; nodes outside of all branches and loops
  // need nothing else of it.
  return import_graph_def(const_cast<Graph&>(builder.graph()), bytes, options);
}

bool is_graph_def(const std::string& bytes) {
  proto::GraphDef message;
  return parse_message(bytes, message);
}

Result<std::string> graph_def_from_text(const std::string& text) {
  proto::GraphDef message;
  TextErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);  // such as debug information
  constexpr int depth_max = 100;
  parser.SetRecursionLimit(depth_max);
  if (parser.ParseFromString(text, &message)) return message_bytes(message);
  return errors.status.ok() ? not_a_graph() : errors.status;
}

Result<std::string> graph_def_to_text(const std::string& bytes) {
  proto::GraphDef message;
  std::string text;
  if (!parse_message(bytes, message) ||
      !google::protobuf::TextFormat::PrintToString(message, &text))
    return not_a_graph();
  return text;
}

}  // namespace troupe
