#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"

using namespace troupe;
using namespace std::chrono_literals;

// Loops and branches whose nodes are on several tasks.

namespace distributed_loops {
namespace {

const std::string a = "/job:worker/task:0";
const std::string b = "/job:worker/task:1";
const std::string ps = "/job:ps/task:0";

struct LoopsFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{5}};
  sim::Session session = cluster.session(a);
  const Builder& graph = session.graph();

  double run(const Value& fetch, const std::vector<Feed>& feeds = {}) {
    auto values = session.run(feeds, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return values->at(0).value<double>();
  }
  Value number(const std::string& device, double value) {
    return graph.on(device).constant<double>(value);
  }
  Value less(const Value& x, int32_t limit) {
    return graph.op("Less", {x, graph.constant<int32_t>(limit)});
  }
  Value next(const Value& x) { return graph.add(x, graph.constant<int32_t>(1)); }
  /// The sum over i < `outer` of w^`inner`, or of w^i, each power by a loop of its own on another
  /// task.
  Value sum_of_powers(const Variable& w, int32_t outer, std::optional<int32_t> inner = {}) {
    return while_loop(
        graph, [&](const Builder&, const Values& v) { return less(v[0], outer); },
        [&](const Builder& g, const Values& v) {
          auto power = while_loop(
              g.on(b),
              [&](const Builder& g, const Values& p) {
                return g.op("Less", {p[0], inner ? g.constant<int32_t>(*inner) : v[0]});
              },
              [&](const Builder& g, const Values& p) {
                return Values{next(p[0]), g.mul(p[1], w.value())};
              },
              {g.on(b).constant<int32_t>(0), number(b, 1)})[1];
          return Values{next(v[0]), g.add(v[1], power)};
        },
        {graph.constant<int32_t>(0), number(a, 0)})[1];
  }
  uint64_t memory_in_use() {
    auto list = cluster.list_devices(a, 10s);
    BOOST_TEST_REQUIRE(list.ok(), list.status().to_string());
    BOOST_TEST_REQUIRE(list->devices.size() == 3u);
    uint64_t bytes = 0;
    for (const auto& device : list->devices) bytes += device.memory_in_use;
    return bytes;
  }
  Value gradient(const Value& y, const Value& x) {
    auto made = gradients(graph, {y}, {x});
    BOOST_TEST_REQUIRE(made.ok(), made.status().to_string());
    return (*made)[0];
  }
};

}  // namespace
}  // namespace distributed_loops

BOOST_FIXTURE_TEST_SUITE(distributed_loops, LoopsFixture)

BOOST_AUTO_TEST_CASE(a_loop_whose_body_is_on_another_task) {
  auto x = graph.placeholder(DType::float64, Shape());
  auto loop = while_loop(
      graph, [&](const Builder&, const Values& v) { return less(v[0], 7); },
      [&](const Builder& g, const Values& v) {
        return Values{next(v[0]), g.on(b).mul(v[1], x)};
      },
      {graph.constant<int32_t>(0), number(a, 1)});
  BOOST_TEST(run(loop[1], {{x, Tensor::scalar(2.0)}}) == 128);
}

BOOST_AUTO_TEST_CASE(a_task_that_only_has_nodes_without_loop_variables_goes_round_with_the_loop) {
  auto w = graph.on(ps).variable("w", number(ps, 3));
  auto loop = while_loop(
      graph, [&](const Builder&, const Values& v) { return less(v[0], 4); },
      [&](const Builder& g, const Values& v) {
        auto squared = g.on(b).square(w.value());
        return Values{next(v[0]), g.add(v[1], squared)};
      },
      {graph.constant<int32_t>(0), number(a, 0)});
  BOOST_TEST_REQUIRE(session.run({}, {}, {w.initializer}).ok());
  BOOST_TEST(run(loop[1]) == 36);
}

