#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace peers {
namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";
constexpr auto limit = 2s;  // the default

/// A step that a session on worker 0 runs on the parameter server and on worker 1. A constant in
/// place of its random number would be copied to where it is used.
struct PeersFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{7}};
  sim::Session session = cluster.session(worker0);
  Value far = session.graph().on(worker1).neg(
      session.graph().on(ps).random_normal({}, DType::float32, /*seed=*/1, /*seed2=*/2));

  PeersFixture() { BOOST_REQUIRE(session.run({}, {far}).ok()); }

  /// Starts a step without a timeout, and the fault while its messages are in flight.
  sim::Call start_and(const std::function<void()>& fault) {
    auto step = session.start({}, {far});
    fault();
    began = cluster.now();
    BOOST_REQUIRE(cluster.run_until(step.done()));
    return step;
  }

  sim::Time began{0};
};

}  // namespace
}  // namespace peers

BOOST_FIXTURE_TEST_SUITE(peers, peers::PeersFixture)

BOOST_AUTO_TEST_CASE(a_step_on_a_task_that_falls_silent_ends_at_the_limit_and_names_it) {
  for (const auto& silent : {ps, worker1}) {
    auto step = start_and([&] { cluster.freeze(silent); });
    BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
    BOOST_TEST(step.status().where().task == silent);
    BOOST_TEST(step.status().message().find("2000 ms") != std::string::npos);
    BOOST_TEST((step.ended_at() - began <= limit + 1ms));
    cluster.thaw(silent);
    cluster.run_for(1ms);
    auto again = session.run({}, {far});
    BOOST_TEST(again.ok(), again.status().to_string());
  }
}

BOOST_AUTO_TEST_CASE(a_link_that_breaks_while_tasks_greet_ends_the_step_at_once_or_not_at_all) {
  int failed = 0;
  for (auto at = 0us; at < 2ms; at += 20us) {
    sim::Cluster fresh({{"ps", 1}, {"worker", 1}}, sim::Seed{7});
    auto first = fresh.session(worker0);
    auto there = first.graph().on(ps).neg(first.graph().constant(1.0f));
    auto broken = fresh.now() + at;
    fresh.at(broken).break_link(worker0, ps);
    auto step = first.start({}, {there});
    BOOST_REQUIRE(fresh.run_until(step.done()));
    if (!step.status().ok()) {
      ++failed;
      BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
      BOOST_TEST(step.status().to_string().find(ps) != std::string::npos);
      BOOST_TEST((step.ended_at() - broken < 200ms), step.status().to_string());
    }
    fresh.run_for(10ms);  // the break may come, and be noticed, after the step
    auto again = first.run({}, {there});
    BOOST_TEST(again.ok(), again.status().to_string());
  }
  BOOST_TEST(failed > 3);
}

BOOST_AUTO_TEST_CASE(a_suspended_master_does_not_report_its_peers_as_lost) {
  cluster.freeze(worker0);
  cluster.run_for(30s);
  cluster.thaw(worker0);
  cluster.run_for(10s);
  auto values = session.run({}, {far});
  // The devices have ended the session: one step fails, and the next one is compiled again.
  if (!values.ok()) {
    BOOST_TEST((values.status().code() == Code::aborted), values.status().to_string());
    values = session.run({}, {far});
  }
  BOOST_TEST(values.ok(), values.status().to_string());
}

BOOST_AUTO_TEST_CASE(a_channel_cut_in_one_direction_is_noticed_on_both_ends) {
  for (bool forth : {true, false}) {
    const auto& from = forth ? worker0 : ps;
    const auto& to = forth ? ps : worker0;
    auto step = start_and([&] { cluster.cut(from, to); });
    BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
    BOOST_TEST(step.status().where().task == ps);
    BOOST_TEST((step.ended_at() - began <= limit + 1ms));
    cluster.heal(from, to);
    cluster.run_for(1ms);
    (void)session.run({}, {far});
    auto again = session.run({}, {far});
    BOOST_TEST(again.ok(), again.status().to_string());
  }
}

BOOST_AUTO_TEST_CASE(a_cut_between_two_other_tasks_ends_the_step_and_names_one_of_them) {
  auto step = start_and([&] { cluster.cut(ps, worker1); });
  BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
  BOOST_TEST((step.ended_at() - began <= limit + 1ms));
}

BOOST_AUTO_TEST_CASE(steps_that_begin_after_a_task_died_hear_of_it_at_once) {
  auto step = start_and([&] { cluster.crash(ps); });
  BOOST_TEST((step.status().code() == Code::unavailable), step.status().to_string());
  for (int i = 0; i < 3; ++i) {
    auto later = start_and([] {});
    BOOST_TEST((later.status().code() == Code::unavailable), later.status().to_string());
    BOOST_TEST(later.status().where().task == ps);
    BOOST_TEST((later.ended_at() - began < 100ms));
  }
  cluster.restart(ps);
  auto again = session.run({}, {far});
  BOOST_TEST(again.ok(), again.status().to_string());
}

