#include <boost/test/unit_test.hpp>
#include <csignal>

#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// A variable of the parameter server that each step increments; every client builds its own graph.
struct SharedCounter {
  Builder b;
  Variable count = b.on("/job:ps/task:0").variable("count", b.constant(0.0f));
  Value bump = count.assign_add(b.on("/job:ps/task:0").constant(1.0f));
  Value read = count.value();
};

float number(Session& session, const SharedCounter& counter) {
  BOOST_REQUIRE(session.extend(counter.b).ok());
  auto values = session.run({}, {counter.read});
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  return (*values)[0].value<float>();
}

void step(Session& session, const SharedCounter& counter, const Value& target) {
  BOOST_REQUIRE(session.extend(counter.b).ok());
  auto values = session.run({}, {}, {target});
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sessions_over_nodes)

BOOST_AUTO_TEST_CASE(a_counter_is_initialized_through_one_node_and_read_through_another) {
  NodeCluster nodes({{"ps", 1}, {"worker", 2}});
  SharedCounter first, second;
  {
    auto client = connect(nodes.target("worker", 0));
    auto session = open(*client);
    step(*session, first, first.count.initializer);
    step(*session, first, first.bump);
    BOOST_TEST(number(*session, first) == 1.0f);
  }
  auto client = connect(nodes.target("worker", 1));
  auto session = open(*client);
  step(*session, second, second.bump);
  BOOST_TEST(number(*session, second) == 2.0f);
}

BOOST_AUTO_TEST_CASE(
    reset_through_another_node_frees_the_container_and_closes_the_sessions_that_used_it) {
  NodeCluster nodes({{"ps", 1}, {"worker", 2}});
  auto client = connect(nodes.target("worker", 0)), other = connect(nodes.target("worker", 1));
  auto session = open(*client), closing = open(*other);
  SharedCounter counter;
  step(*session, counter, counter.count.initializer);
  step(*session, counter, counter.bump);
  auto status = other->reset({""});
  BOOST_TEST(status.ok(), status.to_string());
  auto stale = session->run({}, {}, {counter.bump});
  BOOST_TEST((stale.status().code() == Code::aborted), stale.status().to_string());
  BOOST_TEST(!closing->run({}, {}).ok());
  auto fresh = open(*client);
  BOOST_REQUIRE(fresh->extend(counter.b).ok());
  auto gone = fresh->run({}, {counter.read});
  BOOST_TEST((gone.status().code() == Code::failed_precondition), gone.status().to_string());
  step(*fresh, counter, counter.count.initializer);
  BOOST_TEST(number(*fresh, counter) == 0.0f);
}

BOOST_AUTO_TEST_CASE(all_devices_are_listed_and_a_dead_task_is_named) {
  NodeCluster nodes({{"ps", 1}, {"worker", 2}}, {"--connect-timeout", "1"});
  auto client = connect(nodes.target("worker", 0));
  auto list = client->list_devices();
  BOOST_REQUIRE(list.ok());
  BOOST_REQUIRE(list->devices.size() == 3u);
  BOOST_TEST(list->devices[0].name == "/job:ps/task:0/device:CPU:0");
  BOOST_TEST(list->missing.empty());
  nodes.node("worker", 1).send(SIGKILL);
  nodes.node("worker", 1).wait();
  list = client->list_devices(2s);
  BOOST_REQUIRE(list.ok());
  BOOST_TEST(list->devices.size() == 2u);
  BOOST_REQUIRE(list->missing.size() == 1u);
  BOOST_TEST(list->missing[0].message().find("/job:worker/task:1") != std::string::npos);
  auto reset = client->reset({""}, 2s);
  BOOST_TEST((reset.code() == Code::unavailable));
  BOOST_TEST(reset.message().find("/job:worker/task:1") != std::string::npos, reset.to_string());
}

BOOST_AUTO_TEST_CASE(a_killed_parameter_server_fails_the_step_by_name_and_may_come_back) {
  NodeCluster nodes({{"ps", 1}, {"worker", 1}}, {"--connect-timeout", "1"});
  auto client = connect(nodes.target("worker", 0));
  auto session = open(*client);
  SharedCounter counter;
  step(*session, counter, counter.count.initializer);
  nodes.node("ps", 0).send(SIGKILL);
  nodes.node("ps", 0).wait();
  auto lost = session->run({}, {counter.read});
  BOOST_TEST((lost.status().code() == Code::unavailable), lost.status().to_string());
  BOOST_TEST(lost.status().to_string().find("/job:ps/task:0") != std::string::npos);
  auto own = counter.b.on("/job:worker/task:0").constant(1.0f);
  BOOST_REQUIRE(session->extend(counter.b).ok());
  BOOST_TEST(session->run({}, {own}).ok());
  nodes.restart("ps", 0);
  auto empty = session->run({}, {counter.read});
  BOOST_TEST((empty.status().code() == Code::failed_precondition), empty.status().to_string());
  step(*session, counter, counter.count.initializer);
  BOOST_TEST(number(*session, counter) == 0.0f);
}

