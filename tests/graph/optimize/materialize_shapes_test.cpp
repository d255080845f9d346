#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct MaterializeFixture : PassFixture {
  MaterializeFixture() : PassFixture("materialize_shapes") {}
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(materialize_shapes_pass, MaterializeFixture)

BOOST_AUTO_TEST_CASE(the_shape_of_a_value_becomes_a_constant_that_waits_for_it) {
  auto x = b.named("x").random_uniform({2, 3}, DType::float32);
  auto shape = b.named("shape").op("Shape", {x});
  auto optimized = run({.fetches = {shape.name()}});
  BOOST_REQUIRE(optimized);
  const auto& node = optimized->graph->node(*optimized->graph->find("shape"));
  BOOST_TEST(node.op->name() == "Const");
  BOOST_TEST(node.attr<Tensor>("value").to_string() == "int32[2] [2 3]");
  BOOST_REQUIRE(node.control_inputs.size() == 1u);
  BOOST_TEST(optimized->graph->node(node.control_inputs[0]).name == x.node_name());
}

BOOST_AUTO_TEST_CASE(the_shape_of_a_feed_waits_for_nothing) {
  auto x = b.placeholder(DType::float32, {4});
  auto size = b.named("size").op("Size", {x});
  BOOST_TEST(text_of(nodes_for({size}, {x})) == "size = Const()\n");
}

BOOST_AUTO_TEST_CASE(the_rank_is_known_before_the_sizes) {
  auto x = b.placeholder(DType::float32, {Shape::unknown, 2});
  auto rank = b.named("rank").op("Rank", {x});
  BOOST_TEST(text_of(nodes_for({rank}, {x})) == "rank = Const()\n");
  BOOST_TEST(!changes({b.op("Shape", {x})}, {x}));
  BOOST_TEST(!changes({b.op("Size", {x})}, {x}));
}

BOOST_AUTO_TEST_CASE(each_shape_of_several_is_a_constant) {
  auto x = b.named("x").placeholder(DType::float32, {4});
  auto y = b.named("y").placeholder(DType::float32, {2, 2});
  auto shapes = b.named("shapes").op("ShapeN", {x, y});
  auto sum = b.named("rows").op("Identity", {shapes.output(1)});
  auto lines = nodes_for({shapes, sum}, {x, y});
  BOOST_TEST(
      text_of(lines) ==
      "shapes = Const()\n_value/1/shapes = Const()\nrows = Identity(_value/1/shapes:0)\n");
}

BOOST_AUTO_TEST_CASE(the_shape_of_what_may_be_dead_is_not_a_constant) {
  auto x = b.placeholder(DType::float32, {4}), choice = b.placeholder(DType::boolean, {});
  auto branch = b.op("Switch", {x, choice});
  BOOST_TEST(!changes({b.op("Shape", {branch.output(1)})}, {x, choice}));
}

BOOST_AUTO_TEST_CASE(a_fed_shape_is_not_a_constant) {
  auto x = b.placeholder(DType::float32, {4});
  auto shape = b.op("Shape", {x});
  BOOST_TEST(!changes({b.op("Neg", {shape})}, {x, shape}));
}

BOOST_AUTO_TEST_SUITE_END()
