#include "troupe/actors/session/session_actor.hpp"

#include "troupe/actors/session/deadlines.hpp"
#include "troupe/tests/actors/session_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_FIXTURE_TEST_SUITE(session_actor, SessionFixture)

BOOST_AUTO_TEST_CASE(a_run_is_answered_with_the_fetches_of_the_devices) {
  auto answer = run(1, {remote_neg()});
  auto plan = next_registration();
  auto started = next<StartStep>();
  BOOST_TEST(started.plan == plan);
  send_done(started, Status(), {Tensor::scalar(5.0f)});
  auto values = answer->wait();
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  BOOST_TEST((*values)[0].value<float>() == 5.0f);
}

BOOST_AUTO_TEST_CASE(missing_fetches_of_a_device_fail_the_run) {
  auto fetch = remote_neg();
  auto first = run(1, {fetch});
  (void)next_registration();
  send_done(next<StartStep>(), Status(), {});
  BOOST_TEST((first->wait().status().code() == Code::internal));
  auto second = run(2, {fetch});
  send_done(next<StartStep>(), Status(), {Tensor()});
  BOOST_TEST((second->wait().status().code() == Code::internal));
}

BOOST_AUTO_TEST_CASE(a_run_past_its_timeout_ends_and_is_cancelled_on_the_devices) {
  auto answer = run(1, {remote_neg()}, 1ms);
  auto status = answer->wait().status();
  BOOST_TEST((status.code() == Code::deadline_exceeded), status.to_string());
  world->hold();
  auto waiting = run(2, {"nowhere:0"}, 1ms);
  BOOST_TEST((waiting->wait().status().code() == Code::not_found));
}

BOOST_AUTO_TEST_CASE(the_timeout_error_of_a_run_names_what_it_waits_for) {
  auto fetch = remote_neg();
  world->hold();
  auto searching = run(1, {fetch}, stretched(200ms))->wait().status();
  BOOST_TEST((searching.code() == Code::deadline_exceeded));
  BOOST_TEST(
      searching.message().ends_with("; it waits for " + std::string(b_task)), searching.message());
  auto running = run(2, {fetch}, stretched(200ms));
  world->release();
  (void)next_registration();
  (void)next<StartStep>();
  auto late = running->wait().status();
  BOOST_TEST((late.code() == Code::deadline_exceeded));
  BOOST_TEST(late.message().ends_with("; it waits for " + std::string(b_task) + "/device:CPU:0"));
}

BOOST_AUTO_TEST_CASE(a_run_can_be_cancelled_while_it_waits_for_its_tasks_and_while_it_runs) {
  auto fetch = remote_neg();
  world->hold();
  auto waiting = run(1, {fetch});
  tell(session, CancelRun{1});
  BOOST_TEST((waiting->wait().status().code() == Code::cancelled));
  auto running = run(2, {fetch});
  world->release();
  (void)next_registration();
  auto started = next<StartStep>();
  tell(session, CancelRun{2});
  BOOST_TEST((running->wait().status().code() == Code::cancelled));
  BOOST_TEST((next<CancelStep>().step == started.step));
  send_done(started, Status(), {Tensor::scalar(1.0f)});  // late: ignored
}

BOOST_AUTO_TEST_CASE(a_drain_waits_for_open_runs_and_refuses_new_ones) {
  auto fetch = remote_neg();
  auto running = run(1, {fetch});
  (void)next_registration();
  auto started = next<StartStep>();
  Waiting<Status> first, second;
  tell(a, Drain{test_timeout, first.callback()});
  tell(a, Drain{test_timeout, second.callback()});
  (void)ask<Status, TaskDescription>(
      a, FindTask{.job = "a", .task = 0, .timeout = connect_timeout});
  auto refused = run(2, {fetch})->wait().status();
  BOOST_TEST((refused.code() == Code::unavailable));
  BOOST_TEST(refused.where().task == a_task);
  send_done(started, Status(), {Tensor::scalar(5.0f)});
  BOOST_TEST(running->wait().ok());
  BOOST_TEST(first.wait().ok());
  BOOST_TEST(second.wait().ok());
}

BOOST_AUTO_TEST_CASE(a_drain_cancels_runs_that_are_open_at_its_deadline) {
  auto fetch = remote_neg();
  auto running = run(1, {fetch});
  (void)next_registration();
  auto started = next<StartStep>();
  Waiting<Status> drained;
  tell(a, Drain{10ms, drained.callback()});
  BOOST_TEST((drained.wait().code() == Code::deadline_exceeded));
  BOOST_TEST((running->wait().status().code() == Code::cancelled));
  BOOST_TEST((next<CancelStep>().step == started.step));
}

