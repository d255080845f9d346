#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct MergeFixture : PassFixture {
  Value x;

  MergeFixture() : PassFixture("merge_duplicates") {
    x = b.named("x").random_uniform({2}, DType::float32);
  }
  long count(const Values& fetches, const std::string& op) {
    auto lines = nodes_for(fetches);
    return std::ranges::count_if(
        lines, [&](const auto& line) { return line.find("= " + op + "(") != std::string::npos; });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(merge_duplicates_pass, MergeFixture)

BOOST_AUTO_TEST_CASE(equal_trees_are_computed_once) {
  auto one = b.tanh(b.neg(x) * 2.0), other = b.tanh(b.neg(x) * 2.0);
  BOOST_TEST(count({one, other}, "Tanh") == 1);
  BOOST_TEST(count({one + other}, "Neg") == 1);
}

BOOST_AUTO_TEST_CASE(fetches_of_both_get_the_one) {
  auto one = b.tanh(x), other = b.tanh(x);
  auto optimized = run({.fetches = {one.name(), other.name()}});
  BOOST_REQUIRE(optimized);
  BOOST_TEST((optimized->step.fetches[0] == optimized->step.fetches[1]));
}

BOOST_AUTO_TEST_CASE(attributes_inputs_and_devices_tell_nodes_apart) {
  BOOST_TEST(!changes({b.tanh(x), b.sigmoid(x)}));
  BOOST_TEST(!changes({b.cast(x, DType::int32), b.cast(x, DType::int64)}));
  BOOST_TEST(!changes({b.sub(x, b.neg(x)), b.sub(b.neg(b.tanh(x)), x)}));
  BOOST_TEST(!changes({b.tanh(x), b.on("/job:b").tanh(x)}));
  BOOST_TEST(!changes({b.constant(1.0f), b.constant(2.0f), b.constant(1)}));
  BOOST_TEST(!changes({b.constant(0.0f), b.constant(-0.0f)}));
}

BOOST_AUTO_TEST_CASE(nodes_that_wait_for_different_nodes_are_different) {
  auto before = b.op("NoOp");
  BOOST_TEST(!changes({b.tanh(x), b.after({before}).tanh(x)}));
  BOOST_TEST(changes({b.after({before}).tanh(x), b.after({before}).tanh(x)}));
}

BOOST_AUTO_TEST_CASE(random_numbers_and_reads_are_never_merged) {
  auto shape = b.ints({2});
  auto draw = [&] {
    return b.op("RandomUniform", {shape}, {{"dtype", DType::float32}, {"seed", 7}});
  };
  BOOST_TEST(!changes({draw(), draw()}));
  auto variable = b.variable("v", b.constant(1.0f));
  auto read = [&] {
    return b.op("ReadVariableOp", {variable.handle}, {{"dtype", DType::float32}});
  };
  BOOST_TEST(!changes({read(), read()}));
}

BOOST_AUTO_TEST_CASE(what_is_fed_is_not_merged) {
  auto one = b.tanh(x), other = b.tanh(x);
  BOOST_TEST(!changes({b.neg(one), b.square(other)}, {one}));
}

BOOST_AUTO_TEST_CASE(a_target_still_runs) {
  auto one = b.named("one").tanh(x), other = b.named("other").tanh(x);
  auto lines = nodes({.fetches = {one.name()}, .targets = {"other"}});
  BOOST_TEST(text_of(lines) == "unchanged\n");
}

BOOST_AUTO_TEST_SUITE_END()
