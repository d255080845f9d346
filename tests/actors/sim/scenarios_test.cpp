#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"

using namespace troupe;
using namespace std::chrono_literals;

// Complete use cases of a cluster of equal nodes.

namespace scenarios {
namespace {

const std::string a = "/job:worker/task:0";
const std::string b = "/job:worker/task:1";
const std::string ps = "/job:ps/task:0";

struct ScenariosFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{3}};
};

/// A client that increments the shared variable "x" of a container.
struct CounterClient {
  sim::Session session;
  Variable x;
  Value bump;

  CounterClient(sim::Cluster& cluster, const std::string& master, const std::string& container)
      : session(cluster.session(master)),
        x(session.graph().container(container).variable("x", session.graph().constant(0.0f))),
        bump(x.assign_add(session.graph().constant(1.0f))) {}

  Status initialize() { return session.run({}, {}, {x.initializer}).status(); }
  /// Increments and reads.
  Result<float> next() {
    if (auto bumped = session.run({}, {}, {bump}); !bumped) return bumped.status();
    auto values = session.run({}, {x.value()});
    if (!values) return values.status();
    return values->at(0).value<float>();
  }
  float count() {
    auto value = next();
    BOOST_REQUIRE_MESSAGE(value.ok(), value.status().to_string());
    return *value;
  }
};

}  // namespace
}  // namespace scenarios

BOOST_FIXTURE_TEST_SUITE(scenarios, scenarios::ScenariosFixture)

BOOST_AUTO_TEST_CASE(a_session_runs_ops_without_a_device_on_its_own_node) {
  auto session = cluster.session(b);
  const auto& graph = session.graph();
  auto result = (graph.constant(1.0f) + graph.constant(0.0f)) * 3.0;
  BOOST_TEST(session.run({}, {result})->at(0).value<float>() == 3.0f);
  BOOST_TEST(cluster.messages_delivered() == 0u);
}

BOOST_AUTO_TEST_CASE(four_clients_share_two_variables_of_one_name_in_two_containers) {
  CounterClient one(cluster, a, ""), two(cluster, b, "");
  CounterClient three(cluster, b, "my_problem_1"), four(cluster, ps, "my_problem_1");
  BOOST_TEST(one.initialize().ok());
  BOOST_TEST(three.initialize().ok());
  BOOST_TEST(one.count() == 1);
  BOOST_TEST(two.count() == 2);
  BOOST_TEST(four.count() == 1);
  BOOST_TEST(three.count() == 2);

  // The third uses both.
  auto shared = three.session.graph().variable("x", three.session.graph().constant(0.0f));
  auto values = three.session.run({}, {shared.value(), three.x.value()});
  BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
  BOOST_TEST(values->at(0).value<float>() == 2);
  BOOST_TEST(values->at(1).value<float>() == 2);
}

BOOST_AUTO_TEST_CASE(a_reset_through_another_node_frees_one_container_and_nothing_else) {
  CounterClient kept(cluster, b, ""), freed(cluster, b, "my_problem_1");
  BOOST_TEST(kept.initialize().ok());
  BOOST_TEST(freed.initialize().ok());
  BOOST_TEST(kept.count() == 1);
  BOOST_TEST(cluster.reset(a, {"my_problem_1"}, 1s).ok());
  BOOST_TEST(kept.count() == 2);
  // The session that used it is closed, on whatever node it was.
  BOOST_TEST((freed.next().status().code() == Code::aborted));
  CounterClient again(cluster, a, "my_problem_1");
  auto unset = again.next().status();
  BOOST_TEST((unset.code() == Code::failed_precondition), unset.to_string());
  BOOST_TEST(again.initialize().ok());
  BOOST_TEST(again.count() == 1);
}

