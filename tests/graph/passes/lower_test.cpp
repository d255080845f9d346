#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/passes/inline_functions.hpp"

using namespace troupe;

namespace {

using Names = std::vector<std::string>;

struct LowerFixture {
  Builder b;
  Value x = b.on("/job:ps").named("x").placeholder(DType::float32, {});
  std::vector<FunctionArgument> one = {{"x", DType::float32}};
  FunctionRef negated = b.function("negated", one, [](const Builder& f, const Values& in) {
    return Values{f.named("neg").neg(in[0])};
  });
  FunctionRef squared = b.function("squared", one, [](const Builder& f, const Values& in) {
    return Values{f.named("square").square(in[0])};
  });
  std::unique_ptr<InlinedStep> inlined;

  Names run(const StepSignature& signature) {
    BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
    auto step = prune(b.graph(), signature);
    BOOST_REQUIRE(step.ok());
    auto result = inline_functions(b.graph(), signature, *step);
    BOOST_TEST_REQUIRE(result.ok(), result.status().to_string());
    inlined = *std::move(result);
    Names names;
    for (auto id : inlined->step.nodes) names.push_back(inlined->graph->node(id).name);
    return names;
  }
  NodeDef node(const std::string& name) {
    auto id = inlined->graph->find(name);
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
    return inlined->graph->def_of(*id);
  }
};

void check_names(const Names& got, const Names& wanted) {
  BOOST_TEST(got == wanted, boost::test_tools::per_element());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lowered_nodes, LowerFixture)

BOOST_AUTO_TEST_CASE(an_if_becomes_a_switch_and_a_merge_around_its_functions) {
  auto first = b.named("first").constant(1.0f);
  auto choice = b.named("choice").placeholder(DType::boolean, {});
  auto y = b.on("/job:worker")
               .after({first})
               .named("if")
               .op("If", {choice, x},
                   {{"Tout", DTypes{DType::float32}},
                    {"then_branch", negated},
                    {"else_branch", squared}});
  check_names(
      run({{}, {y.name()}, {}}),
      {"x", "first", "choice", "if/switch", "if/pivot_else", "if/switch0", "if/else/square",
       "if/pivot_then", "if/then/neg", "if/output0"});
  check_names(node("if/switch").inputs, {"choice:0", "choice:0", "^first"});
  check_names(node("if/then/neg").inputs, {"if/switch0:1", "^if/pivot_then"});
  check_names(node("if/output0").inputs, {"if/else/square:0", "if/then/neg:0"});
  BOOST_TEST(node("if/switch0").device == "/job:ps");  // where its input is
  BOOST_TEST(node("if/then/neg").device == "/job:worker");
}

BOOST_AUTO_TEST_CASE(who_waits_for_an_if_with_effects_waits_for_both_ends) {
  auto handle = b.named("v").op("VarHandleOp", {}, {{"dtype", DType::float32}, {"shape", Shape()}});
  auto set =
      b.function("set", {{"v", DType::resource, {}}}, [](const Builder& f, const Values& in) {
        f.named("assign").op("AssignVariableOp", {in[0], f.constant(1.0f)});
        return Values();
      });
  auto skip = b.function(
      "skip", {{"v", DType::resource, {}}}, [](const Builder&, const Values&) { return Values(); });
  auto choice = b.named("choice").placeholder(DType::boolean, {});
  auto call = b.named("if").op(
      "If", {choice, handle}, {{"Tout", DTypes()}, {"then_branch", set}, {"else_branch", skip}});
  auto after = b.after({call}).named("after").neg(x);
  auto names = run({{}, {after.name()}, {}});
  BOOST_TEST(std::ranges::count(names, "if/then/assign") == 1);
  check_names(node("if/done").inputs, {"if/else/done:0", "if/then/done:0"});
  BOOST_TEST(std::ranges::count(names, "_end/if") == 1);
}

BOOST_AUTO_TEST_CASE(a_while_becomes_a_frame_with_the_name_of_its_call) {
  auto condition = b.function("condition", one, [](const Builder& f, const Values& in) {
    return Values{f.named("less").op("Less", {in[0], f.named("limit").constant(9.0f)})};
  });
  auto y = b.named("while").op(
      "StatelessWhile", {x}, {{"cond", condition}, {"body", squared}, {"parallel_iterations", 3}});
  check_names(
      run({{}, {y.name()}, {}}),
      {"x", "while/enter_0", "while/merge_0", "while/cond/limit", "while/cond/less",
       "while/goes_on", "while/switch_0", "while/exit_0", "while/pivot", "while/body/square",
       "while/next_0"});
  check_names(node("while/merge_0").inputs, {"while/enter_0:0", "while/next_0:0"});
  check_names(node("while/cond/limit").inputs, {"^while/merge_0"});
  check_names(node("while/next_0").inputs, {"while/body/square:0"});
  BOOST_TEST(*node("while/enter_0").attrs.at("frame_name").get<std::string>() == "while/while");
  BOOST_TEST(*node("while/enter_0").attrs.at("parallel_iterations").get<int64_t>() == 3);
  BOOST_TEST(inlined->graph->name_of(inlined->step.fetches[0]) == "while/exit_0:0");
}

BOOST_AUTO_TEST_CASE(a_remote_call_is_on_its_target) {
  auto target = b.constant(Tensor::scalar<std::string>("/job:worker/task:1/cpu:0"));
  auto y = b.named("call").op(
      "RemoteCall", {target, x}, {{"f", negated}, {"Tout", DTypes{DType::float32}}});
  run({{}, {y.name()}, {}});
  BOOST_TEST(node("call/neg").device == "/job:worker/task:1/device:CPU:0");
}

BOOST_AUTO_TEST_SUITE_END()
