#include "troupe/actors/sim/session.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker = "/job:worker/task:0";

/// A session of the worker with a node on the parameter server.
struct Scene {
  explicit Scene(uint64_t seed = 1) : cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{seed}) {}
  sim::Cluster cluster;
  sim::Session session = cluster.session(worker);
  Value there = session.graph().on(ps).neg(session.graph().constant(1.0f));
};

void check_code(const Status& status, Code code) {
  BOOST_TEST((status.code() == code), status.to_string());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simulated_session)

BOOST_AUTO_TEST_CASE(a_step_that_is_cancelled_ends_at_once) {
  Scene scene;
  BOOST_TEST(scene.session.run({}, {scene.there}).ok());
  scene.cluster.freeze(ps);
  auto step = scene.session.start({}, {scene.there});
  scene.cluster.run_for(1ms);
  BOOST_TEST(!step.is_done());
  auto before = scene.cluster.now();
  scene.session.cancel(step);
  BOOST_TEST(scene.cluster.run_until(step.done()));
  BOOST_TEST((scene.cluster.now() == before));
  check_code(step.status(), Code::cancelled);
  scene.session.cancel(step);  // it has ended: nothing happens
  scene.cluster.thaw(ps);
  BOOST_TEST(scene.session.run({}, {scene.there}).ok());
}

BOOST_AUTO_TEST_CASE(calls_of_a_master_that_crashes_end_with_its_name) {
  Scene scene;
  scene.cluster.cut(ps, worker);
  auto step = scene.session.start({}, {scene.there});
  scene.cluster.run_for(1ms);
  scene.cluster.crash(worker);
  BOOST_TEST_REQUIRE(step.is_done());
  check_code(step.status(), Code::unavailable);
  BOOST_TEST(step.status().where().task == worker);
  check_code(scene.session.run({}, {scene.there}).status(), Code::unavailable);
  scene.cluster.restart(worker);  // another life: the session is gone
  check_code(scene.session.run({}, {scene.there}).status(), Code::unavailable);
  check_code(scene.session.close(), Code::unavailable);
}

BOOST_AUTO_TEST_CASE(a_session_of_a_dead_task_fails_all_its_calls) {
  Scene scene;
  scene.cluster.crash(ps);
  auto session = scene.cluster.session(ps);
  BOOST_TEST(session.master() == ps);
  check_code(session.run({}, {session.graph().constant(1.0f)}).status(), Code::unavailable);
}