BOOST_AUTO_TEST_CASE(a_reset_closes_the_sessions_of_the_node_that_is_asked) {
  CounterClient bystander(cluster, a, "");
  BOOST_TEST(bystander.initialize().ok());
  BOOST_TEST(cluster.reset(a, {"my_problem_1"}, 1s).ok());
  BOOST_TEST((bystander.next().status().code() == Code::aborted));
  BOOST_TEST(CounterClient(cluster, a, "").count() == 1);
}

BOOST_AUTO_TEST_CASE(a_reset_with_a_dead_task_resets_all_others_and_names_it_at_once) {
  CounterClient one(cluster, a, "c");
  BOOST_TEST(one.initialize().ok());
  cluster.crash(b);
  auto began = cluster.now();
  auto status = cluster.reset(a, {"c"}, 10s);
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.message().find(b) != std::string::npos, status.to_string());
  BOOST_TEST((cluster.now() - began < 100ms));
  BOOST_TEST(cluster.list_resources(a, 10s)->resources.empty());
}

BOOST_AUTO_TEST_CASE(nodes_send_each_other_partitions_at_the_same_time) {
  auto forth = cluster.session(a), back = cluster.session(b);
  auto chain = [](sim::Session& session, const std::vector<std::string>& path) {
    auto value = session.graph().constant(2.0f);
    for (const auto& task : path) value = session.graph().on(task).square(value);
    return value;
  };
  auto there = chain(forth, {b, ps, a}), here = chain(back, {a, ps, b});
  std::vector<sim::Call> steps;
  for (int i = 0; i < 10; ++i) {
    steps.push_back(forth.start({}, {there}));
    steps.push_back(back.start({}, {here}));
  }
  for (const auto& step : steps) {
    BOOST_REQUIRE(cluster.run_until(step.done()));
    BOOST_TEST(step.status().ok(), step.status().to_string());
    BOOST_TEST(step.values().at(0).value<float>() == 256);
  }
}

/// One of two replicas of y = w2 * (w1 * x), split over two workers; it learns y = 6 for
/// x = 1.
struct Replica {
  sim::Session session;
  Value loss, train;
  std::vector<Ref> initializers;

  Replica(sim::Cluster& cluster, int near_worker, int far_worker)
      : session(cluster.session(worker(near_worker))) {
    const auto& graph = session.graph();
    auto one = graph.on("/job:ps/task:0"), two = graph.on("/job:ps/task:1");
    auto near = graph.on(worker(near_worker)), far = graph.on(worker(far_worker));
    auto w1 = one.variable("w1", one.constant(0.5f)), w2 = two.variable("w2", two.constant(0.5f));
    auto hidden = near.mul(w1.value(), near.constant(1.0f));
    loss = far.square(far.mul(w2.value(), hidden) - 6.0);
    train = minimize(graph, loss, GradientDescent{0.01}, {.var_list = {w1, w2}});
    initializers = {w1.initializer, w2.initializer};
  }

  static std::string worker(int index) { return "/job:worker/task:" + std::to_string(index); }
};

BOOST_AUTO_TEST_CASE(replicas_split_over_two_workers_each_train_variables_of_two_servers) {
  sim::Cluster four({{"ps", 2}, {"worker", 4}}, sim::Seed{5});
  Replica left(four, 0, 1), right(four, 2, 3);
  BOOST_REQUIRE(left.session.run({}, {}, left.initializers).ok());
  for (int step = 0; step < 100; ++step) {
    auto one = left.session.start({}, {}, {left.train});
    auto other = right.session.start({}, {}, {right.train});
    BOOST_REQUIRE(four.run_until([&] { return one.is_done() && other.is_done(); }));
    BOOST_REQUIRE_MESSAGE(one.status().ok(), one.status().to_string());
    BOOST_REQUIRE_MESSAGE(other.status().ok(), other.status().to_string());
  }
  for (auto* replica : {&left, &right})
    BOOST_TEST(replica->session.run({}, {replica->loss})->at(0).value<float>() < 0.01f);
}

BOOST_AUTO_TEST_SUITE_END()