BOOST_AUTO_TEST_CASE(a_loop_that_does_not_run_on_any_of_its_tasks) {
  auto start = graph.placeholder(DType::int32, Shape());
  auto loop = while_loop(
      graph, [&](const Builder&, const Values& v) { return less(v[0], 4); },
      [&](const Builder& g, const Values& v) {
        return Values{next(v[0]), g.on(b).neg(g.on(ps).square(v[1]))};
      },
      {start, number(a, 3)});
  BOOST_TEST(run(loop[1], {{start, Tensor::scalar(9)}}) == 3);
  BOOST_TEST(run(loop[1], {{start, Tensor::scalar(3)}}) == -9);
}

BOOST_AUTO_TEST_CASE(a_branch_on_another_task_and_a_loop_in_it) {
  auto x = graph.placeholder(DType::float64, Shape());
  auto y = cond(
      graph, graph.op("Less", {x, number(a, 0)}),
      [&](const Builder& g) { return Values{g.on(b).neg(x)}; },
      [&](const Builder& g) {
        return Values{while_loop(
            g.on(ps),
            [&](const Builder& g, const Values& v) {
              return g.op("Less", {v[0], number(b, 100)});
            },
            [&](const Builder& g, const Values& v) { return Values{g.on(b).mul(v[0], x)}; },
            {x})[0]};
      })[0];
  BOOST_TEST(run(y, {{x, Tensor::scalar(-2.0)}}) == 2);
  BOOST_TEST(run(y, {{x, Tensor::scalar(3.0)}}) == 243);
}

BOOST_AUTO_TEST_CASE(loops_in_loops_with_gradients_over_three_tasks) {
  auto w = graph.on(ps).variable("w", number(ps, 2));
  auto sum = sum_of_powers(w, 4);
  auto dw = gradient(sum, w.handle);
  BOOST_TEST_REQUIRE(session.run({}, {}, {w.initializer}).ok());
  BOOST_TEST(run(sum) == 15);
  BOOST_TEST(run(dw) == 1 + 4 + 12);
}

BOOST_AUTO_TEST_CASE(ten_thousand_iterations_with_gradients_over_three_tasks_leave_no_memory) {
  auto w = graph.on(ps).variable("w", number(ps, 1));
  auto dw = gradient(sum_of_powers(w, 100, 100), w.handle);
  BOOST_TEST_REQUIRE(session.run({}, {}, {w.initializer}).ok());
  std::vector<uint64_t> bytes;
  for (int step = 0; step < 3; ++step) {
    BOOST_TEST(run(dw) == 10'000);
    cluster.run_for(1s);  // heartbeats tell what is in use
    bytes.push_back(memory_in_use());
  }
  BOOST_TEST(bytes[1] == bytes[0]);
  BOOST_TEST(bytes[2] == bytes[0]);
}

BOOST_AUTO_TEST_CASE(an_error_in_an_iteration_ends_the_loop_on_all_tasks) {
  auto loop = while_loop(
      graph, [&](const Builder&, const Values& v) { return less(v[0], 1000); },
      [&](const Builder& g, const Values& v) {
        auto checked = g.on(b).op("Assert", {less(v[0], 5), v[0]});
        return Values{next(v[0]), g.on(b).after({checked}).neg(v[1])};
      },
      {graph.constant<int32_t>(0), number(a, 3)});
  auto status = session.run({}, {loop[1]}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().op == "Assert");
}

BOOST_AUTO_TEST_CASE(a_task_that_dies_in_a_loop_ends_the_step_with_its_name) {
  auto loop = while_loop(
      graph, [&](const Builder&, const Values& v) { return less(v[0], 1'000'000); },
      [&](const Builder& g, const Values& v) {
        return Values{next(v[0]), g.on(b).neg(v[1])};
      },
      {graph.constant<int32_t>(0), number(a, 3)});
  auto step = session.start({}, {loop[1]});
  cluster.at(50ms).crash(b);
  cluster.run_until(step.done());
  BOOST_TEST((step.status().code() == Code::unavailable));
  BOOST_TEST(step.status().message().find(b) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
