#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/run_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct WhileFixture {
  Builder b;
  GraphRunner runner;

  double run(const Value& fetch, const std::vector<Feed>& feeds = {}) {
    auto values = runner.run(b, feeds, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    const auto& value = (*values)[0];
    return value.dtype() == DType::int32 ? value.value<int32_t>() : value.value<double>();
  }
  Value number(double value) { return b.constant<double>(value); }
  Value gradient(const Value& y, const Value& x) {
    auto made = gradients(b, {y}, {x});
    BOOST_TEST_REQUIRE(made.ok(), made.status().to_string());
    return (*made)[0];
  }

  /// x multiplied with itself `times` times, in a loop.
  Value power(const Value& x, int times) {
    auto limit = b.constant<int32_t>(times);
    return while_loop(
        b,
        [&](const Builder& b, const Values& v) {
          return b.op("Less", {v[0], limit});
        },
        [&](const Builder& b, const Values& v) {
          return Values{b.add(v[0], b.constant<int32_t>(1)), b.mul(v[1], x)};
        },
        {b.constant<int32_t>(0), number(1)})[1];
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(while_loops, WhileFixture)

BOOST_AUTO_TEST_CASE(a_conditional_gives_the_results_of_the_branch_that_its_predicate_chooses) {
  auto x = b.placeholder(DType::float64, Shape());
  auto y = cond(
      b, b.op("Less", {x, number(0)}), [&](const Builder& b) { return Values{b.neg(x)}; },
      [&](const Builder& b) { return Values{b.square(x)}; })[0];
  BOOST_TEST(run(y, {{x, Tensor::scalar(-3.0)}}) == 3);
  BOOST_TEST(run(y, {{x, Tensor::scalar(5.0)}}) == 25);
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_conditional_is_that_of_its_branch) {
  auto x = b.placeholder(DType::float64, Shape());
  auto z = b.placeholder(DType::float64, Shape());
  auto y = cond(
      b, b.op("Less", {x, number(0)}), [&](const Builder& b) { return Values{b.mul(x, z)}; },
      [&](const Builder& b) { return Values{b.square(x)}; })[0];
  auto dx = gradient(y, x);
  auto dz = gradient(y, z);
  for (auto given : {-3.0, 5.0}) {
    std::vector<Feed> feeds = {{x, Tensor::scalar(given)}, {z, Tensor::scalar(7.0)}};
    BOOST_TEST(run(dx, feeds) == (given < 0 ? 7 : 10));
    BOOST_TEST(run(dz, feeds) == (given < 0 ? -3 : 0));
  }
}

BOOST_AUTO_TEST_CASE(a_conditional_has_second_derivatives) {
  auto x = b.placeholder(DType::float64, Shape());
  auto y = cond(
      b, b.op("Less", {x, number(0)}), [&](const Builder& b) { return Values{b.neg(x)}; },
      [&](const Builder& b) { return Values{b.mul(b.square(x), x)}; })[0];
  auto second = gradient(gradient(y, x), x);
  BOOST_TEST(run(second, {{x, Tensor::scalar(2.0)}}) == 12);
  BOOST_TEST(run(second, {{x, Tensor::scalar(-2.0)}}) == 0);
}

BOOST_AUTO_TEST_CASE(a_value_of_a_branch_cannot_be_used_outside_of_it) {
  auto x = b.placeholder(DType::float64, Shape());
  Value inner;
  cond(
      b, b.op("Less", {x, number(0)}), [&](const Builder& b) { return Values{inner = b.neg(x)}; },
      [&](const Builder&) { return Values{x}; });
  b.neg(inner);
  BOOST_TEST(b.status().message().find("return it as a result") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(branches_with_other_numbers_of_results_are_an_error) {
  auto x = b.placeholder(DType::float64, Shape());
  cond(
      b, b.op("Less", {x, number(0)}), [&](const Builder&) { return Values{x}; },
      [&](const Builder&) {
        return Values{x, x};
      });
  BOOST_TEST((b.status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_loop_gives_its_variables_as_they_are_after_the_last_iteration) {
  BOOST_TEST(run(power(number(2), 10)) == 1024);
}

BOOST_AUTO_TEST_CASE(a_loop_in_a_conditional_and_a_conditional_in_a_loop) {
  auto x = b.placeholder(DType::float64, Shape());
  auto y = cond(
      b, b.op("Less", {x, number(0)}), [&](const Builder&) { return Values{power(x, 3)}; },
      [&](const Builder& b) {
        return Values{while_loop(
            b,
            [&](const Builder& b, const Values& v) {
              return b.op("Less", {v[0], number(100)});
            },
            [&](const Builder& b, const Values& v) {
              return cond(
                  b, b.op("Less", {v[0], number(10)}),
                  [&](const Builder& b) { return Values{b.mul(v[0], x)}; },
                  [&](const Builder& b) { return Values{b.add(v[0], number(50))}; });
            },
            {x})[0]};
      })[0];
  BOOST_TEST(run(y, {{x, Tensor::scalar(-2.0)}}) == -8);
  BOOST_TEST(run(y, {{x, Tensor::scalar(3.0)}}) == 127);  // 3 9 27 77 127
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_loop_goes_through_its_iterations_in_reverse_order) {
  auto x = b.placeholder(DType::float64, Shape());
  auto dx = gradient(power(x, 5), x);
  BOOST_TEST(run(dx, {{x, Tensor::scalar(2.0)}}) == 80);
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_loop_that_does_not_run_is_that_of_what_enters_it) {
  auto x = b.placeholder(DType::float64, Shape());
  auto y = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op("Less", {v[0], number(0)});
      },
      [&](const Builder& b, const Values& v) { return Values{b.square(v[0])}; }, {b.mul(x, x)})[0];
  BOOST_TEST(run(gradient(y, x), {{x, Tensor::scalar(3.0)}}) == 6);
}

/// v -> v * x if v < 10, else v + x * x, until 100.
BOOST_AUTO_TEST_CASE(the_gradient_of_a_conditional_in_a_loop_remembers_each_iterations_branch) {
  auto x = b.placeholder(DType::float64, Shape());
  auto y = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op("Less", {v[0], number(100)});
      },
      [&](const Builder& b, const Values& v) {
        return cond(
            b, b.op("Less", {v[0], number(10)}),
            [&](const Builder& b) { return Values{b.mul(v[0], x)}; },
            [&](const Builder& b) { return Values{b.add(v[0], b.square(b.mul(x, number(5))))}; });
      },
      {x})[0];
  // 3, 9, 27, 27 + 225
  BOOST_TEST(run(y, {{x, Tensor::scalar(3.0)}}) == 252);
  BOOST_TEST(run(gradient(y, x), {{x, Tensor::scalar(3.0)}}) == 3 * 9 + 2 * 25 * 3);
}

/// The sum over i < 3 of x^i, each power by a loop of its own.
BOOST_AUTO_TEST_CASE(the_gradient_of_a_loop_in_a_loop) {
  auto x = b.placeholder(DType::float64, Shape());
  auto y = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op("Less", {v[0], b.constant<int32_t>(4)});
      },
      [&](const Builder& b, const Values& v) {
        auto inner = while_loop(
            b,
            [&](const Builder& b, const Values& w) {
              return b.op("Less", {w[0], v[0]});
            },
            [&](const Builder& b, const Values& w) {
              return Values{b.add(w[0], b.constant<int32_t>(1)), b.mul(w[1], x)};
            },
            {b.constant<int32_t>(0), number(1)});
        return Values{b.add(v[0], b.constant<int32_t>(1)), b.add(v[1], inner[1])};
      },
      {b.constant<int32_t>(0), number(0)})[1];
  BOOST_TEST(run(y, {{x, Tensor::scalar(2.0)}}) == 15);
  BOOST_TEST(run(gradient(y, x), {{x, Tensor::scalar(2.0)}}) == 1 + 4 + 12);
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_variable_that_a_loop_reads_is_that_of_all_its_reads) {
  auto w = b.variable("w", number(3));
  auto y = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op("Less", {v[0], number(50)});
      },
      [&](const Builder& b, const Values& v) { return Values{b.mul(v[0], w.value())}; },
      {number(1)})[0];
  auto dw = gradient(y, w.handle);
  BOOST_TEST_REQUIRE(runner.run(b, {}, {}, {w.initializer}).ok());
  BOOST_TEST(run(dw) == 4 * 27);
}