BOOST_AUTO_TEST_CASE(a_peer_with_a_full_connection_is_not_lost) {
  auto on_ps = session.graph().on(ps);
  auto size = on_ps.constant(Tensor::of<int32_t>({1}, {1 << 18}));
  auto large = session.graph().on(worker1).reduce_sum(on_ps.fill(size, on_ps.constant(1.0f)));
  cluster.network({.bytes_per_second = 1 << 17});  // 1 MiB takes 8 s
  auto values = session.run({}, {large});
  BOOST_TEST(values.ok(), values.status().to_string());
  BOOST_TEST((cluster.now() > 4 * limit));
}

BOOST_AUTO_TEST_CASE(peers_that_are_idle_for_long_are_not_lost) {
  cluster.run_for(std::chrono::minutes(10));
  BOOST_TEST(session.run({}, {far}).ok());
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// Processes that say to task a that they are task b.
struct TwoIncarnations : NodesFixture {
  // Without heartbeats, which would find the silent peers of this test lost anyway.
  TaskActor task = spawn_task({.config = {cluster, "a", 0},
                               .devices = {devices.back()},
                               .catalog = catalog,
                               .world = world,
                               .connect_timeout = connect_timeout,
                               .heartbeat_limit = 0ms})
                       .actor;
  caf::scoped_actor first{system}, second{system};

  TwoIncarnations() { tasks.push_back(task); }

  static Hello hello(uint64_t incarnation) {
    return {
        .from_job = "b",
        .from_incarnation = incarnation,
        .version = protocol_version,
        .to_job = "a"};
  }
  Status greet(const caf::scoped_actor& from, const Hello& hello) {
    Status answer;
    from->request(task, test_timeout, hello)
        .receive(
            [&](Status& status, TaskDescription&) { answer = std::move(status); },
            [&](caf::error& error) { BOOST_FAIL(system.render(error)); });
    return answer;
  }
  Status ping(const caf::scoped_actor& from, const Hello& hello) {
    Status refused;
    from->send(task, Ping{hello});
    from->receive(
        [&](Pong& pong) { refused = std::move(pong.refused); },
        caf::after(test_timeout) >> [] { BOOST_FAIL("no Pong came"); });
    return refused;
  }
};

bool is_refused(const Status& status, const std::string& why) {
  return status.code() == Code::failed_precondition &&
         status.message().find(why) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(incarnations, TwoIncarnations)

BOOST_AUTO_TEST_CASE(a_ping_is_checked_as_a_hello_is) {
  for (bool by_ping : {false, true}) {
    auto say = [&](const Hello& hello) {
      return by_ping ? ping(first, hello) : greet(first, hello);
    };
    BOOST_TEST(say(hello(1)).ok());
    auto other = hello(1);
    other.cluster = "other";
    BOOST_TEST(is_refused(say(other), "belongs to the cluster"));
    other = hello(1);
    other.to_job = "b";
    BOOST_TEST(is_refused(say(other), "expected /job:b/task:0 here"));
    other = hello(1);
    --other.version;
    BOOST_TEST(is_refused(say(other), "speaks version"));
  }
}

BOOST_AUTO_TEST_CASE(a_message_of_an_earlier_life_does_not_end_the_later_one) {
  BOOST_TEST(greet(first, hello(1)).ok());
  BOOST_TEST(greet(second, hello(2)).ok());
  BOOST_TEST(is_refused(ping(first, hello(1)), "another process is /job:b/task:0 now"));
  BOOST_TEST(is_refused(greet(first, hello(1)), "another process is /job:b/task:0 now"));
  BOOST_TEST(ping(second, hello(2)).ok());
}

BOOST_AUTO_TEST_CASE(a_process_that_was_lost_before_the_later_one_came_is_refused_too) {
  BOOST_TEST(greet(first, hello(1)).ok());
  first->send(task, Pong{failed_precondition("so it is lost")});
  BOOST_TEST(greet(second, hello(2)).ok());
  BOOST_TEST(is_refused(greet(first, hello(1)), "another process is /job:b/task:0 now"));
  BOOST_TEST(ping(second, hello(2)).ok());
}

BOOST_AUTO_TEST_CASE(a_ping_of_a_process_that_has_not_said_hello_takes_no_place) {
  BOOST_TEST(greet(first, hello(1)).ok());
  BOOST_TEST(is_refused(ping(second, hello(2)), "another process is /job:b/task:0 now"));
  BOOST_TEST(ping(first, hello(1)).ok());
  BOOST_TEST(greet(second, hello(2)).ok());
}

BOOST_AUTO_TEST_CASE(a_task_that_refuses_is_lost) {
  caf::scoped_actor refusing(system);
  BOOST_TEST(greet(refusing, hello(1)).ok());
  auto device = device_of(task, "a");
  NodeDef waits{
      .name = "_recv/0",
      .op = transfer::recv,
      .attrs = {
          {"tensor_type", DType::float32},
          {"edge", int64_t{5}},
          {"from_device", "/job:a/task:0/device:CPU:0"}}};
  auto status = std::get<0>(ask<Status, Registered>(device, Register{7, 1, {waits}, b_task}));
  BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  self->send(device, StartStep{.step = {7, 1}, .plan = 1});
  refusing->send(task, Pong{failed_precondition("not you")});
  auto done = next<StepDone>();
  BOOST_TEST((done.status.code() == Code::aborted), done.status.to_string());
}

BOOST_AUTO_TEST_SUITE_END()