BOOST_AUTO_TEST_CASE(a_session_may_be_closed_twice_and_then_runs_nothing) {
  Scene scene;
  auto step = scene.session.start({}, {scene.there});
  BOOST_TEST(scene.session.close().ok());
  check_code(step.status(), Code::cancelled);
  BOOST_TEST(scene.session.close().ok());
  check_code(scene.session.run({}, {scene.there}).status(), Code::failed_precondition);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_graph_comes_back_with_each_call) {
  Scene scene;
  BOOST_TEST(scene.session.extend().ok());
  auto unknown = scene.cluster.session(worker);
  unknown.graph().op("NoSuchOp");
  check_code(unknown.extend(), Code::not_found);
  check_code(unknown.run({}, {"x"}).status(), Code::not_found);
  auto refused = scene.cluster.session(worker);
  auto constant = refused.graph().named("_reserved").constant(1.0f);
  check_code(refused.extend(), Code::invalid_argument);
  check_code(refused.run({}, {constant}).status(), Code::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_reset_closes_the_sessions_of_its_master_and_frees_what_the_container_had) {
  Scene scene;
  auto b = scene.session.graph().container("c");
  auto variable = b.on(ps).variable("v", b.on(ps).constant(1.0f));
  auto other = scene.cluster.session(ps);
  BOOST_TEST(scene.session.run({}, {}, {variable.initializer}).ok());
  BOOST_TEST(scene.cluster.reset(worker, {"c"}, 1000ms).ok());
  check_code(scene.session.run({}, {scene.there}).status(), Code::failed_precondition);
  BOOST_TEST(other.run({}, {other.graph().constant(1.0f)}).ok());
  auto b2 = other.graph().container("c").on(ps);
  auto again = b2.variable("v", b2.constant(1.0f));
  check_code(other.run({}, {again}).status(), Code::failed_precondition);
}

BOOST_AUTO_TEST_CASE(a_reset_names_the_task_that_it_did_not_reach) {
  Scene scene;
  scene.cluster.crash(ps);
  auto status = scene.cluster.reset(worker, {""}, 500ms);
  check_code(status, Code::unavailable);
  BOOST_TEST(status.message().find(ps) != std::string::npos, status.message());
}

BOOST_AUTO_TEST_CASE(devices_are_listed_and_who_is_missing_is_named) {
  Scene scene;
  auto all = scene.cluster.list_devices(worker, 1000ms);
  BOOST_TEST_REQUIRE(all.ok());
  BOOST_TEST(all->devices.size() == 2U);
  scene.cluster.crash(ps);
  auto some = scene.cluster.list_devices(worker, 500ms);
  BOOST_TEST_REQUIRE(some.ok());
  BOOST_TEST(some->devices.size() == 1U);
  BOOST_TEST_REQUIRE(some->missing.size() == 1U);
  BOOST_TEST(some->missing[0].where().task == ps);
}

BOOST_AUTO_TEST_CASE(a_callable_outlives_the_tasks_that_it_uses) {
  Scene scene;
  auto callable = scene.session.make_callable({}, {scene.there});
  BOOST_TEST(scene.cluster.run_until(callable.done()));
  auto call = [&] {
    auto step = scene.session.call(callable, {}, {.timeout = 5000ms});
    scene.cluster.run_until(step.done());
    return step.status();
  };
  BOOST_TEST(call().ok());
  scene.cluster.crash(ps);
  check_code(call(), Code::unavailable);
  scene.cluster.restart(ps);
  auto status = call();
  for (int i = 0; i < 10 && !status.ok(); ++i) status = call();
  BOOST_TEST(status.ok(), status.to_string());
  scene.session.release(callable);
  check_code(call(), Code::invalid_argument);
  BOOST_TEST(scene.session.close().ok());
  BOOST_TEST(scene.cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_partial_run_leaves_nothing_behind_however_it_ends) {
  Scene scene;
  const auto& b = scene.session.graph();
  auto x = b.placeholder(DType::float32, {}), y = b.placeholder(DType::float32, {});
  auto first = b.on(ps).neg(x), second = b.on(worker).add(first, y);
  auto set_up = [&](const RunOptions& options = {}) {
    auto partial = scene.session.set_up_partial_run({x, y}, {first, second}, options);
    BOOST_TEST(scene.cluster.run_until(partial.done()));
    BOOST_TEST(partial.status().ok(), partial.status().to_string());
    return partial;
  };
  auto feed = [&](const sim::Call& partial, const Value& to, const Value& fetch) {
    auto call = scene.session.run_partially(partial, {{to, Tensor::scalar(2.0f)}}, {fetch});
    scene.cluster.run_until(call.done());
    return call.status();
  };

  auto complete = set_up();
  BOOST_TEST(feed(complete, x, first).ok());
  BOOST_TEST(feed(complete, y, second).ok());
  auto late = set_up({.timeout = 50ms});
  BOOST_TEST(feed(late, x, first).ok());
  scene.cluster.run_for(100ms);
  check_code(feed(late, y, second), Code::deadline_exceeded);
  auto dropped = set_up();
  BOOST_TEST(feed(dropped, x, first).ok());
  for (const auto& partial : {complete, late, dropped}) scene.session.release(partial);
  BOOST_TEST(scene.cluster.leaks_of_calls().empty());

  auto lost = set_up();
  scene.cluster.cut(ps, worker);
  auto waiting = scene.session.run_partially(lost, {{x, Tensor::scalar(2.0f)}}, {first});
  scene.cluster.run_until(waiting.done());
  check_code(waiting.status(), Code::unavailable);
  scene.cluster.mend();
  BOOST_TEST(scene.session.close().ok());
  auto leaks = scene.cluster.leaks();
  BOOST_TEST(leaks.empty(), (leaks.empty() ? "" : leaks[0]));
}

BOOST_AUTO_TEST_SUITE_END()
