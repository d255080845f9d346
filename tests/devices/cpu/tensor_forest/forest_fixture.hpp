#pragma once

#include <string>
#include <string_view>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

/// A tree of a forest with what it learns from in a graph, and steps that train and use it.
struct ForestFixture {
  /// The bytes that hexadecimal digits say.
  static std::string bytes(std::string_view digits) {
    std::string text;
    for (size_t i = 0; i < digits.size(); i += 2)
      text += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    return text;
  }
  static std::string digits(const std::string& bytes) {
    std::string text;
    for (unsigned char byte : bytes) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
    return text;
  }

  // What TensorFlow has of ForestHParams with two features, two candidates and splits after four
  // samples, of two classes or of one number.
  static constexpr const char* of_classes =
      "22070a050d000000002a070a050d0000000030013809580160026a050d0000004072050d000080407a050da4707d"
      "3fa80102";
  static constexpr const char* of_numbers =
      "0802100222070a050d000000002a070a050d00000000300138094001580160016a050d0000004072050d00008040"
      "7a050da4707d3fa80102";

  explicit ForestFixture(const char* params_digits = of_classes) : params(bytes(params_digits)) {}

  std::string params;
  std::string spec =
      "dense_features_size: 2 dense: [{name: a original_type: 0 size: 2}] sparse: []";
  Builder b;
  GraphRunner runner;
  Value tree = b.op("DecisionTreeResourceHandleOp", {}, {{"shared_name", "tree"}});
  Value stats = b.op("FertileStatsResourceHandleOp", {}, {{"shared_name", "stats"}});
  Tensor features = vec<float>({8, 2}, {0, 3, 1, -1, 2, 2, 3, 0, 4, 1, 5, -2, 6, 4, 7, -3});

  Result<Tensors> run(const Value& node) {
    std::vector<Ref> fetches;
    if (!b.status().ok()) return b.status();
    const auto& made = b.graph().node(node.output().node);
    for (size_t i = 0; i < made.output_dtypes.size(); ++i)
      fetches.push_back(node.output(static_cast<int>(i)));
    return runner.run(b, {}, fetches, {node});
  }
  std::string text_of(const Value& node) {
    auto text = show(run(node));
    return text.substr(0, text.find(" [node"));
  }
  Value text(const std::string& value) { return b.constant(Tensor::string(value)); }

  std::string create(const std::string& tree_bytes = "", const std::string& stats_bytes = "") {
    auto error =
        text_of(b.op("CreateTreeVariable", {tree, text(tree_bytes)}, {{"params", params}}));
    if (!error.empty()) return error;
    return text_of(
        b.op("CreateFertileStatsVariable", {stats, text(stats_bytes)}, {{"params", params}}));
  }
  std::string deserialize_tree(const std::string& config) {
    return text_of(b.op("TreeDeserialize", {tree, text(config)}, {{"params", params}}));
  }
  std::string deserialize_stats(const std::string& config) {
    return text_of(b.op("FertileStatsDeserialize", {stats, text(config)}, {{"params", params}}));
  }
  /// In hexadecimal digits; empty where there is none.
  std::string serialized_tree() {
    auto outputs = run(b.op("TreeSerialize", {tree}));
    return outputs ? digits((*outputs)[0].value<std::string>()) : "";
  }
  std::string serialized_stats() {
    auto outputs = run(b.op("FertileStatsSerialize", {stats}, {{"params", params}}));
    return outputs ? digits((*outputs)[0].value<std::string>()) : "";
  }

  /// With the dense features, and no sparse ones.
  Values with_features(Values inputs) {
    inputs.push_back(b.constant(features));
    inputs.push_back(b.constant(vec<int64_t>({})));
    inputs.push_back(b.constant(vec({})));
    inputs.push_back(b.constant(vec<int64_t>({})));
    return inputs;
  }
  std::string predict() {
    return text_of(b.op(
        "TreePredictionsV4", with_features({tree}), {{"input_spec", spec}, {"params", params}}));
  }
  std::string traverse() {
    return text_of(
        b.op("TraverseTreeV4", with_features({tree}), {{"input_spec", spec}, {"params", params}}));
  }
  std::string update(const Tensor& leaf_ids, const Tensor& labels, const Tensor& weights) {
    return text_of(b.op(
        "UpdateModelV4", {tree, b.constant(leaf_ids), b.constant(labels), b.constant(weights)},
        {{"params", params}}));
  }
  std::string process(const Tensor& leaf_ids, const Tensor& labels, const Tensor& weights) {
    auto inputs = with_features({tree, stats});
    for (const auto& each : {labels, weights, leaf_ids}) inputs.push_back(b.constant(each));
    return text_of(b.op(
        "ProcessInputV4", inputs, {{"random_seed", 3}, {"input_spec", spec}, {"params", params}}));
  }
  std::string grow(const Tensor& finished) {
    return text_of(b.op("GrowTreeV4", {tree, stats, b.constant(finished)}, {{"params", params}}));
  }
  /// A step as RandomForestGraphs has it; the first error.
  std::string train(const Tensor& labels, const Tensor& weights = vec({})) {
    Attrs attrs = {{"input_spec", spec}, {"params", params}};
    auto leaves = run(b.op("TraverseTreeV4", with_features({tree}), attrs));
    if (!leaves) return show(leaves);
    auto leaf_ids = (*leaves)[0];
    if (auto error = update(leaf_ids, labels, weights); !error.empty()) return error;
    auto inputs = with_features({tree, stats});
    for (const auto& each : {labels, weights, leaf_ids}) inputs.push_back(b.constant(each));
    attrs["random_seed"] = 3;
    auto finished = run(b.op("ProcessInputV4", inputs, attrs));
    return finished ? grow((*finished)[0]) : show(finished);
  }
};

}  // namespace troupe::testing
