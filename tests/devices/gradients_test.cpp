#include "troupe/graph/build/gradients.hpp"

#include <set>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/reference/recorded_call.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(gradients)

using Numbers = std::vector<double>;
using Case = GradientCase;
using Input = GradientInput;

Input numbers(const Shape& shape, const Numbers& values) {
  return {Tensor::of<double>(shape, std::span<const double>(values))};
}
/// Numbers from 0.3 on, no two of them near each other.
Input positive(const Shape& shape) {
  Numbers values;
  for (int64_t i = 0; i < shape.elements(); ++i) values.push_back(0.3 + 0.17 * ((i * 5 + 2) % 13));
  return numbers(shape, values);
}
/// Numbers of both signs, none near 0 or near another.
Input mixed(const Shape& shape) {
  Numbers values;
  for (int64_t i = 0; i < shape.elements(); ++i)
    values.push_back((i % 2 ? -1 : 1) * (0.25 + 0.19 * ((i * 7 + 3) % 11)));
  return numbers(shape, values);
}
Input ints(std::initializer_list<int32_t> values) {
  return {Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values), false};
}
Input scalar_int(int32_t value) { return {Tensor::scalar(value), false}; }
Input bools(const Shape& shape, std::initializer_list<bool> values) {
  return {Tensor::of<bool>(shape, values), false};
}

std::vector<Case> binary_cases() {
  std::vector<Case> cases;
  for (auto op :
       {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "SquaredDifference", "Pow", "Maximum",
        "Minimum"}) {
    cases.push_back({op, {positive({2, 3}), numbers({2, 3}, {0.5, 1.7, 2.9, 1.1, 2.2, 0.4})}});
    cases.push_back({op, {positive({2, 3}), numbers({3}, {0.55, 1.75, 1.25})}});
    cases.push_back({op, {numbers({2, 1}, {0.77, 1.33}), positive({3})}});
    cases.push_back({op, {positive({2}), numbers({}, {1.21})}});
    cases.push_back({op, {numbers({}, {0.9}), positive({1, 2})}});
    cases.push_back({op, {numbers({1, 1}, {0.9}), numbers({1}, {1.4})}});
    cases.push_back(
        {op, {positive({2, 2, 1}), numbers({1, 2, 3}, {0.35, 0.71, 1.1, 1.6, 2.01, 2.5})}});
  }
  return cases;
}

std::vector<Case> unary_cases() {
  std::vector<Case> cases;
  for (auto op :
       {"Neg", "Square", "Abs", "Sign", "Reciprocal", "Exp", "Tanh", "Sigmoid", "Relu", "Softmax",
        "LogSoftmax", "L2Loss", "Identity"})
    cases.push_back({op, {mixed({2, 3})}});
  for (auto op : {"Sqrt", "Rsqrt", "Log"}) cases.push_back({op, {positive({2, 3})}});
  for (auto op : {"SqrtGrad", "RsqrtGrad", "TanhGrad", "SigmoidGrad"})
    cases.push_back({op, {positive({4}), mixed({4})}});
  cases.push_back({"ReluGrad", {positive({4}), mixed({4})}});
  cases.push_back({"AddN", {mixed({3}), positive({3}), mixed({3})}});
  cases.push_back({"Cast", {mixed({3})}, {{"DstT", DType::float64}}});
  return cases;
}

std::vector<Case> matmul_cases() {
  std::vector<Case> cases;
  for (bool a : {false, true})
    for (bool b : {false, true})
      cases.push_back(
          {"MatMul",
           {mixed(a ? Shape{3, 2} : Shape{2, 3}), positive(b ? Shape{4, 3} : Shape{3, 4})},
           {{"transpose_a", a}, {"transpose_b", b}}});
  return cases;
}

std::vector<Case> reduction_cases() {
  std::vector<Case> cases;
  for (auto op : {"Sum", "Mean", "Max", "Min", "Prod"})
    for (bool keep_dims : {false, true}) {
      Attrs attrs = {{"keep_dims", keep_dims}};
      for (auto axes : {ints({0}), ints({1}), ints({0, 1}), ints({-1}), ints({}), scalar_int(1)})
        cases.push_back({op, {positive({2, 3}), axes}, attrs});
      cases.push_back({op, {mixed({2, 2, 3}), ints({0, 2})}, attrs});
    }
  cases.push_back({"Prod", {numbers({2, 2}, {0, 2, 3, 4}), ints({1})}});
  cases.push_back({"Prod", {numbers({2, 2}, {0, 0, 3, 4}), ints({0, 1})}});
  return cases;
}

