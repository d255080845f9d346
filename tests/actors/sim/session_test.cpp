#include "troupe/actors/sim/session.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(simulated_session)

namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker = "/job:worker/task:0";

/// A session of the worker with a node on the parameter server.
struct SimulatedSessionFixture {
  explicit SimulatedSessionFixture(uint64_t seed = 1)
      : cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{seed}) {}
  sim::Cluster cluster;
  sim::Session session = cluster.session(worker);
  Value there = session.graph().on(ps).neg(session.graph().constant(1.0f));
};

void check_code(const Status& status, Code code) {
  BOOST_TEST((status.code() == code), status.to_string());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_step_that_is_cancelled_ends_at_once) {
  SimulatedSessionFixture fixture;
  BOOST_TEST(fixture.session.run({}, {fixture.there}).ok());
  fixture.cluster.freeze(ps);
  auto step = fixture.session.start({}, {fixture.there});
  fixture.cluster.run_for(1ms);
  BOOST_TEST(!step.is_done());
  auto before = fixture.cluster.now();
  fixture.session.cancel(step);
  BOOST_TEST(fixture.cluster.run_until(step.done()));
  BOOST_TEST((fixture.cluster.now() == before));
  check_code(step.status(), Code::cancelled);
  fixture.session.cancel(step);  // no effect: it has ended
  fixture.cluster.thaw(ps);
  BOOST_TEST(fixture.session.run({}, {fixture.there}).ok());
}

BOOST_AUTO_TEST_CASE(calls_to_a_master_that_crashes_fail_with_its_name) {
  SimulatedSessionFixture fixture;
  fixture.cluster.cut(ps, worker);
  auto step = fixture.session.start({}, {fixture.there});
  fixture.cluster.run_for(1ms);
  fixture.cluster.crash(worker);
  BOOST_TEST_REQUIRE(step.is_done());
  check_code(step.status(), Code::unavailable);
  BOOST_TEST(step.status().where().task == worker);
  check_code(fixture.session.run({}, {fixture.there}).status(), Code::unavailable);
  fixture.cluster.restart(worker);  // a new process, without the session
  check_code(fixture.session.run({}, {fixture.there}).status(), Code::unavailable);
  check_code(fixture.session.close(), Code::unavailable);
}

