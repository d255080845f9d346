#include <boost/test/unit_test.hpp>
#include <future>

#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

// Uses of a cluster of equal nodes; tests/actors/sim/scenarios_test.cpp has
// them simulated.

namespace {

/// A client of some node that shares the variable "x" of a container, without a device constraint.
struct SharingClient {
  std::unique_ptr<Client> client;
  std::unique_ptr<Session> session;
  Builder b;
  Variable x;
  Value increment_op;

  SharingClient(const std::string& target, const std::string& container)
      : client(connect(target)),
        session(open(*client)),
        x(b.container(container).variable("x", b.constant(0.0f))),
        increment_op(x.assign_add(b.constant(1.0f))) {
    auto read = x.value();
    fetch = read.name();
    BOOST_REQUIRE(session->extend(b).ok());
  }

  Status initialize() { return session->run({}, {}, {x.initializer}).status(); }
  Status increment() { return session->run({}, {}, {increment_op}).status(); }
  float count() {
    auto status = increment();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return session->run({}, {fetch})->at(0).value<float>();
  }

  std::string fetch;
};

struct ScenariosFixture {
  NodeCluster nodes{{{"worker", 2}}, {"--threads", "1"}};
  std::string a = nodes.target("worker", 0), b = nodes.target("worker", 1);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scenarios, ScenariosFixture)

BOOST_AUTO_TEST_CASE(a_session_on_any_node_computes_what_nothing_pins_on_that_node) {
  auto client = connect(b);
  auto session = open(*client);
  Builder graph;
  auto result = (graph.constant(1.0f) + graph.constant(0.0f)) * 3.0;
  BOOST_REQUIRE(session->extend(graph).ok());
  auto traced = session->trace({}, {result});
  BOOST_REQUIRE_MESSAGE(traced.ok(), traced.status().to_string());
  BOOST_TEST(traced->values.at(0).value<float>() == 3.0f);
  BOOST_REQUIRE(traced->metadata.devices.size() == 1u);
  BOOST_TEST(traced->metadata.devices[0].device == "/job:worker/task:1/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_counter_made_through_one_node_goes_on_through_another) {
  SharingClient one(a, ""), other(b, "");
  BOOST_REQUIRE(one.initialize().ok());
  BOOST_TEST(one.count() == 1);
  BOOST_TEST(other.count() == 2);
  auto list = other.client->list_resources();
  BOOST_REQUIRE(list.ok());
  BOOST_REQUIRE(list->resources.size() == 1u);
  BOOST_TEST(list->resources[0].device == "/job:worker/task:0/device:CPU:0");
  BOOST_TEST(list->resources[0].bytes == 4u);
}

BOOST_AUTO_TEST_CASE(four_clients_share_two_variables_of_one_name_in_two_containers) {
  SharingClient one(a, ""), two(b, ""), three(b, "my_problem_1"), four(a, "my_problem_1");
  BOOST_TEST(one.initialize().ok());
  BOOST_TEST(three.initialize().ok());
  BOOST_TEST(one.count() == 1);
  BOOST_TEST(two.count() == 2);
  BOOST_TEST(four.count() == 1);
  BOOST_TEST(three.count() == 2);

  // The third uses both.
  auto shared = three.b.variable("x", three.b.constant(0.0f)).value();
  BOOST_REQUIRE(three.session->extend(three.b).ok());
  auto values = three.session->run({}, {shared, three.fetch});
  BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
  BOOST_TEST(values->at(0).value<float>() == 2);
  BOOST_TEST(values->at(1).value<float>() == 2);
}

BOOST_AUTO_TEST_CASE(a_reset_through_another_node_frees_one_container_and_nothing_else) {
  SharingClient one(a, ""), two(b, "");
  SharingClient three(a, "my_problem_1"), four(b, "my_problem_1");
  BOOST_REQUIRE(one.initialize().ok());
  BOOST_REQUIRE(three.initialize().ok());
  BOOST_TEST(one.count() == 1);
  BOOST_TEST(two.count() == 2);
  BOOST_TEST(four.count() == 1);
  BOOST_TEST(three.count() == 2);

  BOOST_TEST(connect(b)->reset({"my_problem_1"}).ok());
  BOOST_TEST(one.count() == 3);
  BOOST_TEST(!three.increment().ok());
  SharingClient again(a, "my_problem_1");
  BOOST_TEST((again.increment().code() == Code::failed_precondition));
  BOOST_TEST(again.initialize().ok());
  BOOST_TEST(again.count() == 1);

  BOOST_TEST(connect(a)->reset_all().ok());
  BOOST_TEST(connect(a)->list_resources()->resources.empty());
}

BOOST_AUTO_TEST_CASE(any_node_sends_partitions_to_any_other_at_the_same_time) {
  auto client_a = connect(a), client_b = connect(b);
  auto session_a = open(*client_a), session_b = open(*client_b);
  // Returns what went wrong: a thread may not use the macros of the tests.
  auto run_steps = [](Session* session, const std::vector<std::string>& path) {
    Builder graph;
    auto value = graph.constant(2.0f);
    for (const auto& task : path) value = graph.on(task).square(value);
    auto status = session->extend(graph);
    for (int i = 0; i < 50 && status.ok(); ++i) {
      auto values = session->run({}, {value});
      status = values.status();
      if (values && values->at(0).value<float>() != 256) return internal("a wrong value");
    }
    return status;
  };
  const std::string zero = "/job:worker/task:0", one = "/job:worker/task:1";
  auto forth =
      std::async(std::launch::async, run_steps, session_a.get(), std::vector{one, zero, one});
  auto back =
      std::async(std::launch::async, run_steps, session_b.get(), std::vector{zero, one, zero});
  auto status = forth.get(), other = back.get();
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(other.ok(), other.to_string());
}

/// One of two replicas of y = w2 * (w1 * x), partitioned over two workers; trains y to be 6 for x
/// = 1.
struct Replica {
  std::unique_ptr<Client> client;
  std::unique_ptr<Session> session;
  Value loss, train, initialize;

  Replica(NodeCluster& nodes, int near_worker, int far_worker)
      : client(connect(nodes.target("worker", near_worker))), session(open(*client)) {
    Builder graph;
    auto one = graph.on("/job:ps/task:0"), two = graph.on("/job:ps/task:1");
    auto near = graph.on(worker(near_worker)), far = graph.on(worker(far_worker));
    auto w1 = one.variable("w1", one.constant(0.5f)), w2 = two.variable("w2", two.constant(0.5f));
    auto hidden = near.mul(w1.value(), near.constant(1.0f));
    loss = far.square(far.mul(w2.value(), hidden) - 6.0);
    train = minimize(graph, loss, GradientDescent{0.01}, {.var_list = {w1, w2}});
    initialize = graph.initializer();
    BOOST_REQUIRE(session->extend(graph).ok());
  }

  static std::string worker(int index) { return "/job:worker/task:" + std::to_string(index); }
};

BOOST_AUTO_TEST_CASE(replicas_partitioned_over_two_workers_train_variables_of_two_servers) {
  NodeCluster six({{"ps", 2}, {"worker", 4}}, {"--threads", "1"});
  Replica left(six, 0, 1), right(six, 2, 3);
  BOOST_REQUIRE(left.session->run({}, {}, {left.initialize}).ok());
  for (int step = 0; step < 100; ++step) {
    auto one = left.session->start({}, {}, {left.train});
    auto other = right.session->start({}, {}, {right.train});
    BOOST_TEST_REQUIRE(one->wait().ok(), one->wait().status().to_string());
    BOOST_TEST_REQUIRE(other->wait().ok(), other->wait().status().to_string());
  }
  for (auto* replica : {&left, &right})
    BOOST_TEST(replica->session->run({}, {replica->loss})->at(0).value<float>() < 0.01f);
}

BOOST_AUTO_TEST_SUITE_END()