BOOST_AUTO_TEST_CASE(gradients_can_be_taken_inside_of_a_loop) {
  // Newton's method for x^3 = 8.
  auto root = while_loop(
      b,
      [&](const Builder& b, const Values& v) {
        return b.op(
            "Greater",
            {b.op("Abs", {b.sub(b.mul(b.square(v[0]), v[0]), number(8))}), number(1e-12)});
      },
      [&](const Builder& b, const Values& v) {
        auto f = b.sub(b.mul(b.square(v[0]), v[0]), number(8));
        return Values{b.sub(v[0], b.div(f, gradient(f, v[0])))};
      },
      {number(5)})[0];
  BOOST_TEST(run(root) == 2, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_body_that_changes_a_shape_is_an_error_that_asks_for_an_invariant) {
  auto start = b.zeros(DType::float64, {1});
  auto grow = [&](const Shapes& invariants) {
    return while_loop(
        b,
        [&](const Builder& b, const Values& v) {
          return b.op("Less", {b.op("Size", {v[0]}), b.constant<int32_t>(8)});
        },
        [&](const Builder& b, const Values& v) {
          return Values{b.op("ConcatV2", {v[0], v[0], b.constant<int32_t>(0)})};
        },
        {start}, {.parallel_iterations = 10, .shape_invariants = invariants});
  };
  auto grown = grow({Shape{Shape::unknown}});
  BOOST_TEST(run(b.op("Size", {grown[0]})) == 8);
  grow({});
  BOOST_TEST(b.status().message().find("the same in all iterations") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(references_to_variables_go_through_branches) {
  auto pred = b.placeholder(DType::boolean, Shape());
  auto variable = b.op("VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::float64}});
  auto assign = b.op("Assign", {variable, number(3)});
  auto chosen = b.op("RefSwitch", {variable, pred});
  auto sum = b.op("AssignAdd", {chosen.output(1), number(10)});
  auto difference = b.op("AssignSub", {chosen.output(0), number(1)});
  auto merged = b.op("RefMerge", {sum, difference});
  auto selected = b.op("RefSelect", {b.constant<int32_t>(1), variable, merged});
  BOOST_TEST_REQUIRE(runner.run(b, {}, {}, {assign}).ok());
  BOOST_TEST(run(selected, {{pred, Tensor::scalar(true)}}) == 13);
  BOOST_TEST(run(merged, {{pred, Tensor::scalar(false)}}) == 12);
  auto beyond = b.op("RefSelect", {b.constant<int32_t>(2), variable, variable});
  BOOST_TEST((runner.run(b, {}, {beyond}).status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(references_to_variables_go_round_loops) {
  auto variable = b.op("VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::float64}});
  auto assign = b.op("Assign", {variable, number(3)});
  Graph graph = b.graph();
  auto add = [&](NodeDef def) {
    auto id = graph.add(std::move(def));
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
  };
  auto one = number(1).name();
  auto limit = number(8).name();
  graph = b.graph();
  add(
      {.name = "enter",
       .op = "RefEnter",
       .inputs = {variable.name()},
       .attrs = {{"frame_name", "frame"}}});
  add({.name = "merge", .op = "RefMerge", .inputs = {"enter", "next"}});
  add({.name = "less", .op = "Less", .inputs = {"merge", limit}});
  add({.name = "cond", .op = "LoopCond", .inputs = {"less"}});
  add({.name = "switch", .op = "RefSwitch", .inputs = {"merge", "cond"}});
  add({.name = "sum", .op = "AssignAdd", .inputs = {"switch:1", one}});
  add({.name = "next", .op = "RefNextIteration", .inputs = {"sum"}});
  add({.name = "exit", .op = "RefExit", .inputs = {"switch:0"}});
  Builder looped(graph);
  BOOST_TEST_REQUIRE(runner.run(looped, {}, {}, {assign}).ok());
  auto values = runner.run(looped, {}, {Ref("exit:0")});
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  BOOST_TEST((*values)[0].value<double>() == 8);
}

BOOST_AUTO_TEST_CASE(a_control_trigger_runs_although_what_it_waits_for_is_dead) {
  auto chosen = b.op("Switch", {number(1), b.constant(true)});
  auto dead = b.neg(chosen.output(0));
  auto trigger = b.after({dead}).op("ControlTrigger");
  BOOST_TEST(run(b.after({trigger}).op("Identity", {number(4)})) == 4);
}

BOOST_AUTO_TEST_CASE(an_abort_ends_the_step_with_its_message) {
  auto abort = b.op("Abort", {}, {{"error_msg", "no use"}});
  auto status = runner.run(b, {}, {}, {abort}).status();
  BOOST_TEST((status.code() == Code::aborted));
  BOOST_TEST(status.message() == "no use");
}

BOOST_AUTO_TEST_SUITE_END()
