#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct ReduceFixture : PassFixture {
  Value x;

  ReduceFixture() : PassFixture("reduce_controls") {
    x = b.named("x").random_uniform({2}, DType::float32);
  }
  std::string last(const Value& fetch, const Values& feeds = {}) {
    return nodes_for({fetch}, feeds).back();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reduce_controls_pass, ReduceFixture)

BOOST_AUTO_TEST_CASE(an_input_need_not_be_waited_for) {
  auto y = b.after({x}).named("y").neg(x);
  BOOST_TEST(last(y) == "y = Neg(" + x.name() + ")");
}

BOOST_AUTO_TEST_CASE(what_an_input_waits_for_need_not_be_waited_for) {
  auto first = b.named("first").tanh(x), second = b.after({first}).named("second").neg(x);
  auto y = b.after({first, second}).named("y").square(x);
  BOOST_TEST(last(y) == "y = Square(" + x.name() + ", ^second)");
  auto z = b.after({first}).named("z").exp(second);
  BOOST_TEST(last(z) == "z = Exp(second:0)");
}

BOOST_AUTO_TEST_CASE(what_nothing_implies_stays) {
  auto first = b.tanh(x), second = b.neg(x);
  BOOST_TEST(!changes({b.after({first}).square(second)}));
}

BOOST_AUTO_TEST_CASE(constants_are_always_there) {
  auto y = b.after({b.constant(1.0f)}).named("y").neg(x);
  BOOST_TEST(last(y) == "y = Neg(" + x.name() + ")");
  BOOST_TEST(!changes({b.after({b.after({x}).constant(1.0f)}).constant(2.0f)}));
}

BOOST_AUTO_TEST_CASE(no_ops_in_between_go) {
  auto group = b.named("group").group({x});
  auto y = b.after({group}).named("y").constant(1.0f);
  BOOST_TEST(last(y) == "y = Const(^" + x.node_name() + ")");
  // One that gathers several nodes, or another device's, is fewer edges.
  BOOST_TEST(!changes({b.after({b.group({b.neg(x), b.tanh(x)})}).constant(1.0f)}));
  BOOST_TEST(!changes({b.after({b.on("/job:b").group({x})}).constant(1.0f)}));
}

BOOST_AUTO_TEST_CASE(a_fed_input_says_nothing_of_its_node) {
  auto y = b.tanh(x);
  auto z = b.after({y}).neg(y);
  BOOST_TEST(!changes({z}, {y}));
}

BOOST_AUTO_TEST_CASE(a_merge_runs_before_its_inputs_are_all_there) {
  auto choice = b.placeholder(DType::boolean, {});
  auto branch = b.op("Switch", {x, choice});
  auto one = b.neg(branch.output(0)), other = b.tanh(branch.output(1));
  BOOST_TEST(!changes({b.after({one}).op("Merge", {one, other})}, {choice}));
  auto merged = b.op("Merge", {one, other});
  BOOST_TEST(!changes({b.after({one}).neg(merged)}, {choice}));
}

BOOST_AUTO_TEST_CASE(a_reader_of_a_reference_keeps_what_it_waits_for) {
  auto variable =
      b.named("variable").op("VariableV2", {}, {{"shape", Shape{2}}, {"dtype", DType::float32}});
  auto assigned = b.op("Assign", {variable, x});
  BOOST_TEST(!changes({b.after({assigned}).add(variable, b.after({assigned}).tanh(x))}));
}

BOOST_AUTO_TEST_SUITE_END()
