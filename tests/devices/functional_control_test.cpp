#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

struct ControlFixture {
  Builder b;
  GraphRunner runner;
  Value x = b.named("x").placeholder(DType::float32, {});
  FunctionRef twice = unary("twice", [](const Value& v) { return v * 2.0; });
  FunctionRef thrice = unary("thrice", [](const Value& v) { return v * 3.0 + 1.0; });

  FunctionRef unary(const char* name, const std::function<Value(const Value&)>& body) {
    return b.function(name, {{"x", DType::float32}}, [&](const Builder&, const Values& in) {
      return Values{body(in[0])};
    });
  }
  Value choose(const Builder& on, const Value& predicate, const Value& input) {
    return on.op(
        "StatelessIf", {predicate, input},
        {{"Tout", DTypes{DType::float32}}, {"then_branch", twice}, {"else_branch", thrice}});
  }
  Value pick(const Builder& on, const Value& index, const Value& input) {
    auto negate = unary("negate", [](const Value& v) { return -v; });
    return on.op(
        "Case", {index, input},
        {{"Tout", DTypes{DType::float32}}, {"branches", FunctionRefs{twice, thrice, negate}}});
  }
  /// (n, x) while n > 0: (n - 1, x + n)
  Value sum(const Builder& on, const Value& n, const Value& start, const char* op = "While") {
    std::vector<FunctionArgument> two = {{"n", DType::float32}, {"x", DType::float32}};
    auto condition = on.function("is_positive", two, [](const Builder& f, const Values& in) {
      return Values{f.op("Greater", {in[0], f.constant(0.0f)})};
    });
    auto body = on.function("add", two, [](const Builder&, const Values& in) {
      return Values{in[0] - 1.0, in[1] + in[0]};
    });
    return on.op(op, {n, start}, {{"cond", condition}, {"body", body}}).output(1);
  }
  /// Adds to a variable, and has no results.
  FunctionRef add_to_variable(float change) {
    return b.function(
        "add" + std::to_string(static_cast<int>(change)), {{"v", DType::resource, {}}},
        [&](const Builder& f, const Values& in) {
          f.op("AssignAddVariableOp", {in[0], f.constant(change)});
          return Values();
        });
  }