BOOST_AUTO_TEST_CASE(a_peer_that_never_started_is_named_with_how_long_it_was_tried) {
  auto port = std::to_string(free_port()), absent = std::to_string(free_port());
  auto node = start_node(
      {"--cluster", "worker=127.0.0.1:" + port + ",127.0.0.1:" + absent, "--job", "worker",
       "--task", "0", "--connect-timeout", "0.5"});
  auto client = connect(await_target(*node));
  auto session = open(*client);
  Builder b;
  auto there = b.on("/job:worker/task:1").constant(1.0f);
  auto here = b.constant(2.0f);
  BOOST_REQUIRE(session->extend(b).ok());
  auto values = session->run({}, {there});
  BOOST_TEST((values.status().code() == Code::unavailable));
  auto text = values.status().to_string();
  BOOST_TEST(text.find("/job:worker/task:1") != std::string::npos, text);
  BOOST_TEST(text.find(absent) != std::string::npos, text);
  BOOST_TEST(session->run({}, {here}).ok());
}

BOOST_AUTO_TEST_CASE(swapped_addresses_are_an_error_that_says_so) {
  auto first = std::to_string(free_port()), second = std::to_string(free_port());
  auto right = "worker=127.0.0.1:" + first + ",127.0.0.1:" + second;
  auto wrong = "worker=127.0.0.1:" + second + ",127.0.0.1:" + first;
  auto node = start_node({"--cluster", right, "--job", "worker", "--task", "0"});
  auto peer = start_node({"--cluster", wrong, "--job", "worker", "--task", "0"});
  auto target = await_target(*node);
  await_target(*peer);
  auto client = connect(target);
  auto session = open(*client);
  Builder b;
  auto there = b.on("/job:worker/task:1").constant(1.0f);
  BOOST_REQUIRE(session->extend(b).ok());
  auto values = session->run({}, {there});
  BOOST_TEST((values.status().code() == Code::failed_precondition), values.status().to_string());
  BOOST_TEST(
      values.status().message().find("expected /job:worker/task:1") != std::string::npos,
      values.status().to_string());
}

BOOST_AUTO_TEST_CASE(tasks_of_another_cluster_name_are_refused) {
  auto spec = "worker=127.0.0.1:" + std::to_string(free_port()) +
              ",127.0.0.1:" + std::to_string(free_port());
  auto start = [&spec](const std::string& task, const std::string& name) {
    return start_node(
        {"--cluster", spec, "--job", "worker", "--task", task, "--cluster-name", name});
  };
  auto node = start("0", "red"), peer = start("1", "blue");
  auto target = await_target(*node);
  await_target(*peer);
  auto client = connect(target);
  auto session = open(*client);
  Builder b;
  auto there = b.on("/job:worker/task:1").constant(1.0f);
  BOOST_REQUIRE(session->extend(b).ok());
  auto status = session->run({}, {there}).status();
  BOOST_TEST((status.code() == Code::failed_precondition), status.to_string());
  check_says(status.message(), "/job:worker/task:1 belongs to the cluster 'blue'");
  check_says(status.message(), "/job:worker/task:0 to 'red'");
}

BOOST_AUTO_TEST_CASE(a_step_that_takes_too_long_ends_at_its_timeout) {
  NodeCluster nodes({{"worker", 1}});
  auto client = connect(nodes.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto x = b.fill(b.constant(Tensor::of<int32_t>({2}, {1500, 1500})), b.constant(1.0f));
  auto y = x;
  for (int i = 0; i < 200; ++i) y = b.matmul(y, x);
  auto sum = b.reduce_sum(y);
  BOOST_REQUIRE(session->extend(b).ok());
  auto start = std::chrono::steady_clock::now();
  auto values = session->run({}, {sum}, {}, {.timeout = 100ms});
  BOOST_TEST((values.status().code() == Code::deadline_exceeded), values.status().to_string());
  BOOST_TEST((std::chrono::steady_clock::now() - start < 5s));
}

BOOST_AUTO_TEST_CASE(large_tensors_cross_between_client_and_tasks) {
  NodeCluster nodes({{"ps", 1}, {"worker", 1}});
  auto client = connect(nodes.target("worker", 0));
  auto session = open(*client);
  Builder b;
  auto x = b.placeholder(DType::float32);
  auto y = b.on("/job:ps/task:0").neg(x);
  auto z = b.on("/job:worker/task:0").neg(y);
  BOOST_REQUIRE(session->extend(b).ok());
  int64_t count = 25 << 20;  // 100 MiB
  auto large = *Tensor::allocate(DType::float32, {count});
  for (int64_t i = 0; i < count; ++i) large.mutable_data<float>()[i] = static_cast<float>(i % 1000);
  auto values = session->run({{x, large}}, {z});
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  BOOST_TEST(equal((*values)[0], large));
}

BOOST_AUTO_TEST_SUITE_END()
