#include "troupe/graph/passes/inline_functions.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "troupe/graph/build/gradients.hpp"

using namespace troupe;

namespace {

using Names = std::vector<std::string>;

struct Fixture {
  Builder b;
  Value x = b.named("x").placeholder(DType::float32, {});
  /// -x on the parameter servers, and 2 on the call's device.
  FunctionRef f =
      b.function("f", {{"x", DType::float32}}, [](const Builder& in, const Values& arguments) {
        auto two = in.named("two").constant(2.0f);
        return Values{
            in.on("/job:ps").named("neg").neg(arguments[0]),
            in.named("double").mul(two, arguments[0])};
      });
  std::unique_ptr<InlinedStep> inlined;

  Result<std::unique_ptr<InlinedStep>> inline_step(const StepSignature& signature) {
    BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
    auto step = prune(b.graph(), signature);
    BOOST_REQUIRE(step.ok());
    return inline_functions(b.graph(), signature, *step);
  }
  /// The names of the nodes that run.
  Names run(const StepSignature& signature) {
    auto result = inline_step(signature);
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
  std::string fetch(size_t index) { return inlined->graph->name_of(inlined->step.fetches[index]); }
};

void check(const Names& got, const Names& wanted) {
  BOOST_TEST(got == wanted, boost::test_tools::per_element());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(inline_functions_pass, Fixture)

BOOST_AUTO_TEST_CASE(a_step_without_calls_is_not_copied) {
  b.call(f, {x});
  auto y = b.neg(x);
  auto result = inline_step({{}, {y.name()}, {}});
  BOOST_REQUIRE(result.ok());
  BOOST_TEST((*result == nullptr));
}

BOOST_AUTO_TEST_CASE(nodes_have_the_name_of_their_call_and_only_those_needed_run) {
  auto y = b.named("call").call(f, {x});
  check(run({{}, {y[0].name()}, {}}), {"x", "call/neg"});
  BOOST_TEST(fetch(0) == "call/neg:0");
  check(run({{}, {y[1].name()}, {}}), {"x", "call/two", "call/double"});
  auto after = b.named("after").add(y[0], y[1]);
  check(run({{}, {after.name()}, {}}), {"x", "call/two", "call/neg", "call/double", "after"});
  check(node("after").inputs, {"call/neg:0", "call/double:0"});
}

BOOST_AUTO_TEST_CASE(a_name_that_the_graph_has_is_made_another_one) {
  b.named("call/neg").neg(x);
  auto y = b.named("call").call(f, {x});
  check(run({{}, {y[0].name()}, {}}), {"x", "call/neg_1"});
}

BOOST_AUTO_TEST_CASE(open_fields_of_a_device_are_those_of_the_call) {
  auto y = b.on("/job:worker/task:1/device:CPU:0").named("call").call(f, {x});
  run({{}, {y[0].name(), y[1].name()}, {}});
  BOOST_TEST(node("call/neg").device == "/job:ps/task:1/device:CPU:0");
  BOOST_TEST(node("call/double").device == "/job:worker/task:1/device:CPU:0");
  auto free = b.named("free").call(f, {x});
  run({{}, {free[0].name(), free[1].name()}, {}});
  BOOST_TEST(node("free/neg").device == "/job:ps");
  BOOST_TEST(node("free/double").device == "");
}

BOOST_AUTO_TEST_CASE(what_a_call_waits_for_all_its_nodes_wait_for) {
  auto first = b.named("first").constant(1.0f), second = b.named("second").constant(1.0f);
  auto y = b.after({first}).named("call").call(f, {x});
  run({{}, {y[0].name(), y[1].name()}, {}});
  check(node("call/neg").inputs, {"x:0", "^first"});
  check(node("call/two").inputs, {"^first"});
  check(node("call/double").inputs, {"call/two:0", "x:0"});
  auto z = b.after({first, second}).named("both").call(f, {x});
  run({{}, {z[0].name()}, {}});
  check(node("_start/both").inputs, {"^first", "^second"});
  check(node("both/neg").inputs, {"x:0", "^_start/both"});
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_call_waits_for_results_and_effects) {
  auto v = b.named("v").op("VarHandleOp", {}, {{"dtype", DType::float32}, {"shape", Shape()}});
  auto set = b.function(
      "set", {{"v", DType::resource}, {"x", DType::float32}},
      [](const Builder& in, const Values& arguments) {
        in.named("assign").op("AssignVariableOp", {arguments[0], arguments[1]});
        in.named("unused").neg(arguments[1]);
        return Values{in.named("y").neg(arguments[1])};
      });
  auto call = b.named("call").call(set, {v, x});
  auto after = b.after({call[0]}).named("after").neg(x);
  check(run({{}, {after.name()}, {}}), {"x", "v", "call/assign", "call/y", "_end/call", "after"});
  check(node("after").inputs, {"x:0", "^_end/call"});
  check(node("_end/call").inputs, {"^call/assign", "^call/y"});
  check(run({{}, {}, {"call"}}), {"x", "v", "call/assign", "call/y", "_end/call"});
  check(run({{}, {call[0].name()}, {}}), {"x", "v", "call/assign", "call/y"});
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_call_waits_for_what_leaves_its_branches) {
  auto v = b.named("v").op("VarHandleOp", {}, {{"dtype", DType::float32}, {"shape", Shape()}});
  auto choose = b.function(
      "choose", {{"v", DType::resource}, {"x", DType::float32}, {"p", DType::boolean}},
      [](const Builder& in, const Values& arguments) {
        auto each = in.named("switch").op("Switch", {arguments[1], arguments[2]});
        auto then = in.named("then").neg(each.output(1));
        in.named("assign").op("AssignVariableOp", {arguments[0], then});
        return Values{in.named("merge").op("Merge", {each.output(0), then}).output(0)};
      });
  auto p = b.named("p").placeholder(DType::boolean, {});
  auto call = b.named("call").call(choose, {v, x, p});
  auto after = b.after({call[0]}).named("after").neg(x);
  auto names = run({{}, {after.name()}, {}});
  check(node("_end/call").inputs, {"^call/merge"});
  BOOST_TEST(std::ranges::count(names, "call/assign") == 1);
}

BOOST_AUTO_TEST_CASE(outputs_of_calls_are_fed_and_fetched) {
  auto y = b.named("call").call(f, {x});
  auto sum = b.named("sum").add(y[0], y[1]);
  check(run({{"call:0"}, {"sum:0"}, {}}), {"x", "call/two", "call/double", "sum"});
  BOOST_TEST(inlined->graph->name_of(inlined->step.feeds[0]) == "call:0");
  check(run({{"call:0"}, {"sum:0", "call:0"}, {}}), {"x", "call/two", "call/double", "sum"});
  BOOST_TEST((inlined->step.fetches[1] == inlined->step.feeds[0]));
  auto all_fed = inline_step({{"call:0", "call:1"}, {"sum:0", "call:1"}, {}});
  BOOST_REQUIRE(all_fed.ok());
  BOOST_TEST((*all_fed == nullptr));  // the call does not run

  auto same = b.function("same", {{"x", DType::float32}}, [](const Builder&, const Values& in) {
    return Values{in[0]};
  });
  auto z = b.named("same").call(same, {x});
  check(run({{"x:0"}, {z[0].name()}, {}}), {"_fetch/same/0"});
  check(node("_fetch/same/0").inputs, {"x:0"});
}

BOOST_AUTO_TEST_CASE(calls_in_functions_are_replaced_with_what_they_wait_for) {
  auto outer = b.function(
      "outer", {{"x", DType::float32}}, [this](const Builder& in, const Values& arguments) {
        auto inner = in.on("/device:CPU:0").named("inner").call(f, arguments);
        return Values{in.named("sum").add(inner[0], inner[1])};
      });
  auto first = b.named("first").constant(1.0f);
  auto y = b.on("/task:1").after({first}).named("call").call(outer, {x});
  check(
      run({{}, {y[0].name()}, {}}),
      {"x", "first", "call/inner/two", "call/inner/neg", "call/inner/double", "call/sum"});
  check(node("call/inner/two").inputs, {"^first"});
  BOOST_TEST(node("call/inner/neg").device == "/job:ps/task:1/device:CPU:0");
  check(node("call/sum").inputs, {"call/inner/neg:0", "call/inner/double:0"});
}

BOOST_AUTO_TEST_CASE(colocation_in_a_function_is_that_of_its_nodes) {
  auto named = b.function(
      "named", {{"arg", DType::float32}}, [](const Builder& in, const Values& arguments) {
        auto a = in.named("a").neg(arguments[0]);
        auto with = [&](const char* name, const char* other) {
          return in.named(name).op("Neg", {a}, {{"_class", std::vector<std::string>{other}}});
        };
        return Values{in.add(with("p", "loc:@a"), with("q", "loc:@arg"))};
      });
  auto y = b.named("call").call(named, {x});
  run({{}, {y[0].name()}, {}});
  auto classes = [&](const char* name) {
    return node(name).attrs.at("_class").get<std::vector<std::string>>()->at(0);
  };
  BOOST_TEST(classes("call/p") == "loc:@call/a");
  BOOST_TEST(classes("call/q") == "loc:@x");
}

BOOST_AUTO_TEST_CASE(a_step_with_too_many_nodes_of_functions_is_refused) {
  auto last = b.function("f0", {{"x", DType::float32}}, [](const Builder& in, const Values& xs) {
    auto y = xs[0];
    for (int i = 0; i < 100; ++i) y = in.neg(y);
    return Values{y};
  });
  for (auto name : {"f1", "f2", "f3"})
    last = b.function(name, {{"x", DType::float32}}, [&](const Builder& in, const Values& xs) {
      auto y = xs[0];
      for (int i = 0; i < 20; ++i) y = in.call(last, {y})[0];
      return Values{y};
    });
  auto once = b.named("once").call(last, {x})[0];
  auto twice = b.named("twice").call(last, {once})[0];
  auto status = inline_step({{}, {twice.name()}, {}}).status();
  BOOST_TEST(
      status.to_string() ==
      "InvalidArgument: the functions that the step calls have more than 1000000 nodes [node "
      "'twice' (PartitionedCall)]");
}

BOOST_AUTO_TEST_CASE(a_gradient_uses_the_nodes_of_its_call) {
  auto noise = b.function(
      "noise", {{"x", DType::float32, {}}}, [](const Builder& in, const Values& arguments) {
        return Values{
            in.named("y").mul(in.named("draw").random_uniform({}, DType::float32), arguments[0])};
      });
  auto y = b.named("call").call(noise, {x});
  auto dx = gradients(b, {y[0]}, {x});
  BOOST_TEST_REQUIRE(dx.ok(), dx.status().to_string());
  auto names = run({{}, {(*dx)[0].name()}, {}});
  auto draws = std::ranges::count_if(
      names, [this](const std::string& name) { return node(name).op == "RandomUniform"; });
  BOOST_TEST(draws == 1);
  BOOST_TEST(std::ranges::count(names, "call/y") == 0);  // the gradient does not need it
}

BOOST_AUTO_TEST_SUITE_END()
