#include "troupe/graph/passes/prune.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"

using namespace troupe;

namespace {

struct PrunePassFixture {
  Builder b;
  Value x = b.named("x").placeholder(DType::float32, {});
  Value y = b.named("y").neg(x);
  Value z = b.named("z").neg(y);
  Value aside = b.named("aside").neg(x);

  std::vector<std::string> names(const StepSignature& signature) {
    auto step = prune(b.graph(), signature);
    BOOST_REQUIRE(step.ok());
    std::vector<std::string> found;
    for (auto id : step->nodes) found.push_back(b.graph().node(id).name);
    return found;
  }
  Status error(const StepSignature& signature) { return prune(b.graph(), signature).status(); }
};

using Names = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(prune_pass, PrunePassFixture)

BOOST_AUTO_TEST_CASE(only_what_the_fetches_need_is_kept) {
  BOOST_TEST(names({{}, {"z:0"}, {}}) == (Names{"x", "y", "z"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(feeds_cut_the_graph) {
  BOOST_TEST(names({{"y:0"}, {"z:0"}, {}}) == (Names{"z"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(targets_are_kept_even_when_their_output_is_fed) {
  BOOST_TEST(
      names({{"y:0"}, {"z:0"}, {"y"}}) == (Names{"x", "y", "z"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(control_inputs_are_kept) {
  auto after = b.named("after").after({aside}).neg(z);
  BOOST_TEST(
      names({{"z:0"}, {"after:0"}, {}}) == (Names{"x", "aside", "after"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(to_wait_for_a_fed_placeholder_is_to_wait_for_nothing) {
  auto after = b.named("after").after({x}).neg(y);
  BOOST_TEST(
      names({{"x:0", "y:0"}, {after.name()}, {}}) == (Names{"after"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unknown_and_doubled_names_are_refused_with_their_role) {
  BOOST_TEST((error({{}, {"zz:0"}, {}}).code() == Code::not_found));
  BOOST_TEST(error({{}, {"zz:0"}, {}}).message().find("fetch 'zz:0'") != std::string::npos);
  BOOST_TEST(error({{}, {}, {"gone"}}).message().find("target 'gone'") != std::string::npos);
  BOOST_TEST(error({{"q:0"}, {}, {}}).message().find("feed 'q:0'") != std::string::npos);
  BOOST_TEST((error({{"y:0", "y:0"}, {"z:0"}, {}}).code() == Code::invalid_argument));
  BOOST_TEST((error({{}, {"z:1"}, {}}).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(handles_are_neither_fed_nor_fetched) {
  auto v = b.variable("v", b.constant(1.0f));
  auto table = b.named("table").op(
      "HashTableV2", {}, {{"key_dtype", DType::string}, {"value_dtype", DType::float32}});
  BOOST_TEST((error({{table.name()}, {}, {}}).code() == Code::invalid_argument));
  BOOST_TEST((error({{}, {v.handle.name()}, {}}).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_handle_of_a_variable_is_fed) {
  auto v = b.variable("v", b.constant(1.0f));
  auto read = b.named("read").op("ReadVariableOp", {v.handle}, {{"dtype", DType::float32}});
  BOOST_TEST(
      names({{v.handle.name()}, {read.name()}, {}}) == (Names{"read"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_output_needs_the_feeds_that_lead_to_it_by_any_edge) {
  auto p = b.named("p").placeholder(DType::float32, {});
  auto after = b.after({p}).named("after").identity(y);
  auto step = prune(b.graph(), {{"x:0", "y:0", "p:0"}, {"z:0", "after:0", "aside:0"}, {}});
  BOOST_REQUIRE(step.ok());
  auto needed = [&](int fetch) { return feeds_needed_by(b.graph(), *step, step->fetches[fetch]); };
  BOOST_TEST(needed(0) == std::vector<int>{1}, boost::test_tools::per_element());
  BOOST_TEST(needed(1) == (std::vector<int>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(needed(2) == std::vector<int>{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_fed_reference_cannot_be_written) {
  auto w = b.named("w").op("VariableV2", {}, {{"dtype", DType::float32}, {"shape", Shape()}});
  b.named("set").op("Assign", {w, b.constant(1.0f)});
  b.named("minus").neg(w);
  BOOST_TEST(error({{"w:0"}, {"minus:0"}, {}}).ok());
  BOOST_TEST(
      error({{"w:0"}, {"set:0"}, {}}).message() ==
      "input 0 expects a reference to a variable, but 'w:0' is fed a value");
}

BOOST_AUTO_TEST_SUITE_END()
