#include "troupe/actors/session/partial_step.hpp"

#include <future>

#include "troupe/actors/local/local_session.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"
#include "troupe/tests/devices/waiting.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace partial_step {
namespace {

template <class T>
T must(Result<T> result) {
  BOOST_REQUIRE_MESSAGE(result.ok(), result.status().to_string());
  return *std::move(result);
}

float value_of(const Result<Tensors>& values) {
  BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
  BOOST_REQUIRE(values->size() == 1u);
  return values->at(0).value<float>();
}

void check_refused(const Result<Tensors>& values, const std::string& message) {
  BOOST_TEST((values.status().code() == Code::invalid_argument), values.status().to_string());
  BOOST_TEST(values.status().message() == message);
}

/// A session on task a, with sum = -x + y, of which task b computes -x.
struct PartialStepFixture : NodesFixture {
  TaskActor b_actor = spawn("b");
  Builder b;
  Value x = b.named("x").placeholder(DType::float32, {});
  Value y = b.named("y").placeholder(DType::float32, {});
  Value minus = b.on(b_task).named("minus").neg(x);
  Value sum = b.named("sum").add(minus, y);
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  std::unique_ptr<Session> session = open();

  ~PartialStepFixture() { session.reset(); }

  std::unique_ptr<Session> open() {
    Waiting<Result<SessionActor>> opened;
    tell(a, CreateSession{opened.callback()});
    auto made = make_local_session(system, must(opened.wait()), std::make_shared<SessionEnd>());
    BOOST_REQUIRE(made->extend(b).ok());
    return made;
  }

  std::vector<WaitingStep> explain() {
    Waiting<Result<std::vector<WaitingStep>>> explained;
    tell(a, ListWaitingSteps{connect_timeout, explained.callback()});
    return must(explained.wait());
  }
  /// Waits until no step of any session runs.
  void await_quiet() {
    auto end = std::chrono::steady_clock::now() + test_timeout;
    while (!explain().empty()) BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
  }

  std::unique_ptr<PartialRun> set_up(
      const Refs& feeds, const Refs& fetches, const RunOptions& options = {}) {
    return must(session->partial_run_setup(feeds, fetches, {}, options));
  }
};

Tensor number(float value) { return Tensor::scalar(value); }

}  // namespace
}  // namespace partial_step

BOOST_FIXTURE_TEST_SUITE(partial_step, partial_step::PartialStepFixture)

BOOST_AUTO_TEST_CASE(a_step_over_two_tasks_is_fed_and_fetched_in_several_calls) {
  auto partial = set_up({x, y}, {minus, sum});
  BOOST_TEST(value_of(partial->run({{x, number(2)}}, {minus})) == -2.0f);
  BOOST_TEST(value_of(partial->run({{y, number(5)}}, {sum})) == 3.0f);
  await_quiet();
  auto next = set_up({x, y}, {minus, sum});
  BOOST_TEST(must(next->run({{x, number(1)}, {y, number(1)}}, {sum, minus})).size() == 2u);
}

BOOST_AUTO_TEST_CASE(several_partial_runs_of_one_step_are_independent) {
  auto first = set_up({x, y}, {sum}), second = set_up({x, y}, {sum});
  BOOST_TEST(must(first->run({{x, number(1)}}, {})).empty());
  BOOST_TEST(value_of(second->run({{x, number(10)}, {y, number(10)}}, {sum})) == 0.0f);
  BOOST_TEST(value_of(first->run({{y, number(3)}}, {sum})) == 2.0f);
}

BOOST_AUTO_TEST_CASE(feeds_and_fetches_that_were_not_set_up_are_refused_without_effect) {
  auto partial = set_up({x, y}, {minus, sum});
  check_refused(
      partial->run({{minus, number(1)}}, {}),
      "feed 'minus:0' was not specified in partial_run_setup");
  check_refused(partial->run({}, {x}), "fetch 'x:0' was not specified in partial_run_setup");
  check_refused(
      partial->run({{x, number(1)}, {"nowhere", number(1)}}, {}),
      "feed 'nowhere' was not specified in partial_run_setup");
  BOOST_TEST(value_of(partial->run({{x, number(2)}}, {minus})) == -2.0f);
}

BOOST_AUTO_TEST_CASE(each_feed_is_fed_once_and_each_fetch_fetched_once) {
  auto partial = set_up({x, y}, {minus, sum});
  check_refused(
      partial->run({{x, number(1)}, {"x", number(1)}}, {}), "feed 'x' has already been fed");
  BOOST_TEST(value_of(partial->run({{x, number(2)}}, {minus})) == -2.0f);
  check_refused(partial->run({{x, number(1)}}, {}), "feed 'x:0' has already been fed");
  check_refused(
      partial->run({{y, number(1)}}, {minus}), "fetch 'minus:0' has already been fetched");
  BOOST_TEST(value_of(partial->run({{y, number(2)}}, {sum})) == 0.0f);
  check_refused(partial->run({}, {sum}), "fetch 'sum:0' has already been fetched");
}