std::vector<Case> array_cases() {
  auto cube = mixed({2, 1, 3});
  return {
      {"Reshape", {mixed({2, 3}), ints({3, -1})}},
      {"ExpandDims", {mixed({2}), scalar_int(0)}},
      {"ExpandDims", {mixed({2}), scalar_int(-1)}},
      {"Squeeze", {cube}},
      {"Squeeze", {cube}, {{"squeeze_dims", std::vector<int64_t>{1}}}},
      {"Transpose", {mixed({2, 3}), ints({1, 0})}},
      {"Transpose", {cube, ints({2, 0, 1})}},
      {"BroadcastTo", {mixed({2, 1}), ints({2, 3})}},
      {"BroadcastTo", {mixed({3}), ints({2, 3})}},
      {"BroadcastTo", {numbers({}, {0.5}), ints({2})}},
      {"Fill", {ints({2, 2}), numbers({}, {0.5})}},
      {"Pack", {mixed({2}), positive({2})}, {{"axis", 1}}},
      {"Unpack", {mixed({2, 3})}, {{"num", 3}, {"axis", 1}}},
      {"Unpack", {mixed({2, 3})}, {{"num", 2}}},
      {"ConcatV2", {mixed({2, 1}), positive({2, 2}), scalar_int(1)}},
      {"ConcatV2", {mixed({1, 2}), positive({3, 2}), mixed({1, 2}), scalar_int(-2)}},
      {"Slice", {mixed({2, 3}), ints({0, 1}), ints({-1, 2})}},
      {"Pad", {mixed({2, 2}), {Tensor::of<int32_t>({2, 2}, {1, 0, 2, 1}), false}}},
      {"Select", {bools({2}, {true, false}), mixed({2, 2}), positive({2, 2})}},
      {"Select", {bools({2, 2}, {true, false, false, true}), mixed({2, 2}), positive({2, 2})}},
      {"Select", {bools({}, {true}), mixed({2}), positive({2})}},
  };
}

std::vector<Case> nn_cases() {
  Attrs nchw = {{"data_format", "NCHW"}};
  auto distribution = numbers({2, 3}, {0.2, 0.3, 0.5, 0.1, 0.8, 0.1});
  return {
      {"BiasAdd", {mixed({2, 3}), positive({3})}},
      {"BiasAdd", {mixed({2, 3, 1, 2}), positive({3})}, nchw},
      {"BiasAddGrad", {mixed({2, 3})}},
      {"BiasAddGrad", {mixed({2, 3, 1, 2})}, nchw},
      {"BiasAdd", {mixed({2, 3, 2}), positive({3})}, nchw},
      {"BiasAdd", {mixed({2, 3, 1, 2, 1}), positive({3})}, nchw},
      {"BiasAddGrad", {mixed({2, 3, 2})}, nchw},
      {"BiasAddGrad", {mixed({2, 3, 1, 2, 1})}, nchw},
      {"SoftmaxCrossEntropyWithLogits", {mixed({2, 3}), distribution}},
      {"SparseSoftmaxCrossEntropyWithLogits", {mixed({2, 3}), ints({2, 0})}},
  };
}

