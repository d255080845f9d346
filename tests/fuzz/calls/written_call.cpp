#include "troupe/tests/fuzz/calls/written_call.hpp"

#include <string>
#include <utility>

namespace troupe::fuzz {
namespace {

Call::Input ints(const Shape& shape, std::initializer_list<int32_t> values) {
  return {Tensor::of<int32_t>(shape, values)};
}
Call::Input axes(std::initializer_list<int32_t> values) {
  return ints({static_cast<int64_t>(values.size())}, values);
}

/// Numbers of both signs, of which some are equal.
Call::Input floats(const Shape& shape) {
  auto made = *Tensor::allocate(DType::float32, shape);
  auto* values = made.mutable_data<float>();
  for (int64_t i = 0; i < made.elements(); ++i) values[i] = static_cast<float>(i * 7 % 23 - 11) / 4;
  return {std::move(made)};
}
Call::Input flags(const Shape& shape) {
  auto made = *Tensor::allocate(DType::boolean, shape);
  auto* values = made.mutable_data<bool>();
  for (int64_t i = 0; i < made.elements(); ++i) values[i] = i * 5 % 7 < 4;
  return {std::move(made)};
}

/// Whole axes, also last ones, and all.
void add_reductions(std::vector<Call>& calls) {
  for (std::string op : {"Max", "Mean", "Min", "Prod", "Sum", "All", "Any"}) {
    auto is_logical = op == "All" || op == "Any";
    auto of = [&](const Shape& shape) { return is_logical ? flags(shape) : floats(shape); };
    calls.push_back({op, {}, {of({3, 4, 5}), axes({1})}});
    calls.push_back({op, {{"keep_dims", true}}, {of({6, 70}), axes({-1})}});
    calls.push_back({op, {}, {of({2, 3, 40}), axes({0, 2})}});
    calls.push_back({op, {}, {of({30, 20}), axes({0, 1})}});
    calls.push_back({op, {}, {of({5}), ints({}, {0})}});
  }
}

void add_losses(std::vector<Call>& calls) {
  const std::string sparse = "SparseSoftmaxCrossEntropyWithLogits";
  calls.push_back({sparse, {}, {floats({4, 6}), {Tensor::of<int64_t>({4}, {0, 5, 2, 2})}}});
  calls.push_back({sparse, {}, {floats({3, 40}), ints({3}, {39, 0, 17})}});
  calls.push_back({"SoftmaxCrossEntropyWithLogits", {}, {floats({4, 6}), floats({4, 6})}});
  for (const auto* op : {"LogSoftmax", "Softmax"}) {
    calls.push_back({op, {}, {floats({4, 6})}});
    calls.push_back({op, {}, {floats({2, 3, 70})}});
  }
}

void add_biases(std::vector<Call>& calls) {
  for (const auto* format : {"NHWC", "NCHW"}) {
    auto is_last = format == std::string("NHWC");
    Attrs attrs = {{"data_format", format}};
    calls.push_back({"BiasAdd", attrs, {floats({2, 3, 4, 5}), floats({is_last ? 5 : 3})}});
    calls.push_back({"BiasAdd", attrs, {floats({7, 6}), floats({6})}});
    calls.push_back({"BiasAddGrad", attrs, {floats({2, 3, 4, 5})}});
  }
}

void add_arrays(std::vector<Call>& calls) {
  calls.push_back({"Transpose", {}, {floats({3, 4, 5}), axes({2, 0, 1})}});
  calls.push_back({"Transpose", {}, {floats({40, 33}), axes({1, 0})}});
  calls.push_back({"Transpose", {}, {flags({2, 3, 4, 5}), axes({0, 2, 1, 3})}});
  calls.push_back({"BroadcastTo", {}, {floats({3, 1}), axes({2, 3, 4})}});
  calls.push_back({"Fill", {}, {axes({2, 5}), floats({})}});
  calls.push_back({"MatMul", {}, {floats({5, 7}), floats({7, 4})}});
  calls.push_back({"MatMul", {{"transpose_a", true}}, {floats({7, 5}), floats({7, 4})}});
  calls.push_back({"OneHot", {}, {axes({0, 2, -1}), ints({}, {3}), floats({}), floats({})}});
  calls.push_back({"Pack", {{"axis", 1}}, {floats({2, 3}), floats({2, 3}), floats({2, 3})}});
  calls.push_back({"Unpack", {{"num", 3}, {"axis", 1}}, {floats({2, 3, 4})}});
  calls.push_back({"Pad", {}, {floats({2, 3}), ints({2, 2}, {1, 0, 2, 1})}});
  calls.push_back({"Select", {}, {flags({4, 3}), floats({4, 3}), floats({4, 3})}});
  calls.push_back({"Slice", {}, {floats({4, 5}), axes({1, 2}), axes({2, -1})}});
}

/// Of beams of [time, batch, beam].
void add_beams(std::vector<Call>& calls) {
  calls.push_back(
      {"GatherTree",
       {},
       {ints({3, 1, 2}, {1, 2, 3, 4, 5, 6}), ints({3, 1, 2}, {0, 0, 0, 1, 1, 0}), axes({3}),
        ints({}, {9})}});
  calls.push_back(
      {"GatherTree",
       {},
       {ints({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ints({2, 2, 2}, {0, 1, 0, 1, 1, 1, 0, 0}),
        axes({2, 1}), ints({}, {0})}});
}

}  // namespace

std::vector<Call> written_calls() {
  std::vector<Call> calls;
  add_reductions(calls);
  add_losses(calls);
  add_biases(calls);
  add_arrays(calls);
  add_beams(calls);
  add_tree_calls(calls);
  add_forest_calls(calls);
  return calls;
}

}  // namespace troupe::fuzz