BOOST_AUTO_TEST_CASE(a_lost_task_fails_the_runs_that_use_it_and_is_named) {
  auto fetch = remote_neg();
  auto running = run(1, {fetch});
  (void)next_registration();
  (void)next<StartStep>();
  self->send_exit(task_b, caf::exit_reason::kill);
  auto status = running->wait().status();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.where().task == b_task);
}

BOOST_AUTO_TEST_CASE(after_a_step_whose_op_was_aborted_the_next_one_uses_the_same_plan) {
  auto fetch = remote_neg();
  auto first = run(1, {fetch});
  auto plan = next_registration();
  send_done(next<StartStep>(), aborted("as an op may say"));
  BOOST_TEST((first->wait().status().code() == Code::aborted));
  auto second = run(2, {fetch});
  auto started = next<StartStep>();
  BOOST_TEST(started.plan == plan);
  send_done(started, Status(), {Tensor::scalar(1.0f)});
  BOOST_TEST(second->wait().ok());
}

BOOST_AUTO_TEST_CASE(after_a_step_whose_plan_was_gone_the_next_one_registers_again) {
  auto fetch = remote_neg();
  auto first = run(1, {fetch});
  auto plan = next_registration();
  send_stale(next<StartStep>());
  BOOST_TEST((first->wait().status().code() == Code::aborted));
  BOOST_TEST(next<DropPlan>().plan == plan);
  auto second = run(2, {fetch});
  BOOST_TEST(next_registration() != plan);
  send_done(next<StartStep>(), Status(), {Tensor::scalar(1.0f)});
  BOOST_TEST(second->wait().ok());
}

BOOST_AUTO_TEST_CASE(close_answers_runs_and_ends_the_session_on_devices) {
  auto running = run(1, {remote_neg()});
  (void)next_registration();
  auto started = next<StartStep>();
  Waiting<Status> closed;
  tell(session, Close{closed.callback()});
  BOOST_TEST(closed.wait().ok());
  BOOST_TEST((running->wait().status().code() == Code::cancelled));
  BOOST_TEST((next<CancelStep>().step == started.step));
  BOOST_TEST(next<EndSession>().session == started.step.session);
}

