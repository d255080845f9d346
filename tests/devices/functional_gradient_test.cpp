#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

struct ConditionalGradientFixture {
  Builder b;
  GraphRunner runner;
  Value x = b.named("x").placeholder(DType::float32, {});
  Value y = b.named("y").placeholder(DType::float32, {});
  std::vector<FunctionArgument> two = {{"x", DType::float32}, {"y", DType::float32}};
  FunctionRef product = b.function("product", two, [](const Builder& f, const Values& in) {
    return Values{f.square(in[0]) * in[1]};
  });
  /// Does not depend on y.
  FunctionRef cube = b.function("cube", two, [](const Builder& f, const Values& in) {
    return Values{f.square(in[0]) * in[0]};
  });

  Value choose(const Builder& on, const Value& predicate, const Values& inputs) {
    Values all = {predicate};
    all.insert(all.end(), inputs.begin(), inputs.end());
    return on.op(
        "If", all,
        {{"Tout", DTypes{DType::float32}}, {"then_branch", product}, {"else_branch", cube}});
  }
  /// x = x y + 1, n times
  Value power(const Builder& on, const Value& n, const Value& from, const Value& factor) {
    std::vector<FunctionArgument> three = {
        {"n", DType::float32}, {"x", DType::float32}, {"y", DType::float32}};
    auto condition = on.function("is_left", three, [&](const Builder& f, const Values& in) {
      return Values{is_positive(f, in[0])};
    });
    auto body = on.function("turn", three, [](const Builder&, const Values& in) {
      return Values{in[0] - 1.0, in[1] * in[2] + 1.0, in[2]};
    });
    return on.op("While", {n, from, factor}, {{"cond", condition}, {"body", body}}).output(1);
  }
  Value is_positive(const Builder& on, const Value& value) {
    return on.op("Greater", {value, on.constant(0.0f)});
  }
  Value gradient(const Value& of, const Value& with_respect_to) {
    auto made = troupe::gradients(b, {of}, {with_respect_to});
    BOOST_TEST_REQUIRE(made.ok(), made.status().to_string());
    return (*made)[0];
  }
  float number(float at_x, float at_y, const Ref& fetch) {
    auto values = runner.run(b, {{x, Tensor::scalar(at_x)}, {y, Tensor::scalar(at_y)}}, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return (*values)[0].value<float>();
  }
  /// The central difference of `of` at x.
  float slope(float at_x, float at_y, const Ref& of) {
    auto step = 1e-2f;
    return (number(at_x + step, at_y, of) - number(at_x - step, at_y, of)) / (2 * step);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(functional_gradients, ConditionalGradientFixture)

BOOST_AUTO_TEST_CASE(the_gradient_of_an_if_is_that_of_the_function_that_ran) {
  auto z = choose(b, is_positive(b, x), {x, y});
  auto dx = gradient(z, x), dy = gradient(z, y);
  BOOST_TEST(number(3, 5, dx) == 30.0f);
  BOOST_TEST(number(-3, 5, dx) == 27.0f);
  BOOST_TEST(number(3, 5, dy) == 9.0f);
  BOOST_TEST(number(-3, 5, dy) == 0.0f);
  BOOST_TEST(number(3, 5, dx) == slope(3, 5, z), boost::test_tools::tolerance(1e-3f));
  auto second = gradient(dx, x);
  BOOST_TEST(number(3, 5, second) == 10.0f);
  BOOST_TEST(number(-3, 5, second) == -18.0f);
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_case_is_that_of_the_function_that_ran) {
  auto index = b.cast(x, DType::int32);
  auto z = b.op(
      "Case", {index, x, y},
      {{"Tout", DTypes{DType::float32}}, {"branches", FunctionRefs{product, cube, product}}});
  auto dx = gradient(z, x);
  BOOST_TEST(number(0.5f, 5, dx) == 5.0f);
  BOOST_TEST(number(1.5f, 5, dx) == 6.75f);
  BOOST_TEST(number(2.5f, 5, dx) == 25.0f);
}

BOOST_AUTO_TEST_CASE(an_if_in_a_function_or_an_if_has_a_gradient) {
  auto inner = b.function("inner", two, [&](const Builder& f, const Values& in) {
    auto z = choose(f, is_positive(f, in[0]), in);
    return Values{z * in[1]};
  });
  auto z = b.call(inner, {x, y})[0];
  auto dx = gradient(z, x);
  for (auto at : {3.0f, -3.0f})
    BOOST_TEST(number(at, 5, dx) == slope(at, 5, z), boost::test_tools::tolerance(1e-3f));
  auto outer = b.op(
      "If", {is_positive(b, y), x, y},
      {{"Tout", DTypes{DType::float32}}, {"then_branch", inner}, {"else_branch", cube}});
  auto nested = gradient(outer, x);
  for (auto [at_x, at_y] : {std::pair(3.0f, 5.0f), {-3.0f, 5.0f}, {3.0f, -5.0f}})
    BOOST_TEST(
        number(at_x, at_y, nested) == slope(at_x, at_y, outer),
        boost::test_tools::tolerance(1e-3f));
}

BOOST_AUTO_TEST_CASE(random_numbers_of_a_branch_are_those_of_its_gradient) {
  auto noise = b.function("noise", two, [](const Builder& f, const Values& in) {
    return Values{f.random_uniform({}, DType::float32) * in[0]};
  });
  auto z = b.op(
      "If", {is_positive(b, x), x, y},
      {{"Tout", DTypes{DType::float32}}, {"then_branch", noise}, {"else_branch", cube}});
  auto difference = z - x * gradient(z, x);
  BOOST_TEST(number(2, 0, difference) == 0.0f);
}

BOOST_AUTO_TEST_CASE(a_variable_that_one_branch_reads_has_a_gradient) {
  auto v = b.variable("v", b.constant(2.0f));
  auto initialized = runner.run(b, {}, {}, {b.initializer()}).status();
  BOOST_TEST_REQUIRE(initialized.ok(), initialized.to_string());
  std::vector<FunctionArgument> with_handle = {{"x", DType::float32}, {"v", DType::resource, {}}};
  auto read = b.function("read", with_handle, [](const Builder& f, const Values& in) {
    auto value = f.op("ReadVariableOp", {in[1]}, {{"dtype", DType::float32}});
    return Values{in[0] * f.square(value)};
  });
  auto ignore = b.function("ignore", with_handle, [](const Builder& f, const Values& in) {
    return Values{f.neg(in[0])};
  });
  auto z = b.op(
      "If", {is_positive(b, x), x, v.handle},
      {{"Tout", DTypes{DType::float32}}, {"then_branch", read}, {"else_branch", ignore}});
  auto dv = gradient(z, v.handle);
  BOOST_TEST(number(3, 0, dv) == 12.0f);
  BOOST_TEST(number(-3, 0, dv) == 0.0f);
}

BOOST_AUTO_TEST_CASE(an_if_in_a_loop_has_a_gradient) {
  auto loop = while_loop(
      b,
      [](const Builder& f, const Values& v) {
        return f.op("Less", {v[0], f.constant(3.0f)});
      },
      [&](const Builder& f, const Values& v) {
        auto is_first = f.op("Less", {v[0], f.constant(1.0f)});
        return Values{v[0] + 1.0, choose(f, is_first, {v[1], y})};
      },
      {b.constant(0.0f), x});
  auto dx = gradient(loop[1], x);
  BOOST_TEST(number(1.1f, 0.7f, loop[1]) > 0.0f);
  BOOST_TEST(
      number(1.1f, 0.7f, dx) == slope(1.1f, 0.7f, loop[1]), boost::test_tools::tolerance(2e-2f));
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_while_goes_through_its_iterations) {
  auto z = power(b, b.constant(3.0f), x, y);
  auto dx = gradient(z, x), dy = gradient(z, y);
  // z = (((x y + 1) y + 1) y + 1
  BOOST_TEST(number(2, 3, z) == 67.0f);
  BOOST_TEST(number(2, 3, dx) == 27.0f);
  BOOST_TEST(number(2, 3, dy) == 61.0f);
  auto none = power(b, b.constant(0.0f), x, y);
  BOOST_TEST(number(2, 3, gradient(none, x)) == 1.0f);
  BOOST_TEST(number(2, 3, gradient(none, y)) == 0.0f);
}

BOOST_AUTO_TEST_CASE(one_value_may_be_several_variables_of_a_while) {
  auto z = power(b, b.constant(2.0f), x, x);
  BOOST_TEST(number(3, 0, gradient(z, x)) == 28.0f);  // of x^3 + x + 1
}

BOOST_AUTO_TEST_CASE(a_while_in_a_function_or_an_if_has_a_gradient) {
  auto inner = b.function("inner", two, [&](const Builder& f, const Values& in) {
    return Values{power(f, f.constant(2.0f), in[0], in[1]) * in[1]};
  });
  auto z = b.call(inner, {x, y})[0];
  auto dy = gradient(z, y);
  BOOST_TEST(number(2, 3, dy) == 61.0f);  // of (x y^2 + y + 1) y
  auto chosen = b.op(
      "If", {is_positive(b, x), x, y},
      {{"Tout", DTypes{DType::float32}}, {"then_branch", inner}, {"else_branch", cube}});
  auto of_if = gradient(chosen, y);
  BOOST_TEST(number(2, 3, of_if) == 61.0f);
  BOOST_TEST(number(-2, 3, of_if) == 0.0f);
}

BOOST_AUTO_TEST_CASE(a_while_with_an_if_and_a_variable_has_a_gradient) {
  auto v = b.variable("v", b.constant(2.0f));
  auto initialized = runner.run(b, {}, {}, {b.initializer()}).status();
  BOOST_TEST_REQUIRE(initialized.ok(), initialized.to_string());
  std::vector<FunctionArgument> three = {
      {"n", DType::float32}, {"x", DType::float32}, {"v", DType::resource, {}}};
  auto condition = b.function("some", three, [&](const Builder& f, const Values& in) {
    return Values{is_positive(f, in[0])};
  });
  auto body = b.function("grow", three, [&](const Builder& f, const Values& in) {
    auto value = f.op("ReadVariableOp", {in[2]}, {{"dtype", DType::float32}});
    auto is_last = f.op("Less", {in[0], f.constant(2.0f)});
    return Values{in[0] - 1.0, choose(f, is_last, {in[1], value}), in[2]};
  });
  auto loop = b.op("While", {b.constant(2.0f), x, v.handle}, {{"cond", condition}, {"body", body}});
  // x^3, then its square times v
  auto dx = gradient(loop.output(1), x), dv = gradient(loop.output(1), v.handle);
  BOOST_TEST(number(2, 0, loop.output(1)) == 128.0f);
  BOOST_TEST(number(2, 0, dx) == 384.0f);
  BOOST_TEST(number(2, 0, dv) == 64.0f);
}

BOOST_AUTO_TEST_CASE(a_function_with_branches_and_loops_of_a_builder_has_a_gradient) {
  auto f = b.function("f", two, [&](const Builder& f, const Values& in) {
    auto chosen = cond(
        f, is_positive(f, in[0]), [&](const Builder& g) { return Values{g.square(in[0]) * in[1]}; },
        [&](const Builder& g) { return Values{g.neg(in[0])}; });
    auto loop = while_loop(
        f,
        [](const Builder& g, const Values& v) {
          return g.op("Less", {v[0], g.constant(2.0f)});
        },
        [&](const Builder& g, const Values& v) {
          return Values{v[0] + 1.0, v[1] * in[1] * g.square(v[1])};
        },
        {f.constant(0.0f), chosen[0]});
    return Values{loop[1]};
  });
  auto z = b.call(f, {x, y})[0];
  auto dx = gradient(z, x), dy = gradient(z, y);
  // z = (c^3 y)^3 y = c^9 y^4, where c = x^2 y or -x
  BOOST_TEST(number(1, 2, z) == 8192.0f);
  BOOST_TEST(number(1, 2, dx) == 147456.0f);
  BOOST_TEST(number(1, 2, dy) == 53248.0f);
  BOOST_TEST(number(-1, 2, dx) == -144.0f);
  BOOST_TEST(number(-1, 2, dy) == 32.0f);
}

BOOST_AUTO_TEST_CASE(a_variable_that_a_loop_of_a_function_reads_has_a_gradient) {
  auto v = b.variable("v", b.constant(2.0f));
  auto initialized = runner.run(b, {}, {}, {b.initializer()}).status();
  BOOST_TEST_REQUIRE(initialized.ok(), initialized.to_string());
  auto f = b.function(
      "f", {{"x", DType::float32}, {"v", DType::resource, {}}},
      [&](const Builder& f, const Values& in) {
        auto loop = while_loop(
            f,
            [](const Builder& g, const Values& n) {
              return g.op("Less", {n[0], g.constant(3.0f)});
            },
            [&](const Builder& g, const Values& n) {
              auto value = g.op("ReadVariableOp", {in[1]}, {{"dtype", DType::float32}});
              return Values{n[0] + 1.0, n[1] * value};
            },
            {f.constant(0.0f), in[0]});
        return cond(
            f, is_positive(f, loop[1]), [&](const Builder&) { return Values{loop[1]}; },
            [&](const Builder& g) { return Values{g.square(loop[1])}; });
      });
  auto z = b.call(f, {x, v.handle})[0];
  auto dx = gradient(z, x), dv = gradient(z, v.handle);
  BOOST_TEST(number(3, 0, dx) == 8.0f);
  BOOST_TEST(number(3, 0, dv) == 36.0f);
  BOOST_TEST(number(-1, 0, dx) == -128.0f);
  BOOST_TEST(number(-1, 0, dv) == 192.0f);
}

BOOST_AUTO_TEST_CASE(a_function_whose_attributes_tell_wrong_branches_has_no_gradient) {
  b.function("f", two, [&](const Builder& f, const Values& in) {
    return cond(
        f, is_positive(f, in[0]), [&](const Builder&) { return Values{in[0]}; },
        [&](const Builder&) { return Values{in[1]}; });
  });
  auto def = (*b.graph().library().find("f"))->def;
  for (const std::string wrong : {"", "9 9 9 9", "-1 0 -1 7 10 0 - - - -", "-1 1 -1 0 10 1 x"}) {
    auto changed = def;
    changed.name += std::to_string(wrong.size());
    changed.nodes[0].attrs["_contexts"] = std::vector<std::string>{wrong};
    auto added = b.add_functions({changed});
    BOOST_TEST_REQUIRE(added.ok(), added.to_string());
    auto z = b.call(FunctionRef(changed.name), {x, y})[0];
    auto status = troupe::gradients(b, {z}, {x}).status();
    BOOST_TEST((status.code() == Code::invalid_argument), wrong << ": " << status.to_string());
    BOOST_TEST(!b.take_status().ok());
  }
}

BOOST_AUTO_TEST_CASE(a_while_that_draws_random_numbers_has_no_gradient) {
  auto condition = b.function("some", two, [&](const Builder& f, const Values& in) {
    return Values{is_positive(f, in[0])};
  });
  auto body = b.function("shake", two, [](const Builder& f, const Values& in) {
    return Values{in[0] - 1.0, in[1] * f.random_uniform({}, DType::float32)};
  });
  auto loop = b.named("loop").op("While", {x, y}, {{"cond", condition}, {"body", body}});
  BOOST_TEST(
      troupe::gradients(b, {loop.output(1)}, {y}).status().to_string() ==
      "Unimplemented: there is no gradient of a loop whose function 'shake' draws random numbers "
      "or changes state [node 'loop' (While)]");
}

BOOST_AUTO_TEST_CASE(a_call_in_a_loop_has_a_gradient) {
  auto loop = while_loop(
      b,
      [](const Builder& f, const Values& v) {
        return f.op("Less", {v[0], f.constant(2.0f)});
      },
      [&](const Builder& f, const Values& v) {
        return Values{v[0] + 1.0, f.call(product, {v[1], y})[0]};
      },
      {b.constant(0.0f), x});
  BOOST_TEST(number(2, 3, gradient(loop[1], x)) == 864.0f);  // of x^4 y^3
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
