#include <cmath>
#include <span>
#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

/// The gradients of the sum of the op's result with respect to all inputs.
std::string gradients_of(const std::string& op, const Tensors& inputs, const Attrs& attrs = {}) {
  Builder b;
  Values xs;
  for (const auto& input : inputs) xs.push_back(b.constant(input));
  auto made = gradients(b, {b.op(op, xs, attrs)}, xs, {.allow_unconnected = true});
  if (!made) return made.status().message();
  std::vector<Ref> fetches;
  for (const auto& value : *made)
    if (value.is_valid()) fetches.push_back(value);
  return show(run_graph(b, {}, fetches, {}));
}

const auto numbers = vec({-9, -1, 0, 0.5f, 7, 8});

}  // namespace

BOOST_AUTO_TEST_SUITE(fake_quant)

BOOST_AUTO_TEST_CASE(gradients_go_to_the_inputs_in_the_range_and_else_to_its_limits) {
  Attrs attrs{{"min", -2.0f}, {"max", 1.0f}, {"num_bits", 4}};
  BOOST_TEST(
      gradients_of("FakeQuantWithMinMaxArgs", {numbers}, attrs) == "float32[6] [0 1 1 1 0 0]");
  auto min = Tensor::scalar<float>(-2), max = Tensor::scalar<float>(1);
  BOOST_TEST(
      gradients_of("FakeQuantWithMinMaxVars", {numbers, min, max}, {{"narrow_range", true}}) ==
      "float32[6] [0 1 1 1 0 0]; float32[] [1]; float32[] [2]");
  auto rows = vec({3, 2}, {-9, -1, 0, 0.5f, 7, 8});
  BOOST_TEST(
      gradients_of("FakeQuantWithMinMaxVarsPerChannel", {rows, vec({-10, -0.5f}), vec({1, 1})}) ==
      "float32[3,2] [1 0 1 1 0 0]; float32[2] [0 1]; float32[2] [1 1]");
}

BOOST_AUTO_TEST_CASE(rounding_does_not_stop_gradients) {
  auto limit = Tensor::scalar<float>(1);
  auto bits = Tensor::scalar<int32_t>(4);
  Attrs attrs{{"range_given", true}};
  auto ones = "float32[6] [1 1 1 1 1 1]";
  BOOST_TEST(gradients_of("QuantizeAndDequantize", {numbers}) == ones);
  BOOST_TEST(gradients_of("QuantizeAndDequantizeV2", {numbers, limit, limit}, attrs) == ones);
  BOOST_TEST(gradients_of("QuantizeAndDequantizeV3", {numbers, limit, limit, bits}) == ones);
}

BOOST_AUTO_TEST_CASE(sums_of_many_gradients_keep_their_digits) {
  constexpr int64_t rows = 1 << 18, columns = 4;
  std::vector<float> tenths(rows * columns, 0.1f), least(columns, -0.5f), most(columns, 0.0f);
  auto many = Tensor::of<float>({rows, columns}, std::span<const float>(tenths));
  auto sums = run_op(
      "FakeQuantWithMinMaxVarsGradient",
      {many, many, Tensor::scalar<float>(-0.5f), Tensor::scalar<float>(0)});
  BOOST_REQUIRE(sums.ok());
  BOOST_TEST((*sums)[1].value<float>() == 0);
  BOOST_TEST(std::abs((*sums)[2].value<float>() / (rows * columns * 0.1f) - 1) < 1e-6f);
  sums = run_op(
      "FakeQuantWithMinMaxVarsPerChannelGradient",
      {many, many, Tensor::of<float>({columns}, std::span<const float>(least)),
       Tensor::of<float>({columns}, std::span<const float>(most))});
  BOOST_REQUIRE(sums.ok());
  for (auto sum : (*sums)[2].values<float>()) BOOST_TEST(std::abs(sum / (rows * 0.1f) - 1) < 1e-6f);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