BOOST_AUTO_TEST_CASE(a_feed_without_a_value_is_refused) {
  auto x = b.named("x").placeholder(DType::float32, {Shape::unknown});
  auto y = b.on(b_task).neg(x);
  extend();
  auto status = run(1, {y.name()}, 0ms, {{"x:0", Tensor()}})->wait().status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("x:0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_idle_session_closes_itself_but_not_while_a_step_runs) {
  session = spawn_session(
      system, a,
      {.id = 77,
       .view = std::make_shared<const PlacementView>(
           PlacementView{cluster, *DeviceName::parse("/job:a/task:0/device:CPU:0"), {}}),
       .catalog = catalog,
       .connect_timeout = connect_timeout,
       .world = world,
       .metrics = std::make_shared<Metrics>(),
       .options = {},
       .idle_limit = stretched(100ms),
       .log = {}});
  auto answer = run(1, {remote_neg()});
  (void)next_registration();
  auto started = next<StartStep>();
  self->delayed_send(self, stretched(300ms), Pong());
  (void)next<Pong>();
  send_done(started, Status(), {Tensor::scalar(1.0f)});
  BOOST_TEST(answer->wait().ok());
  wait_for_end(session);
  BOOST_TEST((next<EndSession>().session == 77u));
}

BOOST_AUTO_TEST_CASE(of_many_deadlines_only_the_earliest_has_a_timer) {
  Deadlines deadlines;
  Deadlines::Time now{};
  BOOST_TEST(!deadlines.take_timer(now));
  deadlines.add(1, 50ms, now);
  BOOST_TEST((*deadlines.take_timer(now) == 50ms));
  for (CallId call = 2; call < 100; ++call) {
    deadlines.add(call, 60ms, now);
    BOOST_TEST(!deadlines.take_timer(now));
  }
  deadlines.add(100, 10ms, now);
  BOOST_TEST((*deadlines.take_timer(now) == 10ms));
  deadlines.remove(1);
  now += 10ms;
  deadlines.timer_expired();
  BOOST_TEST(deadlines.take_due(now) == std::vector<CallId>{100}, boost::test_tools::per_element());
  BOOST_TEST((*deadlines.take_timer(now) == 50ms));
  now += 50ms;
  deadlines.timer_expired();
  BOOST_TEST(deadlines.take_due(now).size() == 98u);
  BOOST_TEST(!deadlines.take_timer(now));
  deadlines.add(200, std::chrono::milliseconds::max(), now);
  BOOST_TEST(deadlines.take_due(now).empty());
}

BOOST_AUTO_TEST_CASE(explain_lists_what_a_running_step_waits_for) {
  auto explain = [this] {
    Waiting<Result<std::vector<WaitingStep>>> explained;
    tell(a, ListWaitingSteps{connect_timeout, explained.callback()});
    auto steps = explained.wait();
    BOOST_REQUIRE(steps.ok());
    return *steps;
  };
  BOOST_TEST(explain().empty());
  auto answer = run(1, {remote_neg()});
  next_registration();
  auto started = next<StartStep>();
  auto steps = explain();
  BOOST_TEST_REQUIRE(steps.size() == 1u);
  BOOST_TEST(steps[0].session == started.step.session);
  BOOST_TEST(steps[0].step == started.step.number);
  BOOST_TEST_REQUIRE(steps[0].waits.size() == 1u);
  BOOST_TEST(steps[0].waits[0].node == "far");
  BOOST_TEST(steps[0].waits[0].what == "its turn");
  send_done(started, Status(), {Tensor::scalar(1.0f)});
  BOOST_TEST(answer->wait().ok());
  BOOST_TEST(explain().empty());
}

BOOST_AUTO_TEST_CASE(explain_lists_what_a_compilation_waits_for) {
  world->hold();
  auto answer = run(1, {remote_neg()});
  Waiting<Result<std::vector<WaitingStep>>> explained;
  tell(a, ListWaitingSteps{connect_timeout, explained.callback()});
  auto steps = explained.wait();
  BOOST_TEST_REQUIRE(steps.ok());
  BOOST_TEST_REQUIRE(steps->size() == 1u);
  BOOST_TEST(steps->at(0).step == 0u);
  BOOST_TEST(std::ranges::count(steps->at(0).waits, b_task, &Wait::peer) == 1);
  world->release();
  next_registration();
  send_done(next<StartStep>(), Status(), {Tensor::scalar(1.0f)});
  BOOST_TEST(answer->wait().ok());
}

BOOST_AUTO_TEST_CASE(calls_after_a_large_extension_wait_for_it_and_can_be_cancelled) {
  auto fetch = b.on(b_task).named("far").neg(b.on(b_task).constant(1.0f)).name();
  world->all_takes_long = true;
  world->hold();
  auto extended = begin_extension();
  auto answer = run(1, {fetch});
  auto cancelled_run = run(2, {fetch});
  tell(session, CancelRun{2});
  BOOST_TEST((cancelled_run->wait().status().code() == Code::cancelled));
  world->release();
  BOOST_TEST(extended->wait().ok());
  (void)next_registration();
  send_done(next<StartStep>(), Status(), {Tensor::scalar(5.0f)});
  BOOST_TEST(answer->wait().ok());
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_for_a_large_extension_has_its_timeout) {
  world->all_takes_long = true;
  world->hold();
  auto extended = begin_extension();
  auto status = run(1, {"x:0"}, 1ms)->wait().status();
  BOOST_TEST((status.code() == Code::deadline_exceeded), status.to_string());
  world->release();
  BOOST_TEST(extended->wait().ok());
}

BOOST_AUTO_TEST_CASE(a_large_extension_that_fails_leaves_the_graph_as_it_was) {
  world->all_takes_long = true;
  Waiting<Status> refused;
  NodeDef wrong{.name = "x", .op = "NoSuchOp", .inputs = {}, .attrs = {}};
  tell(session, Extend{{wrong}, 0, refused.callback()});
  auto waiting = run(1, {"x:0"});
  BOOST_TEST(!refused.wait().ok());
  BOOST_TEST((waiting->wait().status().code() == Code::not_found));
  auto answer = run(2, {remote_neg()});
  (void)next_registration();
  send_done(next<StartStep>(), Status(), {Tensor::scalar(5.0f)});
  BOOST_TEST(answer->wait().ok());
}

BOOST_AUTO_TEST_CASE(a_session_that_closes_answers_a_large_extension_and_what_waits_for_it) {
  world->all_takes_long = true;
  world->hold();
  auto extended = begin_extension();
  auto answer = run(1, {"x:0"});
  Waiting<Status> closed;
  tell(session, Close{closed.callback()});
  BOOST_TEST(closed.wait().ok());
  BOOST_TEST((extended->wait().code() == Code::cancelled));
  BOOST_TEST((answer->wait().status().code() == Code::cancelled));
  world->release();
}

BOOST_AUTO_TEST_SUITE_END()
