#include <boost/test/unit_test.hpp>
#include <cmath>

#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/cpu/math/random_program.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Element by element; a card's functions round otherwise than the CPU's.
template <class T>
std::string first_difference(const Tensor& got, const Tensor& expected, double tolerance) {
  for (int64_t i = 0; i < got.elements(); ++i) {
    auto x = static_cast<double>(got.data<T>()[i]), y = static_cast<double>(expected.data<T>()[i]);
    auto is_same = x == y || (std::isnan(x) && std::isnan(y)) ||
                   std::abs(x - y) <= tolerance * (1 + std::abs(y));
    if (!is_same)
      return "element " + std::to_string(i) + " is " + std::to_string(x) + ", not " +
             std::to_string(y);
  }
  return {};
}

/// Runs a chain that is fused on a card, and node by node there.
void compare(const FusedProgram& program, const std::shared_ptr<Device>& card, double tolerance) {
  auto single = program.run(/*fuses=*/false, card);
  auto fused = program.run(/*fuses=*/true, card);
  BOOST_TEST_REQUIRE(fused.ok(), fused.status().to_string());
  BOOST_TEST_REQUIRE(single.ok(), single.status().to_string());
  for (size_t i = 0; i < fused->size(); ++i) {
    const auto &x = (*fused)[i], &y = (*single)[i];
    BOOST_TEST_REQUIRE(x.shape().to_string() == y.shape().to_string());
    auto found = x.dtype() == DType::float64 ? first_difference<double>(x, y, tolerance)
                                             : first_difference<float>(x, y, tolerance);
    BOOST_TEST(found.empty(), found);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fused_nodes_on_a_card)

BOOST_AUTO_TEST_CASE(chains_have_the_results_of_single_nodes) {
  std::shared_ptr<Device> card = make_gpu();
  const Shape wholes[] = {{}, {7}, {5000}, {3, 5}, {37, 129}, {40, 1}, {4, 6, 5}, {3, 4, 5, 6}};
  int64_t fused = 0;
  for (uint64_t seed = 0; seed < 24; ++seed) {
    RandomProgram random(seed);
    auto dtype = seed % 4 == 0 ? DType::float64 : DType::float32;
    auto program = random.program(dtype, wholes[random.below(std::size(wholes))]);
    BOOST_TEST_CONTEXT("seed " << seed)
    compare(program, card, dtype == DType::float64 ? 1e-12 : 1e-5);
    fused += program.fused_count;
  }
  BOOST_TEST(fused > 20);
}

BOOST_AUTO_TEST_CASE(chains_that_cannot_be_compiled_are_computed_node_by_node) {
  WithoutCompiler without;
  std::shared_ptr<Device> card = make_gpu();
  for (uint64_t seed = 0; seed < 24; ++seed) {
    RandomProgram random(seed);
    BOOST_TEST_CONTEXT("seed " << seed)
    compare(random.program(DType::float32, {7, 5}), card, 1e-5);
  }
}

BOOST_AUTO_TEST_SUITE_END()
