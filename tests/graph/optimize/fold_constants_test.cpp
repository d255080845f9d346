#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Sums and negatives of scalars, and what else a test names.
struct FoldFixture : PassFixture {
  int evaluations = 0;

  FoldFixture() : PassFixture("fold_constants") {
    evaluate = [this](const Node& node, const Tensors& inputs) -> std::optional<Tensors> {
      ++evaluations;
      if (node.op->name() == "Neg") return Tensors{Tensor::scalar(-inputs[0].value<float>())};
      if (node.op->name() == "AddV2")
        return Tensors{Tensor::scalar(inputs[0].value<float>() + inputs[1].value<float>())};
      return std::nullopt;
    };
  }

  float value_of(const Value& fetch) {
    auto optimized = run({.fetches = {fetch.name()}});
    BOOST_REQUIRE(optimized);
    BOOST_REQUIRE(optimized->step.nodes.size() == 1u);
    return optimized->graph->node(optimized->step.nodes[0]).attr<Tensor>("value").value<float>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(fold_constants_pass, FoldFixture)

BOOST_AUTO_TEST_CASE(a_tree_of_constants_becomes_one) {
  BOOST_TEST(value_of(b.neg(b.add(b.constant(1.0f), b.neg(b.constant(4.0f))))) == 3.0f);
}

BOOST_AUTO_TEST_CASE(a_fed_constant_is_what_is_fed) {
  auto one = b.constant(1.0f), sum = b.add(one, b.constant(2.0f));
  BOOST_TEST(!changes({sum}, {one}));
  BOOST_TEST(!changes({b.neg(sum)}, {sum}));
  BOOST_TEST(evaluations == 0);
}

BOOST_AUTO_TEST_CASE(what_is_fetched_keeps_its_name) {
  auto sum = b.named("sum").add(b.constant(1.0f), b.constant(2.0f));
  auto negative = b.named("negative").neg(sum);
  BOOST_TEST(text_of(nodes_for({sum, negative})) == "sum = Const()\nnegative = Const()\n");
}

BOOST_AUTO_TEST_CASE(a_constant_waits_for_what_its_node_and_inputs_waited_for) {
  auto first = b.named("first").op("NoOp"), second = b.named("second").op("NoOp");
  auto two = b.after({first}).named("two").constant(2.0f);
  auto result = b.after({second}).named("result").neg(two);
  BOOST_TEST(
      text_of(nodes_for({result})) ==
      "first = NoOp()\nsecond = NoOp()\nresult = Const(^first, ^second)\n");
}

BOOST_AUTO_TEST_CASE(what_has_state_runs_in_each_step) {
  auto random = b.op("RandomUniform", {b.ints({2})}, {{"dtype", DType::float32}});
  BOOST_TEST(!changes({random}));
  BOOST_TEST(evaluations == 0);
}

BOOST_AUTO_TEST_CASE(branches_and_loops_are_not_computed) {
  auto branch = b.op("Switch", {b.constant(1.0f), b.constant(true)});
  BOOST_TEST(!changes({branch, b.op("Merge", {branch.output(0), branch.output(1)})}));
  BOOST_TEST(evaluations == 0);
}

BOOST_AUTO_TEST_CASE(results_that_are_large_or_of_unknown_size_are_not_constants) {
  auto large = b.op("Fill", {b.ints({1 << 20}), b.constant(0.0f)});
  auto unknown = b.op("Where", {b.constant(Tensor::of<bool>({2}, {true, false}))});
  BOOST_TEST(!changes({large, unknown}));
  BOOST_TEST(evaluations == 0);
}

BOOST_AUTO_TEST_CASE(a_node_that_only_the_kernel_of_another_device_computes_stays) {
  BOOST_TEST(!changes({b.on("/device:GPU:0").neg(b.constant(1.0f))}));
}

BOOST_AUTO_TEST_CASE(a_node_that_fails_is_left_to_fail) {
  BOOST_TEST(!changes({b.op("Reciprocal", {b.constant(1.0f)})}));
  BOOST_TEST(evaluations == 1);
}

BOOST_AUTO_TEST_SUITE_END()