BOOST_AUTO_TEST_CASE(a_frozen_master_is_lost_once_it_has_missed_its_heartbeats) {
  SimulatedSessionFixture fixture;
  BOOST_TEST(fixture.session.run({}, {fixture.there}).ok());
  fixture.cluster.freeze(worker);
  auto before = fixture.cluster.now();
  auto status = fixture.session.run({}, {fixture.there}).status();
  check_code(status, Code::unavailable);
  BOOST_TEST(status.where().task == worker);
  BOOST_TEST((fixture.cluster.now() - before == 2s));
  check_code(fixture.cluster.list_devices(worker, 100ms).status(), Code::unavailable);
  check_code(fixture.cluster.open_session(worker).status(), Code::unavailable);
  // As the connection of a client that noticed the loss, the session does not come back.
  fixture.cluster.thaw(worker);
  check_code(fixture.session.run({}, {fixture.there}).status(), Code::unavailable);
  auto again = fixture.cluster.open_session(worker);
  BOOST_TEST_REQUIRE(again.ok(), again.status().to_string());
  BOOST_TEST((*again)->close().ok());
  BOOST_TEST(fixture.cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_master_that_thaws_in_time_answers_the_call_that_waits) {
  SimulatedSessionFixture fixture;
  fixture.cluster.freeze(worker);
  fixture.cluster.at(fixture.cluster.now() + 1900ms).thaw(worker);
  BOOST_TEST(fixture.session.run({}, {fixture.there}).ok());
}

BOOST_AUTO_TEST_CASE(a_session_has_the_interface_of_real_clusters) {
  SimulatedSessionFixture fixture;
  auto session = *fixture.cluster.open_session(worker);
  Builder b;
  auto x = b.placeholder(DType::float32, {});
  auto y = b.on(ps).neg(x);
  auto one = Tensor::scalar(1.0f);
  check_code(session->run({{x, one}}, {y}).status(), Code::invalid_argument);  // not sent yet
  BOOST_TEST(session->extend(b).ok());
  auto step = session->start({{x, one}}, {y}, {}, {.trace = Trace::full});
  bool is_told = false;
  step->when_done([&] { is_told = true; });
  BOOST_TEST(!step->done());
  BOOST_TEST(step->wait_for(1s));
  BOOST_TEST(is_told);
  BOOST_TEST(step->wait()->at(0).value<float>() == -1.0f);
  BOOST_TEST(!step->metadata().devices.empty());
  auto callable = session->make_callable({x}, {y});
  BOOST_TEST_REQUIRE(callable.ok(), callable.status().to_string());
  BOOST_TEST((*callable)->run({one})->at(0).value<float>() == -1.0f);
  auto partial = session->partial_run_setup({x}, {y});
  BOOST_TEST_REQUIRE(partial.ok(), partial.status().to_string());
  BOOST_TEST((*partial)->run({{x, one}}, {y})->at(0).value<float>() == -1.0f);
  BOOST_TEST(session->explain({x}, {y}).ok());
  auto cancelled = session->start({{x, one}}, {y});
  cancelled->cancel();
  check_code(cancelled->wait().status(), Code::cancelled);
  callable->reset();
  partial->reset();
  BOOST_TEST(session->close().ok());
  check_code(session->run({{x, one}}, {y}).status(), Code::failed_precondition);
  BOOST_TEST(fixture.cluster.leaks_of_calls().empty());
}

BOOST_AUTO_TEST_CASE(a_session_of_a_dead_task_fails_all_its_calls) {
  SimulatedSessionFixture fixture;
  fixture.cluster.crash(ps);
  auto session = fixture.cluster.session(ps);
  BOOST_TEST(session.master() == ps);
  check_code(session.run({}, {session.graph().constant(1.0f)}).status(), Code::unavailable);
}

BOOST_AUTO_TEST_CASE(a_session_may_be_closed_twice_and_then_runs_nothing) {
  SimulatedSessionFixture fixture;
  auto step = fixture.session.start({}, {fixture.there});
  BOOST_TEST(fixture.session.close().ok());
  check_code(step.status(), Code::cancelled);
  BOOST_TEST(fixture.session.close().ok());
  check_code(fixture.session.run({}, {fixture.there}).status(), Code::failed_precondition);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_graph_comes_back_with_each_call) {
  SimulatedSessionFixture fixture;
  BOOST_TEST(fixture.session.extend().ok());
  auto unknown = fixture.cluster.session(worker);
  unknown.graph().op("NoSuchOp");
  check_code(unknown.extend(), Code::not_found);
  check_code(unknown.run({}, {"x"}).status(), Code::not_found);
  auto refused = fixture.cluster.session(worker);
  auto constant = refused.graph().named("_reserved").constant(1.0f);
  check_code(refused.extend(), Code::invalid_argument);
  check_code(refused.run({}, {constant}).status(), Code::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_reset_closes_the_sessions_of_its_master_and_frees_the_container) {
  SimulatedSessionFixture fixture;
  auto b = fixture.session.graph().container("c");
  auto variable = b.on(ps).variable("v", b.on(ps).constant(1.0f));
  auto other = fixture.cluster.session(ps);
  BOOST_TEST(fixture.session.run({}, {}, {variable.initializer}).ok());
  BOOST_TEST(fixture.cluster.reset(worker, {"c"}, 1000ms).ok());
  // As of a real node: who recovers takes that as a reason to open another session.
  check_code(fixture.session.run({}, {fixture.there}).status(), Code::aborted);
  BOOST_TEST(fixture.session.is_closed());
  BOOST_TEST(!other.is_closed());
  BOOST_TEST(other.run({}, {other.graph().constant(1.0f)}).ok());
  auto b2 = other.graph().container("c").on(ps);
  auto again = b2.variable("v", b2.constant(1.0f));
  check_code(other.run({}, {again}).status(), Code::failed_precondition);
}

BOOST_AUTO_TEST_CASE(a_reset_names_the_task_that_it_did_not_reach) {
  SimulatedSessionFixture fixture;
  fixture.cluster.crash(ps);
  auto status = fixture.cluster.reset(worker, {""}, 500ms);
  check_code(status, Code::unavailable);
  BOOST_TEST(status.message().find(ps) != std::string::npos, status.message());
}

BOOST_AUTO_TEST_CASE(devices_are_listed_and_missing_tasks_are_named) {
  SimulatedSessionFixture fixture;
  auto all = fixture.cluster.list_devices(worker, 1000ms);
  BOOST_TEST_REQUIRE(all.ok());
  BOOST_TEST(all->devices.size() == 2U);
  fixture.cluster.crash(ps);
  auto some = fixture.cluster.list_devices(worker, 500ms);
  BOOST_TEST_REQUIRE(some.ok());
  BOOST_TEST(some->devices.size() == 1U);
  BOOST_TEST_REQUIRE(some->missing.size() == 1U);
  BOOST_TEST(some->missing[0].where().task == ps);
}

BOOST_AUTO_TEST_CASE(a_callable_outlives_the_tasks_that_it_uses) {
  SimulatedSessionFixture fixture;
  auto callable = fixture.session.make_callable({}, {fixture.there});
  BOOST_TEST(fixture.cluster.run_until(callable.done()));
  auto call = [&] {
    auto step = fixture.session.call(callable, {}, {.timeout = 5000ms});
    fixture.cluster.run_until(step.done());
    return step.status();
  };
  BOOST_TEST(call().ok());
  fixture.cluster.crash(ps);
  check_code(call(), Code::unavailable);
  fixture.cluster.restart(ps);
  auto status = call();
  for (int i = 0; i < 10 && !status.ok(); ++i) status = call();
  BOOST_TEST(status.ok(), status.to_string());
  fixture.session.release(callable);
  check_code(call(), Code::invalid_argument);
  BOOST_TEST(fixture.session.close().ok());
  BOOST_TEST(fixture.cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_partial_run_leaves_nothing_behind_however_it_ends) {
  SimulatedSessionFixture fixture;
  const auto& b = fixture.session.graph();
  auto x = b.placeholder(DType::float32, {}), y = b.placeholder(DType::float32, {});
  auto first = b.on(ps).neg(x), second = b.on(worker).add(first, y);
  auto set_up = [&](const RunOptions& options = {}) {
    auto partial = fixture.session.set_up_partial_run({x, y}, {first, second}, options);
    BOOST_TEST(fixture.cluster.run_until(partial.done()));
    BOOST_TEST(partial.status().ok(), partial.status().to_string());
    return partial;
  };
  auto feed = [&](const sim::Call& partial, const Value& to, const Value& fetch) {
    auto call = fixture.session.run_partially(partial, {{to, Tensor::scalar(2.0f)}}, {fetch});
    fixture.cluster.run_until(call.done());
    return call.status();
  };

  auto complete = set_up();
  BOOST_TEST(feed(complete, x, first).ok());
  BOOST_TEST(feed(complete, y, second).ok());
  auto late = set_up({.timeout = 50ms});
  BOOST_TEST(feed(late, x, first).ok());
  fixture.cluster.run_for(100ms);
  check_code(feed(late, y, second), Code::deadline_exceeded);
  auto dropped = set_up();
  BOOST_TEST(feed(dropped, x, first).ok());
  for (const auto& partial : {complete, late, dropped}) fixture.session.release(partial);
  BOOST_TEST(fixture.cluster.leaks_of_calls().empty());

  auto lost = set_up();
  fixture.cluster.cut(ps, worker);
  auto waiting = fixture.session.run_partially(lost, {{x, Tensor::scalar(2.0f)}}, {first});
  fixture.cluster.run_until(waiting.done());
  check_code(waiting.status(), Code::unavailable);
  fixture.cluster.end_all_faults();
  BOOST_TEST(fixture.session.close().ok());
  auto leaks = fixture.cluster.leaks();
  BOOST_TEST(leaks.empty(), (leaks.empty() ? "" : leaks[0]));
}

BOOST_AUTO_TEST_SUITE_END()
