#include <initializer_list>
#include <string>

#include "troupe/tests/fuzz/calls/written_call.hpp"

namespace troupe::fuzz {
namespace {

constexpr std::string_view params_of_classes(
    "\x22\x07\x0a\x05\x0d\x00\x00\x00\x00\x2a\x07\x0a\x05\x0d\x00\x00\x00\x00\x30\x01\x38\x09\x58"
    "\x01\x60\x02\x6a\x05\x0d\x00\x00\x00\x40\x72\x05\x0d\x00\x00\x80\x40\xa8\x01\x02",
    43);
constexpr std::string_view leaf_of_classes("\x0a\x0a\x0a\x08\x2a\x06\x0a\x04\x0a\x00\x0a\x00", 12);

Call::Input handle_of(const char* op, const char* name) {
  return {Tensor(), {Call{op, {{"shared_name", name}}}}};
}
Call::Input tree() { return handle_of("DecisionTreeResourceHandleOp", "r"); }
Call::Input stats() { return handle_of("FertileStatsResourceHandleOp", "s"); }
Call::Input numbers(const Shape& shape, std::initializer_list<float> values) {
  return {Tensor::of<float>(shape, values)};
}
Call::Input longs(const Shape& shape, std::initializer_list<int64_t> values) {
  return {Tensor::of<int64_t>(shape, values)};
}
Call::Input leaves(std::initializer_list<int32_t> values) {
  return {Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values)};
}

/// Four examples with two dense features and some sparse ones.
std::vector<Call::Input> with_features(std::vector<Call::Input> inputs) {
  inputs.push_back(numbers({4, 2}, {1, 2, -1, 0, 3, 5, 0, 1}));
  inputs.push_back(longs({3, 2}, {0, 0, 1, 2, 3, 1}));
  inputs.push_back(numbers({3}, {1, 2, 1}));
  inputs.push_back(longs({2}, {4, 3}));
  return inputs;
}

}  // namespace

void add_forest_calls(std::vector<Call>& calls) {
  Attrs params = {{"params", std::string(params_of_classes)}};
  auto of_examples = params;
  of_examples["input_spec"] =
      "dense_features_size: 2 dense: [{name: a original_type: 0 size: 2}] "
      "sparse: [{name: b original_type: 1 size: -1}]";
  auto drawing = of_examples;
  drawing["random_seed"] = 3;
  Call::Input leaf = {Tensor::string(std::string(leaf_of_classes))};
  Call::Input none = {Tensor::string("")};
  calls.push_back({"CreateTreeVariable", params, {tree(), leaf}});
  calls.push_back({"CreateFertileStatsVariable", params, {stats(), none}});
  calls.push_back({"TreeDeserialize", params, {tree(), leaf}});
  calls.push_back({"FertileStatsDeserialize", params, {stats(), none}});
  calls.push_back({"TreeSize", {}, {tree()}});
  calls.push_back({"FeatureUsageCounts", params, {tree()}});
  calls.push_back({"TreePredictionsV4", of_examples, with_features({tree()})});
  calls.push_back({"TraverseTreeV4", of_examples, with_features({tree()})});
  auto labels = numbers({4}, {0, 1, 1, 0}), weights = numbers({4}, {1, 2, 0, 1});
  calls.push_back({"UpdateModelV4", params, {tree(), leaves({0, 0, 0, 0}), labels, weights}});
  auto inputs = with_features({tree(), stats()});
  for (const auto& each : {labels, weights, leaves({0, 0, 0, 0})}) inputs.push_back(each);
  calls.push_back({"ProcessInputV4", drawing, inputs});
  calls.push_back({"GrowTreeV4", params, {tree(), stats(), leaves({0})}});
  calls.push_back({"FinalizeTree", params, {tree(), stats()}});
  calls.push_back({"ReinterpretStringToFloat", {}, {leaf}});
}

}  // namespace troupe::fuzz
