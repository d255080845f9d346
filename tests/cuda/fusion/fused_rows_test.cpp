#include <boost/test/unit_test.hpp>
#include <random>

#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/cpu/math/fused_program.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace fused_rows_checks {
namespace {

Tensor numbers(DType dtype, const Shape& shape, uint64_t seed) {
  auto made = *Tensor::allocate(dtype, shape);
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal(3, 2);
  auto fill = [&](auto* elements) {
    using T = std::remove_pointer_t<decltype(elements)>;
    for (int64_t i = 0; i < made.elements(); ++i) elements[i] = static_cast<T>(normal(bits));
  };
  if (dtype == DType::float16) fill(made.mutable_data<float16>());
  else if (dtype == DType::bfloat16) fill(made.mutable_data<bfloat16>());
  else if (dtype == DType::float32) fill(made.mutable_data<float>());
  else fill(made.mutable_data<double>());
  return made;
}

/// Normalization by moments, as tf.nn.moments and tf.nn.batch_normalization compute it.
FusedProgram normalization(
    DType dtype, const Shape& shape, const std::vector<int32_t>& axes, const Shape& parameters) {
  FusedProgram p;
  auto x = p.feed(numbers(dtype, shape, 1));
  auto epsilon = p.feed(numbers(dtype, {}, 2));
  auto scale = p.feed(numbers(dtype, parameters, 3));
  auto offset = p.feed(numbers(dtype, parameters, 4));
  auto mean = p.reduce("Mean", x, axes);
  auto squares = p.add("SquaredDifference", {x, p.add("StopGradient", {mean})});
  auto variance = p.reduce("Mean", squares, axes);
  auto factor = p.add("Mul", {p.add("Rsqrt", {p.add("Add", {variance, epsilon})}), scale});
  auto shift = p.add("Sub", {offset, p.add("Mul", {mean, factor})});
  p.fetch(p.add("Add", {p.add("Mul", {x, factor}), shift}));
  return p;
}

/// Checks that a program has the same bits with and without its nodes of rows, of which it has so
/// many.
void check(
    const FusedProgram& program, int64_t rows_count, bool copies = false,
    std::shared_ptr<Device> card = nullptr) {
  static const std::shared_ptr<Device> card_of_all = make_gpu();
  if (!card) card = card_of_all;
  auto single = program.run(/*fuses=*/false, card);
  auto fused = program.run(/*fuses=*/true, card, copies);
  BOOST_TEST(program.rows_count == rows_count);
  BOOST_TEST_REQUIRE(single.ok(), single.status().to_string());
  BOOST_TEST_REQUIRE(fused.ok(), fused.status().to_string());
  for (size_t i = 0; i < fused->size(); ++i) {
    const auto &x = (*fused)[i], &y = (*single)[i];
    BOOST_TEST_REQUIRE(x.shape().to_string() == y.shape().to_string());
    BOOST_TEST(std::memcmp(x.raw(), y.raw(), x.bytes()) == 0, "result " << i << " differs");
  }
}

}  // namespace
}  // namespace fused_rows_checks

using namespace fused_rows_checks;

BOOST_AUTO_TEST_SUITE(fused_rows_on_a_card)

BOOST_AUTO_TEST_CASE(a_normalization_of_rows_has_the_bits_of_single_nodes) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    check(normalization(dtype, {37, 129}, {1}, {129}), 1);
    check(normalization(dtype, {50, 1500}, {-1}, {1500}), 1);
  }
  check(normalization(DType::float32, {3, 5, 7, 40}, {3}, {40}), 1);
  check(normalization(DType::float32, {3, 5, 7, 40}, {2, 3}, {7, 40}), 1);
  check(normalization(DType::float32, {3, 5, 7, 40}, {3}, {}), 1);
  check(normalization(DType::float32, {3, 5, 40}, {2}, {3, 1, 1}), 1);
  check(normalization(DType::float32, {3, 5, 40}, {2}, {5, 40}), 1);
}

BOOST_AUTO_TEST_CASE(what_no_block_has_the_rows_of_is_computed_node_by_node) {
  check(normalization(DType::float32, {37, 129}, {0}, {129}), 1);
  check(normalization(DType::float32, {37, 129}, {0, 1}, {129}), 1);
  check(normalization(DType::float32, {37, 5}, {1}, {5}), 1);
  check(normalization(DType::float32, {2, 40000}, {1}, {40000}), 1);
  check(normalization(DType::float32, {37, 129}, {1}, {2, 37, 129}), 1);
  check(normalization(DType::float32, {0, 129}, {1}, {129}), 1);
  check(normalization(DType::float32, {4, 0}, {1}, {}), 1);
}

BOOST_AUTO_TEST_CASE(results_may_be_those_of_reductions) {
  for (bool keeps_dims : {false, true})
    for (const auto* op : {"Max", "Mean", "Min", "Prod", "Sum"}) {
      FusedProgram p;
      auto x = p.feed(numbers(DType::float32, {6, 70}, 1));
      auto y = p.feed(numbers(DType::float32, {6, 1}, 2));
      auto product = p.add("Tanh", {p.add("Mul", {x, y})});
      p.fetch(p.reduce(op, product, {1}, keeps_dims));
      check(p, 1);
    }
}

BOOST_AUTO_TEST_CASE(a_softmax_of_single_nodes_is_one_node) {
  FusedProgram p;
  auto x = p.feed(numbers(DType::float32, {33, 1030}, 1));
  auto shifted = p.add("Sub", {x, p.reduce("Max", x, {1})});
  auto powers = p.add("Exp", {shifted});
  p.fetch(p.add("RealDiv", {powers, p.reduce("Sum", powers, {1})}));
  check(p, 1);
  check(p, 1, /*copies=*/true);
}

BOOST_AUTO_TEST_CASE(a_result_may_take_the_memory_of_what_is_normalized) {
  check(normalization(DType::float32, {37, 129}, {1}, {129}), 1, /*copies=*/true);
  check(normalization(DType::float32, {37, 129}, {1}, {37, 129}), 1, /*copies=*/true);
}

BOOST_AUTO_TEST_CASE(memory_that_another_node_reads_is_not_taken) {
  FusedProgram p;
  auto x = p.feed(numbers(DType::float32, {37, 129}, 1));
  p.fetch(p.add("Sub", {x, p.reduce("Max", x, {1})}), 0);
  p.fetch(p.add("Sub", {x, p.reduce("Min", x, {1})}), 1);
  check(p, 2);
  check(p, 2, /*copies=*/true);
}

BOOST_AUTO_TEST_CASE(errors_name_the_node_that_fails) {
  static const std::shared_ptr<Device> card = make_gpu();
  for (auto [axis, offset] : {std::pair{3, Shape{129}}, std::pair{1, Shape{128}}}) {
    auto program = normalization(DType::float32, {37, 129}, {axis}, offset);
    auto single = program.run(/*fuses=*/false, card), fused = program.run(/*fuses=*/true, card);
    BOOST_TEST_REQUIRE(!single.ok());
    BOOST_TEST(fused.status().to_string() == single.status().to_string());
  }
}

BOOST_AUTO_TEST_CASE(rows_that_cannot_be_compiled_are_computed_node_by_node) {
  WithoutCompiler without;
  check(normalization(DType::float32, {37, 129}, {1}, {129}), 1, /*copies=*/false, make_gpu());
}

BOOST_AUTO_TEST_SUITE_END()
