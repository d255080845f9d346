#pragma once

#include <string>
#include <string_view>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

/// An ensemble of trees in a graph, and steps that change and use it.
struct TreeFixture {
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

  Builder b;
  GraphRunner runner;
  Value ensemble = b.op("BoostedTreesEnsembleResourceHandleOp", {}, {{"shared_name", "trees"}});

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
  std::string create(const std::string& serialized, int64_t stamp = 0) {
    return text_of(b.op(
        "BoostedTreesCreateEnsemble", {ensemble, b.constant(Tensor::scalar<int64_t>(stamp)),
                                       b.constant(Tensor::string(serialized))}));
  }
  std::string deserialize(const std::string& serialized, int64_t stamp = 0) {
    return text_of(b.op(
        "BoostedTreesDeserializeEnsemble", {ensemble, b.constant(Tensor::scalar<int64_t>(stamp)),
                                            b.constant(Tensor::string(serialized))}));
  }
  /// In hexadecimal digits; empty where there is none.
  std::string serialized() {
    auto outputs = run(b.op("BoostedTreesSerializeEnsemble", {ensemble}));
    return outputs ? digits((*outputs)[1].value<std::string>()) : "";
  }
  std::string states() { return text_of(b.op("BoostedTreesGetEnsembleStates", {ensemble})); }

  /// Splits of feature 1, for each node with a gain, a threshold and both contributions.
  struct Splits {
    std::vector<int32_t> nodes;
    std::vector<float> gains;
    std::vector<int32_t> thresholds;
    std::vector<float> left, right;
    int32_t max_depth = 2;
    int pruning = 0;
  };
  std::string update(const Splits& splits) {
    auto count = static_cast<int64_t>(splits.nodes.size());
    auto of = [&](const auto& values, const Shape& shape) {
      using T = std::decay_t<decltype(values[0])>;
      return b.constant(Tensor::of<T>(shape, std::span<const T>(values)));
    };
    return text_of(b.op(
        "BoostedTreesUpdateEnsemble",
        {ensemble, b.constant(vec<int32_t>({1})), of(splits.nodes, {count}),
         of(splits.gains, {count}), of(splits.thresholds, {count}), of(splits.left, {count, 1}),
         of(splits.right, {count, 1}), b.constant(splits.max_depth), b.constant(0.5f)},
        {{"pruning_mode", splits.pruning}}));
  }

  /// Of four examples, whose feature 1 is in the buckets 0, 3, 5 and 9.
  Values with_features(Values inputs) {
    inputs.push_back(b.constant(vec<int32_t>({0, 0, 0, 0})));
    inputs.push_back(b.constant(vec<int32_t>({0, 3, 5, 9})));
    return inputs;
  }
  std::string predict(int dimension = 1) {
    auto inputs = with_features({ensemble});
    return text_of(b.op("BoostedTreesPredict", inputs, {{"logits_dimension", dimension}}));
  }
  std::string training_predict(const Tensor& trees, const Tensor& nodes) {
    auto inputs = with_features({ensemble, b.constant(trees), b.constant(nodes)});
    return text_of(b.op("BoostedTreesTrainingPredict", inputs, {{"logits_dimension", 1}}));
  }
  std::string explain() {
    auto inputs = with_features({ensemble});
    auto node = b.op("BoostedTreesExampleDebugOutputs", inputs, {{"logits_dimension", 1}});
    auto outputs = run(node);
    if (!outputs) return show(outputs).substr(0, show(outputs).find(" [node"));
    std::string text;
    for (const auto& each : (*outputs)[0].values<std::string>()) text += digits(each) + " ";
    return text;
  }
};

// What TensorFlow makes of the same calls.
/// A split of the root, to 1 and -1.
inline constexpr const char* first_layer =
    "0a260a1212080801100418012002ca30050d0000803f0a070a051d0000803f0a070a051d000080bf12040000803f"
    "1a02100122080801100118012003";
/// Of both leaves then, the left one of which was pruned.
inline constexpr const char* pruned_layers =
    "0a4a0a1212080801100418012002ca30050d0000803f0a070a051d0000803f0a1912080801100718032004ca300c"
    "0d0000803e12051d000080bf0a070a051d0000003f0a070a051d000020c00a040a020a0012080000803f0000803f"
    "1a481002180122061204000000002208080112040000000022080802120400000000220808011204000000bf2208"
    "080112040000003f22080803120400000000220808041204000000001a002206080110022001";
/// The split of a root that has a bias.
inline constexpr const char* biased_layer =
    "0a2d0a1912080801100418012002ca300c0d0000803f12051d9ea8ff3e0a070a051d28eabf3f0a070a051db12b00"
    "bf12040000803f1a02100122080801100118012003";

}  // namespace troupe::testing
