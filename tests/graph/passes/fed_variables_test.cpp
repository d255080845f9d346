#include "troupe/graph/passes/fed_variables.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/passes/inline_functions.hpp"

using namespace troupe;

namespace {

struct FedVariablesFixture {
  Builder b;
  Value v =
      b.named("v").op("VarHandleOp", {}, {{"dtype", DType::float32}, {"shape", Shape({3, 2})}});
  std::unique_ptr<InlinedStep> step;

  Value read(const std::string& name, Value handle) {
    return b.named(name).op("ReadVariableOp", {handle}, {{"dtype", DType::float32}});
  }
  Status compile(const StepSignature& signature) {
    BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
    auto pruned = prune(b.graph(), signature);
    if (!pruned) return pruned.status();
    auto inlined = inline_functions(b.graph(), signature, *pruned);
    if (!inlined) return inlined.status();
    step = *std::move(inlined);
    return {};
  }
  void require(const StepSignature& signature) {
    auto status = compile(signature);
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    BOOST_REQUIRE(step);
  }
  NodeDef node(const std::string& name) {
    auto id = step->graph->find(name);
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
    return step->graph->def_of(*id);
  }
  void check(const std::string& name, const std::string& op, const std::string& input) {
    BOOST_TEST(node(name).op == op);
    BOOST_TEST(node(name).inputs.at(0) == input);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(fed_variables, FedVariablesFixture)

BOOST_AUTO_TEST_CASE(what_reads_a_fed_variable_takes_the_value) {
  auto indices = b.named("indices").constant(Tensor::of<int32_t>(Shape({2}), {0, 2}));
  read("read", v);
  b.named("rows").op("ResourceGather", {v, indices}, {{"dtype", DType::float32}});
  b.named("sizes").op("VariableShape", {v});
  require({{"v:0"}, {"read:0", "rows:0", "sizes:0"}, {}});
  check("read", "Identity", "v:0");
  check("rows", "Gather", "v:0");
  check("sizes", "Shape", "v:0");
  BOOST_TEST(node("v").op == "Placeholder");
  BOOST_TEST(step->graph->name_of(step->step.feeds[0]) == "v:0");
}

BOOST_AUTO_TEST_CASE(a_feed_of_a_variable_has_its_dtype_and_shape) {
  auto type = feed_type(b.graph(), *b.graph().find_output("v:0"));
  BOOST_TEST((type.dtype == DType::float32));
  BOOST_TEST(type.shape.to_string() == Shape({3, 2}).to_string());
}

BOOST_AUTO_TEST_CASE(branches_and_loops_hand_on_the_value) {
  auto yes = b.named("yes").constant(true);
  auto branch = b.named("switch").op("Switch", {v, yes});
  auto frame = b.named("enter").op("Enter", {branch.output(1)}, {{"frame_name", "frame"}});
  read("read", frame);
  require({{"v:0"}, {}, {"read"}});
  check("switch", "Switch", "v:0");
  check("enter", "Enter", "switch:1");
  check("read", "Identity", "enter:0");
}

BOOST_AUTO_TEST_CASE(functions_get_the_value) {
  auto f = b.function("f", {{"handle", DType::resource}}, [](const Builder& in, const Values& a) {
    return Values{in.named("read").op("ReadVariableOp", {a[0]}, {{"dtype", DType::float32}})};
  });
  auto got = b.named("call").call(f, {v});
  require({{"v:0"}, {got[0].name()}, {}});
  check("call/read", "Identity", "v:0");
}

BOOST_AUTO_TEST_CASE(a_step_that_changes_a_fed_variable_is_refused) {
  auto ones = b.named("ones").constant(Tensor::of<float>(Shape({3, 2}), {1, 1, 1, 1, 1, 1}));
  b.named("add").op("AssignAddVariableOp", {v, ones}, {{"dtype", DType::float32}});
  auto status = compile({{"v:0"}, {}, {"add"}});
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message() == "input 0 expects a variable, but 'v' is fed a value");
  BOOST_TEST(status.where().node == "add");
}

BOOST_AUTO_TEST_CASE(a_fed_variable_that_is_a_target_runs_beside_its_value) {
  read("read", v);
  require({{"v:0"}, {"read:0"}, {"v"}});
  BOOST_TEST(node("v").op == "VarHandleOp");
  check("read", "Identity", "_feed/v/0:0");
}

BOOST_AUTO_TEST_SUITE_END()
