#include "troupe/actors/session/step_cache.hpp"

#include "troupe/tests/actors/session_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr CallId callable_id = 1000;

struct StepCacheFixture : SessionFixture {
  Status make_callable(const std::string& fetch) {
    Waiting<Status> made;
    tell(session, MakeCallable{callable_id, {}, {fetch}, {}, {}, made.callback()});
    return made.wait();
  }
  std::shared_ptr<Waiting<Result<Tensors>>> call(CallId id) {
    auto answer = std::make_shared<Waiting<Result<Tensors>>>();
    tell(session, RunCallable{id, callable_id, {}, {}, answer->callback()});
    return answer;
  }
  /// Answers the next StartStep of the fake device with this result.
  void fake_step(const Status& status = {}) {
    auto started = next<StartStep>();
    send_done(started, status, status.ok() ? Tensors{Tensor::scalar(5.0f)} : Tensors{});
  }
  /// Compiles and runs that many other steps.
  void run_others(int count) {
    std::vector<NodeDef> nodes;
    for (int i = 0; i < count; ++i) {
      auto node = "other" + std::to_string(i);
      nodes.push_back(
          {.name = node,
           .op = "Const",
           .device = b_task,
           .inputs = {},
           .attrs = {{"value", Tensor::scalar(1.0f)}, {"dtype", DType::float32}}});
    }
    Waiting<Status> extended;
    auto size = static_cast<uint64_t>(b.graph().size());
    tell(session, Extend{std::move(nodes), size, extended.callback()});
    BOOST_REQUIRE(extended.wait().ok());
    for (int i = 0; i < count; ++i) {
      auto answer = run(CallId(i + 1), {"other" + std::to_string(i)});
      (void)next_registration();
      fake_step();
      BOOST_REQUIRE(answer->wait().ok());
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(step_cache, StepCacheFixture)

BOOST_AUTO_TEST_CASE(a_callable_is_compiled_when_it_is_made_and_only_starts_after_that) {
  BOOST_REQUIRE(make_callable(remote_neg()).ok());
  auto plan = next_registration();
  for (CallId id = 1; id < 4; ++id) {
    auto answer = call(id);
    auto started = next<StartStep>();
    BOOST_TEST(started.plan == plan);
    send_done(started, Status(), {Tensor::scalar(5.0f)});
    BOOST_TEST(answer->wait().ok());
  }
}

BOOST_AUTO_TEST_CASE(a_step_by_name_shares_the_plan_of_a_callable) {
  auto fetch = remote_neg();
  BOOST_REQUIRE(make_callable(fetch).ok());
  auto plan = next_registration();
  auto answer = run(1, {fetch});
  auto started = next<StartStep>();
  BOOST_TEST(started.plan == plan);
  send_done(started, Status(), {Tensor::scalar(5.0f)});
  BOOST_TEST(answer->wait().ok());
}

BOOST_AUTO_TEST_CASE(after_its_plan_was_gone_a_callable_is_compiled_again_by_its_next_call) {
  BOOST_REQUIRE(make_callable(remote_neg()).ok());
  auto plan = next_registration();
  auto first = call(1);
  send_stale(next<StartStep>());
  BOOST_TEST((first->wait().status().code() == Code::aborted));
  auto second = call(2);
  BOOST_TEST(next_registration() != plan);
  fake_step();
  BOOST_TEST(second->wait().ok());
}

BOOST_AUTO_TEST_CASE(
    a_lost_task_fails_one_call_of_a_callable_and_the_next_uses_the_restarted_task) {
  BOOST_REQUIRE(make_callable(remote_neg()).ok());
  auto plan = next_registration();
  auto running = call(1);
  (void)next<StartStep>();
  self->send_exit(task_b, caf::exit_reason::kill);
  auto status = running->wait().status();
  BOOST_TEST((status.code() == Code::unavailable), status.to_string());
  task_b = spawn_fake_task(device);
  auto second = call(2);
  BOOST_TEST(next_registration() != plan);
  fake_step();
  BOOST_TEST(second->wait().ok());
}

BOOST_AUTO_TEST_CASE(the_plan_of_a_callable_is_not_dropped_for_later_steps) {
  auto fetch = remote_neg();
  auto by_name = run(1, {fetch});
  auto plan = next_registration();
  fake_step();
  BOOST_TEST(by_name->wait().ok());
  BOOST_REQUIRE(make_callable(fetch).ok());
  run_others(StepCache::steps_max + 1);
  auto answer = call(20'000);
  auto started = next<StartStep>();
  BOOST_TEST(started.plan == plan);
  send_done(started, Status(), {Tensor::scalar(5.0f)});
  BOOST_TEST(answer->wait().ok());
  BOOST_TEST(next<DropPlan>().plan != plan);
}

BOOST_AUTO_TEST_CASE(a_released_callable_is_unknown_and_its_plan_may_be_dropped) {
  BOOST_REQUIRE(make_callable(remote_neg()).ok());
  auto plan = next_registration();
  tell(session, Release{callable_id});
  auto status = call(1)->wait().status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message() == "there is no such callable in the session");
  run_others(StepCache::steps_max + 1);
  BOOST_TEST(next<DropPlan>().plan == plan);
}

BOOST_AUTO_TEST_CASE(a_callable_released_while_it_is_made_does_not_exist) {
  auto fetch = remote_neg();
  world->hold();
  Waiting<Status> made;
  tell(session, MakeCallable{callable_id, {}, {fetch}, {}, {}, made.callback()});
  tell(session, Release{callable_id});
  BOOST_TEST((made.wait().code() == Code::cancelled));
  world->release();
  BOOST_TEST((call(1)->wait().status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_timeout_error_of_make_callable_names_what_it_waits_for) {
  auto fetch = remote_neg();
  world->hold();
  Waiting<Status> made;
  tell(
      session,
      MakeCallable{callable_id, {}, {fetch}, {}, {.timeout = stretched(50ms)}, made.callback()});
  auto status = made.wait();
  BOOST_TEST((status.code() == Code::deadline_exceeded));
  BOOST_TEST(status.message().ends_with("; it waits for " + std::string(b_task)));
}

BOOST_AUTO_TEST_CASE(a_step_that_loses_a_race_is_compiled_again_without_its_client) {
  *lost_races = 2;
  auto answer = run(1, {remote_neg()});
  std::set<PlanId> plans;
  for (int i = 0; i < 3; ++i) plans.insert(next_registration());
  BOOST_TEST(plans.size() == 3u);
  fake_step();
  BOOST_TEST(answer->wait().ok());
}

BOOST_AUTO_TEST_CASE(a_step_that_loses_every_race_fails_in_the_end) {
  *lost_races = 1000;
  auto status = run(1, {remote_neg()})->wait().status();
  BOOST_TEST((status.code() == Code::aborted), status.to_string());
  BOOST_TEST(*lost_races == 1000 - 8);
}

BOOST_AUTO_TEST_CASE(a_transient_step_is_dropped_after_its_start_and_compiled_for_each_run) {
  *is_transient = true;
  auto output = remote_neg();
  for (CallId id = 1; id < 3; ++id) {
    auto answer = run(id, {output});
    auto plan = next_registration();
    fake_step();
    BOOST_TEST(answer->wait().ok());
    BOOST_TEST(next<DropPlan>().plan == plan);
  }
  *is_transient = false;
  auto answer = run(3, {output});
  (void)next_registration();
  fake_step();
  BOOST_TEST(answer->wait().ok());
  answer = run(4, {output});
  fake_step();
  BOOST_TEST(answer->wait().ok());
}

BOOST_AUTO_TEST_SUITE_END()
