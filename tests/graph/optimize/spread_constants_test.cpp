#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/partition.hpp"
#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct SpreadFixture : PassFixture {
  SpreadFixture() : PassFixture("spread_constants") {}

  long sends(const PlacedStep& step) {
    auto parts = partition(*step.graph, step.step, step.devices);
    BOOST_REQUIRE(parts.ok());
    long count = 0;
    for (const auto& part : *parts)
      count += std::ranges::count(part.nodes, transfer::send, &NodeDef::op);
    return count;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(spread_constants_pass, SpreadFixture)

BOOST_AUTO_TEST_CASE(a_small_constant_is_copied_and_not_sent) {
  auto two = b.on("/job:a").constant(2.0f);
  auto y = b.on("/job:b").tanh(two);
  auto optimized = run({.fetches = {y.name()}});
  BOOST_REQUIRE(optimized);
  BOOST_TEST(sends(*optimized) == 0);
}

BOOST_AUTO_TEST_CASE(a_large_constant_and_one_that_waits_are_sent) {
  auto large = b.on("/job:a").constant(*Tensor::allocate(DType::float32, {1000}));
  BOOST_TEST(!changes({b.on("/job:b").tanh(large)}));
  auto waits = b.on("/job:a").after({b.op("NoOp")}).constant(2.0f);
  BOOST_TEST(!changes({b.on("/job:b").tanh(waits)}));
}

BOOST_AUTO_TEST_SUITE_END()