BOOST_AUTO_TEST_CASE(a_fetch_needs_its_feeds_first) {
  auto partial = set_up({x, y}, {minus, sum});
  check_refused(
      partial->run({{x, number(1)}}, {minus, sum}),
      "fetch 'sum:0' cannot be computed from the feeds that were fed so far");
  BOOST_TEST(must(partial->run({{x, number(1)}, {y, number(2)}}, {minus, sum})).size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_feed_of_wrong_type_or_shape_is_refused_by_name) {
  auto partial = set_up({x, y}, {sum});
  auto status = partial->run({{x, Tensor::scalar(int32_t{1})}}, {}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().node == "x");
  BOOST_TEST(partial->run({{x, number(1)}}, {}).ok());
}

BOOST_AUTO_TEST_CASE(a_partial_run_without_feeds_returns_its_fetches) {
  auto constant = b.on(b_task).constant(6.0f);
  auto half = b.on(b_task).neg(constant);
  BOOST_REQUIRE(session->extend(b).ok());
  BOOST_TEST(value_of(set_up({}, {half})->run({}, {half})) == -6.0f);
}

BOOST_AUTO_TEST_CASE(a_feed_can_be_fetched_and_need_not_be_used) {
  auto partial = set_up({x, y}, {x, minus});
  BOOST_TEST(value_of(partial->run({{x, number(2)}}, {x})) == 2.0f);
  BOOST_TEST(value_of(partial->run({}, {minus})) == -2.0f);
  BOOST_TEST(partial->run({{y, number(2)}}, {}).ok());
}

BOOST_AUTO_TEST_CASE(the_last_call_waits_for_the_targets_and_returns_their_error) {
  auto v = b.on(b_task).variable("v", b.constant(1.0f));
  auto add = v.assign_add(y), read = v.value();
  BOOST_REQUIRE(session->extend(b).ok());
  auto failing = must(session->partial_run_setup({x, y}, {minus}, {add}));
  BOOST_TEST(value_of(failing->run({{x, number(2)}}, {minus})) == -2.0f);
  auto status = failing->run({{y, number(2)}}, {}).status();
  BOOST_TEST((status.code() == Code::failed_precondition), status.to_string());
  BOOST_REQUIRE(session->run({}, {}, {v.initializer}).ok());
  auto partial = must(session->partial_run_setup({x, y}, {minus}, {add}));
  BOOST_TEST(partial->run({{x, number(2)}}, {minus}).ok());
  BOOST_TEST(partial->run({{y, number(2)}}, {}).ok());
  BOOST_TEST(value_of(session->run({}, {read})) == 3.0f);
}

BOOST_AUTO_TEST_CASE(partial_run_setup_returns_errors_of_the_compilation) {
  BOOST_TEST((session->partial_run_setup({x}, {"nowhere"}).status().code() == Code::not_found));
  auto twice = session->partial_run_setup({x}, {minus, minus}).status();
  BOOST_TEST((twice.code() == Code::invalid_argument));
  BOOST_TEST(twice.message() == "fetch 'minus:0' is there twice");
  await_quiet();
}

BOOST_AUTO_TEST_CASE(explain_says_that_the_step_waits_for_its_client) {
  auto partial = set_up({x, y}, {sum});
  auto steps = explain();
  BOOST_TEST_REQUIRE(steps.size() == 1u);
  BOOST_TEST(
      std::ranges::count(steps[0].waits, "'x:0' from the client of the partial run", &Wait::what) ==
      1);
  BOOST_TEST(
      std::ranges::count(steps[0].waits, "'y:0' from the client of the partial run", &Wait::what) ==
      1);
}

BOOST_AUTO_TEST_CASE(a_partial_run_past_its_timeout_ends_and_later_calls_fail) {
  auto partial = set_up({x, y}, {sum}, {.timeout = stretched(100ms)});
  await_quiet();
  auto status = partial->run({{x, number(2)}}, {}).status();
  BOOST_TEST((status.code() == Code::deadline_exceeded), status.to_string());
  BOOST_TEST((partial->run({}, {}).status() == status));
}

BOOST_AUTO_TEST_CASE(a_partial_run_that_is_cancelled_or_dropped_ends_on_all_devices) {
  auto partial = set_up({x, y}, {sum});
  BOOST_TEST(partial->run({{x, number(2)}}, {}).ok());
  partial->cancel();
  BOOST_TEST((partial->run({}, {}).status().code() == Code::cancelled));
  await_quiet();
  partial = set_up({x, y}, {sum});
  BOOST_TEST(explain().size() == 1u);
  partial.reset();
  await_quiet();
}

BOOST_AUTO_TEST_CASE(close_answers_the_waiting_calls_of_a_partial_run) {
  auto held = b.on(b_task).named("held").add(minus, y);
  BOOST_REQUIRE(session->extend(b).ok());
  auto partial = set_up({x, y}, {held});
  BOOST_TEST(partial->run({{x, number(2)}}, {}).ok());
  BOOST_TEST(session->close().ok());
  auto status = partial->run({{y, number(2)}}, {held}).status();
  BOOST_TEST((status.code() == Code::failed_precondition), status.to_string());
}

BOOST_AUTO_TEST_CASE(a_lost_task_ends_the_partial_run_with_an_error_that_names_it) {
  auto partial = set_up({x, y}, {sum});
  self->send_exit(b_actor, caf::exit_reason::kill);
  await_quiet();
  auto status = partial->run({{x, number(2)}}, {}).status();
  BOOST_TEST((status.code() == Code::unavailable), status.to_string());
  BOOST_TEST(status.where().task == b_task);
}

BOOST_AUTO_TEST_SUITE_END()
