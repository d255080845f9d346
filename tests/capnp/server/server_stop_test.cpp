#include <boost/test/unit_test.hpp>

#include "troupe/graph/support/text.hpp"
#include "troupe/tests/capnp/servers.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(server_stop)

BOOST_AUTO_TEST_CASE(a_server_without_steps_stops_within_no_time) {
  auto server = make_server(cluster_of({{"worker", 1}}), "worker", 0);
  BOOST_TEST(server->start().ok());
  auto status = server->stop(0ms);
  BOOST_TEST(status.ok(), status.to_string());
}

BOOST_AUTO_TEST_CASE(a_drain_lets_the_running_step_end_and_refuses_new_ones_by_name) {
  LongStep running;
  TestClient late(*running.server);
  auto status = running.server->drain(test_timeout);
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(running.user.client->list_waiting_steps()->empty());
  auto step = result_of(running.step);
  BOOST_TEST(step.ok(), step.to_string());

  auto refused = late.step();
  BOOST_TEST((refused.code() == Code::unavailable));
  BOOST_TEST(
      refused.message() ==
      "/job:local/task:0 is draining, so it runs no new steps: open a session on another task");
  BOOST_TEST(refused.where().task == "/job:local/task:0");
  auto session = late.client->session().status();
  BOOST_TEST((session.code() == Code::unavailable));
  BOOST_TEST(says(session, "/job:local/task:0 is draining"));
  BOOST_TEST((late.client->node_info()->state == NodeState::draining));
  BOOST_TEST((late.client->list_devices()->devices.at(0).state == NodeState::draining));
}

BOOST_AUTO_TEST_CASE(a_drain_cancels_the_waiting_steps_at_its_deadline) {
  StuckStep waiting;
  auto began = Clock::now();
  auto status = waiting.user.client->drain(300ms);
  BOOST_TEST((status.code() == Code::deadline_exceeded));
  BOOST_TEST(
      status.message() ==
      "/job:local/task:0 was told to drain, and gave its steps 0.3 s; those that had not ended "
      "were cancelled");
  BOOST_TEST((Clock::now() - began >= 300ms));
  auto step = result_of(waiting.step);
  BOOST_TEST((step.code() == Code::cancelled), step.to_string());
  BOOST_TEST(says(step, "/job:local/task:0 was told to drain"));
  BOOST_TEST(waiting.server->drain(test_timeout).ok());
}

BOOST_AUTO_TEST_CASE(a_draining_server_computes_for_other_masters) {
  auto cluster = cluster_of({{"ps", 1}, {"worker", 1}});
  auto ps = make_server(cluster, "ps", 0);
  auto worker = make_server(cluster, "worker", 0);
  BOOST_TEST(ps->start().ok());
  BOOST_TEST(worker->start().ok());
  BOOST_TEST(ps->drain(test_timeout).ok());
  TestClient user(*worker);
  auto there = user.b.on("/job:ps").add(user.two, user.two);
  BOOST_REQUIRE(user.session->extend(user.b).ok());
  BOOST_TEST(user.session->run({}, {there}).ok());
  auto devices = user.client->list_devices();
  BOOST_TEST((devices->devices.at(0).state == NodeState::draining));
  BOOST_TEST((devices->devices.at(1).state == NodeState::serving));
}

BOOST_AUTO_TEST_CASE(a_stop_lets_the_running_step_end) {
  LongStep running;
  auto status = running.server->stop(test_timeout);
  BOOST_TEST(status.ok(), status.to_string());
  auto step = result_of(running.step);
  BOOST_TEST(step.ok(), step.to_string());
}

BOOST_AUTO_TEST_CASE(a_stop_returns_within_its_deadline_though_a_step_waits) {
  StuckStep waiting;
  const auto limit = stretched(800ms);
  auto began = Clock::now();
  auto status = waiting.server->stop(limit);
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST((Clock::now() - began < limit));
  auto step = result_of(waiting.step);
  BOOST_TEST((step.code() == Code::cancelled), step.to_string());
  BOOST_TEST(says(step, "was told to drain, and gave its steps " + seconds_text(limit * 3 / 4)));
}

BOOST_AUTO_TEST_CASE(a_second_stop_can_shorten_the_first) {
  StuckStep waiting;
  auto first_stop = std::async(std::launch::async, [&] { return waiting.user.client->stop(1min); });
  while (waiting.user.client->node_info()->state == NodeState::serving) std::this_thread::yield();
  auto began = Clock::now();
  auto status = waiting.server->stop(500ms);
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST((Clock::now() - began < stretched(5s)));
  BOOST_TEST((result_of(waiting.step).code() == Code::cancelled));
  BOOST_TEST(result_of(first_stop).ok());
}

BOOST_AUTO_TEST_SUITE_END()