  std::vector<Feed> at(float number) const { return {{x, Tensor::scalar(number)}}; }
  Result<Tensors> run(const std::vector<Feed>& feeds, const Ref& fetch) {
    return runner.run(b, feeds, {fetch});
  }
  float number(const std::vector<Feed>& feeds, const Ref& fetch) {
    auto values = run(feeds, fetch);
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return (*values)[0].value<float>();
  }
  float value_of(const Variable& variable) { return number({}, variable.value()); }
  void initialize() {
    auto status = runner.run(b, {}, {}, {b.initializer()}).status();
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(functional_control, ControlFixture)

BOOST_AUTO_TEST_CASE(an_if_runs_the_function_that_its_condition_chooses) {
  auto y = choose(b, b.op("Greater", {x, b.constant(0.0f)}), x);
  BOOST_TEST(number(at(9), y) == 18.0f);
  BOOST_TEST(number(at(-8), y) == -23.0f);
  BOOST_TEST(number({{y, Tensor::scalar(5.0f)}}, b.neg(y)) == -5.0f);
}

BOOST_AUTO_TEST_CASE(a_condition_that_is_no_bool_is_true_as_in_tensorflow) {
  auto truth = [&](const Tensor& value, const Shape& shape) {
    auto condition = b.placeholder(value.dtype(), shape);
    auto y = choose(b, condition, b.constant(1.0f));
    return number({{condition, value}}, y) == 2.0f;
  };
  auto any = Shape::unknown_rank();
  for (const auto& shape : {Shape(), any}) {
    BOOST_TEST(truth(Tensor::scalar(0.5f), shape));
    BOOST_TEST(!truth(Tensor::scalar<int32_t>(0), shape));
    BOOST_TEST(truth(Tensor::scalar<std::string>("no"), shape));
    BOOST_TEST(!truth(Tensor::scalar<std::string>(""), shape));
  }
  for (const auto& shape : {Shape{Shape::unknown}, any}) {
    BOOST_TEST(truth(Tensor::of<float>({1}, {0.0f}), shape));
    BOOST_TEST(!truth(Tensor::of<float>({0}, std::span<const float>()), shape));
  }
  BOOST_TEST(truth(Tensor::of<bool>({1}, {false}), Shape{1}));
}

BOOST_AUTO_TEST_CASE(a_case_runs_the_last_function_for_an_index_without_one) {
  auto index = b.placeholder(DType::int32, {});
  auto y = pick(b, index, x);
  auto of = [&](int32_t i) { return number({at(2)[0], {index, Tensor::scalar(i)}}, y); };
  BOOST_TEST(of(0) == 4.0f);
  BOOST_TEST(of(1) == 7.0f);
  BOOST_TEST(of(2) == -2.0f);
  BOOST_TEST(of(3) == -2.0f);
  BOOST_TEST(of(-1) == -2.0f);
}

BOOST_AUTO_TEST_CASE(a_while_runs_until_its_condition_is_false) {
  auto y = sum(b, x, b.constant(0.0f));
  BOOST_TEST(number(at(20), y) == 210.0f);
  BOOST_TEST(number(at(100), y) == 5050.0f);
  BOOST_TEST(number(at(-1), y) == 0.0f);
}

BOOST_AUTO_TEST_CASE(the_shape_of_a_loops_variable_may_change) {
  std::vector<FunctionArgument> one = {{"x", DType::float32}};
  auto condition = b.function("is_short", one, [](const Builder& f, const Values& in) {
    return Values{f.op("Less", {f.op("Size", {in[0]}), f.constant<int32_t>(10)})};
  });
  auto body = b.function("double", one, [](const Builder& f, const Values& in) {
    return Values{f.op("ConcatV2", {in[0], in[0], f.constant<int32_t>(0)})};
  });
  auto y = b.op(
      "StatelessWhile", {b.constant(Tensor::of<float>({2}, {1, 2}))},
      {{"cond", condition}, {"body", body}});
  BOOST_TEST((y.shape() == Shape{Shape::unknown}));
  auto values = run({}, y);
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  BOOST_TEST((*values)[0].shape()[0] == 16);
}

BOOST_AUTO_TEST_CASE(a_for_counts_up_or_down) {
  auto body = b.function(
      "weigh", {{"i", DType::int32}, {"x", DType::float32}},
      [](const Builder& f, const Values& in) {
        return Values{in[1] * 10.0 + f.cast(in[0], DType::float32)};
      });
  auto run_for = [&](int32_t start, int32_t limit, int32_t delta) {
    auto y = b.op(
        "For", {b.constant(start), b.constant(limit), b.constant(delta), b.constant(0.0f)},
        {{"body", body}});
    return run({}, y);
  };
  auto of = [&](int32_t start, int32_t limit, int32_t delta) {
    auto values = run_for(start, limit, delta);
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return (*values)[0].value<float>();
  };
  BOOST_TEST(of(1, 4, 1) == 123.0f);
  BOOST_TEST(of(1, 6, 2) == 135.0f);
  BOOST_TEST(of(1, 5, 2) == 13.0f);
  BOOST_TEST(of(9, 5, -2) == 97.0f);
  BOOST_TEST(of(3, 3, 0) == 0.0f);
  BOOST_TEST(of(3, 3, 1) == 0.0f);
  for (auto [start, limit, delta] : {std::tuple(0, 10, -1), {1, 0, 10}, {0, 1, 0}}) {
    auto status = run_for(start, limit, delta).status();
    BOOST_TEST((status.code() == Code::invalid_argument));
    BOOST_TEST(
        status.message().find("Invalid start/limit/delta") != std::string::npos,
        status.to_string());
  }
}

BOOST_AUTO_TEST_CASE(only_the_chosen_function_changes_a_variable) {
  auto v = b.variable("v", b.constant(1.0f));
  initialize();
  auto condition = b.placeholder(DType::boolean, {});
  auto call = b.op(
      "If", {condition, v.handle},
      {{"Tout", DTypes()},
       {"then_branch", add_to_variable(10)},
       {"else_branch", add_to_variable(100)}});
  auto choose = [&](bool value) {
    auto status = runner.run(b, {{condition, Tensor::scalar(value)}}, {}, {call}).status();
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    return value_of(v);
  };
  BOOST_TEST(choose(true) == 11.0f);
  BOOST_TEST(choose(false) == 111.0f);
}

BOOST_AUTO_TEST_CASE(who_waits_for_an_if_waits_for_the_function_that_ran) {
  auto v = b.variable("v", b.constant(1.0f));
  initialize();
  for (auto value : {true, false}) {
    auto call = b.op(
        "If", {b.constant(value), v.handle},
        {{"Tout", DTypes()},
         {"then_branch", add_to_variable(10)},
         {"else_branch", add_to_variable(100)}});
    auto read = b.after({call}).op("ReadVariableOp", {v.handle}, {{"dtype", DType::float32}});
    BOOST_TEST(number({}, read) == (value ? 11.0f : 111.0f));
  }
}

BOOST_AUTO_TEST_CASE(an_iteration_sees_what_the_one_before_changed) {
  auto v = b.variable("v", b.constant(1.0f));
  initialize();
  std::vector<FunctionArgument> two = {{"n", DType::int32}, {"v", DType::resource, {}}};
  auto condition = b.function("left", two, [](const Builder& f, const Values& in) {
    return Values{f.op("Greater", {in[0], f.constant<int32_t>(0)})};
  });
  auto body = b.function("grow", two, [](const Builder& f, const Values& in) {
    auto value = f.op("ReadVariableOp", {in[1]}, {{"dtype", DType::float32}});
    f.op("AssignVariableOp", {in[1], value * 2.0});
    return Values{f.op("Sub", {in[0], f.constant<int32_t>(1)}), f.identity(in[1])};
  });
  auto loop =
      b.op("While", {b.constant<int32_t>(10), v.handle}, {{"cond", condition}, {"body", body}});
  auto after = b.after({loop}).op("ReadVariableOp", {v.handle}, {{"dtype", DType::float32}});
  BOOST_TEST(number({}, after) == 1024.0f);
  // The handle that leaves the loop is the one that entered it.
  auto through = b.op("ReadVariableOp", {loop.output(1)}, {{"dtype", DType::float32}});
  BOOST_TEST(number({}, b.after({loop}).identity(through)) > 0.0f);
}

BOOST_AUTO_TEST_CASE(branches_and_loops_are_nested_in_functions_and_in_each_other) {
  auto inner =
      b.function("inner", {{"n", DType::float32}}, [&](const Builder& f, const Values& in) {
        auto is_large = f.op("Greater", {in[0], f.constant(2.0f)});
        return Values{sum(f, choose(f, is_large, in[0]), f.constant(1.0f), "StatelessWhile")};
      });
  BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
  std::vector<FunctionArgument> two = {{"i", DType::float32}, {"x", DType::float32}};
  auto condition = b.function("is_left", two, [](const Builder& f, const Values& in) {
    return Values{f.op("Greater", {in[0], f.constant(0.0f)})};
  });
  auto body = b.function("turn", two, [&](const Builder& f, const Values& in) {
    return Values{in[0] - 1.0, in[1] + f.call(inner, {in[0]})[0]};
  });
  auto y = b.op("While", {x, b.constant(0.0f)}, {{"cond", condition}, {"body", body}}).output(1);
  // For 3: 1 + 1..6, for 2: 1 + 1..7, for 1: 1 + 1..4.
  BOOST_TEST(number(at(3), y) == 62.0f);
  auto in_loop = while_loop(
      b,
      [](const Builder& f, const Values& v) {
        return f.op("Less", {v[0], f.constant(4.0f)});
      },
      [&](const Builder& f, const Values& v) {
        return Values{v[0] + 1.0, v[1] + f.call(inner, {v[0]})[0]};
      },
      {b.constant(1.0f), b.constant(0.0f)});
  BOOST_TEST(number({}, in_loop[1]) == 62.0f);
}

BOOST_AUTO_TEST_CASE(a_loop_that_changes_a_resource_is_refused) {
  std::vector<FunctionArgument> two = {{"v", DType::resource, {}}, {"w", DType::resource, {}}};
  auto condition = b.function(
      "never", two, [](const Builder& f, const Values&) { return Values{f.constant(false)}; });
  auto body = b.function("swap", two, [](const Builder&, const Values& in) {
    return Values{in[1], in[0]};
  });
  auto v = b.variable("v", b.constant(1.0f)), w = b.variable("w", b.constant(2.0f));
  auto loop =
      b.named("loop").op("While", {v.handle, w.handle}, {{"cond", condition}, {"body", body}});
  BOOST_TEST(
      runner.run(b, {}, {}, {loop}).status().to_string() ==
      "Unimplemented: the body 'swap' of a loop gives another resource for 'v' than it was given; "
      "a loop hands resources on unchanged [node 'loop' (While)]");
}

BOOST_AUTO_TEST_CASE(a_remote_call_runs_its_function) {
  Attrs attrs = {{"f", twice}, {"Tout", DTypes{DType::float32}}};
  auto target = b.constant(Tensor::scalar<std::string>("/device:CPU:0"));
  BOOST_TEST(number(at(4), b.op("RemoteCall", {target, x}, attrs)) == 8.0f);
  auto fed = b.named("target").placeholder(DType::string, {});
  auto call = b.named("call").op("RemoteCall", {fed, x}, attrs);
  BOOST_TEST(
      runner.run(b, {{fed, Tensor::scalar<std::string>("/device:CPU:0")}, at(4)[0]}, {call})
          .status()
          .to_string() ==
      "Unimplemented: the target 'target:0' of a RemoteCall must be a constant: a step is placed "
      "before it runs [node 'call' (RemoteCall)]");
}

BOOST_AUTO_TEST_CASE(a_symbolic_gradient_has_the_derivatives_of_its_function) {
  auto f = b.function(
      "f", {{"x", DType::float32}, {"y", DType::float32}, {"i", DType::int32}},
      [](const Builder& in, const Values& v) {
        return Values{in.square(v[0]) * 3.0, v[1]};
      });
  auto dy = b.constant(2.0f), zero = b.constant(0.0f);
  auto gradient = b.op(
      "SymbolicGradient", {x, zero, b.constant<int32_t>(7), dy, dy},
      {{"f", f}, {"Tout", DTypes{DType::float32, DType::float32, DType::int32}}});
  BOOST_TEST(number(at(5), gradient) == 60.0f);
  BOOST_TEST(number(at(5), gradient.output(1)) == 2.0f);
  auto values = run(at(5), gradient.output(2));
  BOOST_REQUIRE(values.ok());
  BOOST_TEST((*values)[0].value<int32_t>() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
