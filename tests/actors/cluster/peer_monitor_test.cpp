#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace peers {
namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";
constexpr auto limit = 2s;  // the default

/// A step that a session on worker 0 runs on the parameter server and on worker 1.
struct PeersFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{7}};
  sim::Session session = cluster.session(worker0);
  Value far = session.graph().on(worker1).neg(
      session.graph().on(ps).neg(session.graph().on(ps).constant(1.0f)));

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