/// Calls of functions, one of which has an argument and a node that its gradient does not need.
std::vector<Case> call_cases() {
  Builder b;
  auto inner = b.function("inner", {{"x", DType::float64}}, [](const Builder& f, const Values& in) {
    return Values{f.square(in[0])};
  });
  auto outer = b.function(
      "outer", {{"x", DType::float64}, {"unused", DType::float64}, {"w", DType::float64}},
      [&](const Builder& f, const Values& in) {
        auto square = f.call(inner, {in[0]})[0];
        return Values{f.mul(square, in[2]), f.tanh(in[2]), f.op("Shape", {square})};
      });
  auto functions = b.graph().library().defs_from(0);
  Input unused{Tensor::scalar(1.0), false};
  std::vector<Case> cases;
  for (auto op : {"PartitionedCall", "StatefulPartitionedCall"}) {
    Attrs of_inner = {{"f", inner}, {"Tout", DTypes{DType::float64}}};
    Attrs of_outer = {{"f", outer}, {"Tout", DTypes{DType::float64, DType::float64, DType::int32}}};
    cases.push_back({op, {mixed({2, 3})}, of_inner, functions});
    cases.push_back({op, {mixed({2, 3}), unused, mixed({3})}, of_outer, functions});
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& group :
       {binary_cases(), unary_cases(), matmul_cases(), reduction_cases(), array_cases(), nn_cases(),
        call_cases()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

void check_all(const std::vector<Case>& cases) {
  for (const auto& c : cases)
    for (auto known_shapes :
         {KnownShapes::constants, KnownShapes::shapes, KnownShapes::ranks, KnownShapes::nothing})
      check_gradient(c, known_shapes);
}

BOOST_AUTO_TEST_CASE(derivatives_of_binary_ops_are_those_of_central_differences) {
  check_all(binary_cases());
}
BOOST_AUTO_TEST_CASE(derivatives_of_unary_ops_are_those_of_central_differences) {
  check_all(unary_cases());
}
BOOST_AUTO_TEST_CASE(derivatives_of_products_are_those_of_central_differences) {
  check_all(matmul_cases());
}
BOOST_AUTO_TEST_CASE(derivatives_of_reductions_are_those_of_central_differences) {
  check_all(reduction_cases());
}
BOOST_AUTO_TEST_CASE(derivatives_of_array_ops_are_those_of_central_differences) {
  check_all(array_cases());
}
BOOST_AUTO_TEST_CASE(derivatives_of_network_ops_are_those_of_central_differences) {
  check_all(nn_cases());
}

BOOST_AUTO_TEST_CASE(derivatives_of_calls_are_those_of_central_differences) {
  check_all(call_cases());
}

BOOST_AUTO_TEST_CASE(the_gradient_of_every_op_is_checked) {
  std::set<std::string> known = {
      // Complex numbers only: the derivative is the conjugate, as the next case checks.
      "Conj",
      // Between real and complex numbers: see the tests of the CPU's complex numbers.
      "Real", "Imag", "Angle", "ComplexAbs", "Complex",
      // The variable's derivative is collected from all reads: see the graph's own tests.
      "ReadVariableOp",
      // Rows of a variable: see gather_gradient_test.cpp.
      "ResourceGather", "ResourceGatherNd",
      // Its second output has none: see ctc_test.cpp.
      "CTCLoss",
      // Some of their outputs have none: see cells_test.cpp.
      "LSTMBlockCell", "BlockLSTM", "BlockLSTMV2", "GRUBlockCell",
      // Elements of an array: see tensor_array_gradient_test.cpp.
      "TensorArrayReadV3", "TensorArrayWriteV3", "TensorArrayGatherV3", "TensorArrayScatterV3",
      "TensorArrayConcatV3", "TensorArraySplitV3",
      // Elements of a list: see tensor_list_gradient_test.cpp.
      "TensorListPushBack", "TensorListPopBack", "TensorListGetItem", "TensorListSetItem",
      "TensorListResize", "TensorListStack", "TensorListFromTensor", "TensorListGather",
      "TensorListScatter", "TensorListScatterV2", "TensorListScatterIntoExistingList",
      "TensorListConcat", "TensorListConcatV2", "TensorListSplit",
      // Variants: see optionals_test.cpp.
      "OptionalFromValue", "OptionalGetValue",
      // Branches and loops of functions: see functional_gradient_test.cpp.
      "If", "StatelessIf", "Case", "While", "StatelessWhile",
      // Some of their outputs have none: see batch_norm_gradients_test.py.
      "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3",
      // As if nothing were rounded: see fake_quant_test.cpp.
      "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel",
      "QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3",
      // It is an error.
      "PreventGradient",
      // Their results are float32: see the tests of the CPU's images.
      "ResizeBilinear", "ResizeBicubic", "CropAndResize",
      // The same, and a reference: see older_ops_test.py.
      "ScaleAndTranslate", "SparseMatMul", "RefIdentity",
      // Rows of several steps: see batching_test.cpp.
      "Batch", "Unbatch"};
  // The same: see fourier_test.cpp.
  for (std::string prefix : {"", "I", "R", "IR"})
    for (const auto* suffix : {"", "2D", "3D"}) known.insert(prefix + "FFT" + suffix);
  for (const auto& c : all_cases()) known.insert(c.op);
  for (const auto& call : recorded_calls())
    if (!call.differentiated().empty()) known.insert(call.op);
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all())
    BOOST_TEST(
        (!has_derivatives(op) || known.contains(name)), name << " has an unchecked gradient");
}

BOOST_AUTO_TEST_CASE(the_derivative_of_a_conjugate_is_a_conjugate) {
  Builder b;
  auto z = b.placeholder(DType::complex128, {1});
  auto w = b.constant(Tensor::of<complex128>({1}, {{2, 3}}));
  auto derivative = troupe::gradients(b, {b.mul(b.op("Conj", {z}), w)}, {z});
  BOOST_REQUIRE(derivative.ok());
  auto value = run_graph(b, {{z, Tensor::of<complex128>({1}, {{5, 7}})}}, {(*derivative)[0]});
  BOOST_REQUIRE(value.ok());
  // As in TensorFlow: dy / dconj(z) = conj(w) arrives at Conj, which passes its conjugate on.
  BOOST_TEST(((*value)[0].value<complex128>() == complex128(2, 3)));
}

BOOST_AUTO_TEST_CASE(what_stops_gradients_passes_none_on) {
  Builder b;
  auto x = b.placeholder(DType::float64, {2});
  auto derivative = troupe::gradients(b, {x * b.op("StopGradient", {x})}, {x});
  BOOST_REQUIRE(derivative.ok());
  auto value = run_graph(b, {{x, Tensor::of<double>({2}, {3, 4})}}, {(*derivative)[0]});
  BOOST_REQUIRE(value.ok());
  BOOST_TEST((*value)[0].to_string() == "float64[2] [3 4]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
