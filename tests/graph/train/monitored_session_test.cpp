#include "troupe/graph/train/monitored_session.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/train/fake_host.hpp"
#include "troupe/tests/graph/train/fake_session.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

const Status lost = unavailable("lost /job:ps/task:0");

/// Records its calls, and adds a fetch of its own.
struct RecordingHook final : train::SessionHook {
  RecordingHook(std::string name, Lines& log) : name(std::move(name)), log(log) {}

  Status note(const std::string& what) {
    log.push_back(name + " " + what);
    return what == fails_in ? failure : Status();
  }
  Status begin() override { return note("begins"); }
  Status after_create_session(BasicSession&) override { return note("has a session"); }
  train::StepRequest before_run(train::StepContext&) override {
    (void)note("before");
    return request;
  }
  Status after_run(train::StepContext& context, const Tensors& fetched) override {
    values = fetched;
    if (stops) context.request_stop();
    return note("after");
  }
  Status end(BasicSession&) override { return note("ends"); }

  std::string name;
  Lines& log;
  train::StepRequest request;
  Tensors values;
  bool stops = false;
  std::string fails_in;
  Status failure;
};

struct MonitoredSessionFixture {
  FakeHost host;
  FakeCluster cluster;
  Builder b;
  Variable w = b.variable("w", b.constant(1.0f));
  std::shared_ptr<RecordingHook> first = std::make_shared<RecordingHook>("first", cluster.log);
  std::shared_ptr<RecordingHook> second = std::make_shared<RecordingHook>("second", cluster.log);
  std::unique_ptr<train::MonitoredSession> session;

  Status create(bool is_chief = true) {
    train::MonitoredSessionOptions options{
        .open = [this] { return FakeSession::open(cluster); },
        .scaffold = train::Scaffold(b),
        .is_chief = is_chief,
        .hooks = {first, second},
        .retry = {.first_delay = 10ms, .delay_max = 1s, .give_up_after = 10s}};
    auto created = train::MonitoredSession::create(std::move(options), host);
    if (created) session = *std::move(created);
    return created.status();
  }
  Status step() { return session->run({}, {}, {"train"}).status(); }
  int count(const std::string& line) {
    return static_cast<int>(std::ranges::count(cluster.log, line));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(monitored_session, MonitoredSessionFixture)

BOOST_AUTO_TEST_CASE(hooks_are_called_in_their_order) {
  BOOST_TEST(create().ok());
  BOOST_TEST(step().ok());
  BOOST_TEST(session->close().ok());
  BOOST_TEST(
      cluster.log ==
      (Lines{
          "first begins", "second begins", "open", "run w/assign", "first has a session",
          "second has a session", "first before", "second before", "run train", "first after",
          "second after", "first ends", "second ends", "close"}));
  BOOST_TEST(session->close().ok());
  BOOST_TEST((step().code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(a_lost_task_leads_to_a_new_session_and_the_step_runs_again) {
  BOOST_TEST(create().ok());
  for (const auto& status : {lost, aborted("restarted")}) {
    cluster.log.clear();
    cluster.failures = {status};
    BOOST_TEST(step().ok());
    BOOST_TEST(
        cluster.log == (Lines{
                           "first before", "second before", "run train", "open",
                           "first has a session", "second has a session", "first before",
                           "second before", "run train", "first after", "second after"}));
  }
  BOOST_TEST(cluster.global_step == 2);
}

BOOST_AUTO_TEST_CASE(a_session_is_replaced_where_the_program_has_lost_a_task) {
  BOOST_TEST(create().ok());
  BOOST_TEST(step().ok());
  cluster.log.clear();
  cluster.failures = {lost};
  BOOST_TEST((session->run_once({}, {}, {"train"}).status().code() == Code::unavailable));
  BOOST_TEST(count("first has a session") == 0);
  BOOST_TEST(!session->should_stop());
  BOOST_TEST(session->recover(lost).ok());
  BOOST_TEST(count("first has a session") == 1);
  BOOST_TEST(!session->should_stop());
  BOOST_TEST(step().ok());
  BOOST_TEST(session->close().ok());
  BOOST_TEST((session->recover(lost).code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(nodes_that_are_away_are_tried_until_they_are_back) {
  cluster.refusals = {lost, lost, lost};
  BOOST_TEST(create().ok());
  BOOST_TEST(host.waits.size() == 3U);
  cluster.failures = {lost};
  cluster.refusals = {lost, lost};
  BOOST_TEST(step().ok());
  BOOST_TEST((host.waits == std::vector<train::Host::Time>{10ms, 20ms, 40ms, 10ms, 20ms, 40ms}));
}

BOOST_AUTO_TEST_CASE(steps_that_fail_again_and_again_are_given_up) {
  BOOST_TEST(create().ok());
  cluster.failures.assign(1000, lost);
  auto status = step();
  BOOST_TEST(status.to_string() == "DeadlineExceeded: gave up after 10.0 s: lost /job:ps/task:0");
  BOOST_TEST((host.time == 10s));
  BOOST_TEST(session->should_stop());
}

BOOST_AUTO_TEST_CASE(steps_may_follow_other_errors) {
  BOOST_TEST(create().ok());
  cluster.failures = {invalid_argument("shapes differ")};
  BOOST_TEST(step().to_string() == "InvalidArgument: shapes differ");
  BOOST_TEST(!session->should_stop());
  BOOST_TEST(step().ok());
  BOOST_TEST(session->close().ok());
  BOOST_TEST(count("open") == 1);
  BOOST_TEST(count("first ends") == 1);
  BOOST_TEST(count("close") == 1);
}

BOOST_AUTO_TEST_CASE(hooks_do_not_end_in_a_session_that_is_destroyed) {
  BOOST_TEST(create().ok());
  BOOST_TEST(step().ok());
  session.reset();
  BOOST_TEST(count("first ends") == 0);
}

BOOST_AUTO_TEST_CASE(hooks_do_not_end_where_no_session_replaces_the_lost_one) {
  BOOST_TEST(create().ok());
  cluster.failures = {lost};
  cluster.refusals.assign(1000, lost);
  BOOST_TEST((step().code() == Code::deadline_exceeded));
  BOOST_TEST(session->should_stop());
  BOOST_TEST((step().code() == Code::failed_precondition));
  BOOST_TEST(session->close().ok());
  BOOST_TEST(count("first ends") == 0);
}

BOOST_AUTO_TEST_CASE(the_end_of_the_data_is_no_fault) {
  BOOST_TEST(create().ok());
  cluster.failures = {Status(Code::out_of_range, "the queue is closed")};
  BOOST_TEST((step().code() == Code::out_of_range));
  BOOST_TEST(!session->should_stop());
  BOOST_TEST(session->close().ok());
  BOOST_TEST(count("first ends") == 1);
}

BOOST_AUTO_TEST_CASE(a_failed_precondition_is_retried_once) {
  BOOST_TEST(create().ok());
  auto no_value = failed_precondition("variable 'w' has no value yet");
  cluster.initialized.clear();
  cluster.failures = {no_value};
  BOOST_TEST(step().ok());
  BOOST_TEST(count("run w/assign") == 2);
  cluster.failures = {no_value, no_value};
  BOOST_TEST((step() == no_value));
}

BOOST_AUTO_TEST_CASE(the_chief_keeps_values_that_are_there) {
  cluster.initialized = {"w"};
  BOOST_TEST(create().ok());
  BOOST_TEST(count("run w/assign") == 0);
}

BOOST_AUTO_TEST_CASE(all_but_the_chief_wait_for_values) {
  BOOST_TEST(
      create(/*is_chief=*/false).to_string() ==
      "DeadlineExceeded: gave up after 10.0 s: these variables have no value yet: 'w'");
  BOOST_TEST(count("run w/assign") == 0);
  cluster.initialized = {"w"};
  BOOST_TEST(create(/*is_chief=*/false).ok());
}

BOOST_AUTO_TEST_CASE(hooks_add_fetches_and_get_their_values) {
  cluster.fetched = {{"loss", Tensor::scalar(3.0f)}, {"a", Tensor::scalar(1.0f)}};
  cluster.fetched["b"] = Tensor::scalar(2.0f);
  first->request.fetches = {"a", "b"};
  second->request.fetches = {"b"};
  BOOST_TEST(create().ok());
  auto values = session->run({}, {"loss"});
  BOOST_TEST_REQUIRE(values.ok());
  BOOST_TEST(values->size() == 1U);
  BOOST_TEST((*values)[0].value<float>() == 3.0f);
  BOOST_TEST_REQUIRE(first->values.size() == 2U);
  BOOST_TEST(first->values[1].value<float>() == 2.0f);
  BOOST_TEST_REQUIRE(second->values.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_tensor_is_fed_by_one_only) {
  first->request.feeds = {{"x", Tensor::scalar(1.0f)}};
  BOOST_TEST(create().ok());
  auto status = session->run({{"x:0", Tensor::scalar(2.0f)}}, {"loss"}).status();
  BOOST_TEST(status.to_string() == "InvalidArgument: 'x' is fed by two: hooks, or the program");
}

BOOST_AUTO_TEST_CASE(a_hook_may_stop_the_training_after_its_step) {
  second->stops = true;
  BOOST_TEST(create().ok());
  BOOST_TEST(step().ok());
  BOOST_TEST(session->should_stop());
  BOOST_TEST((step().code() == Code::failed_precondition));
  BOOST_TEST(session->close().ok());
  BOOST_TEST(count("second ends") == 1);
}

BOOST_AUTO_TEST_CASE(the_error_of_a_hook_counts_as_one_of_the_step) {
  BOOST_TEST(create().ok());
  first->fails_in = "after";
  first->failure = invalid_argument("NaN");
  BOOST_TEST(step().to_string() == "InvalidArgument: NaN");
  BOOST_TEST(!session->should_stop());
}

BOOST_AUTO_TEST_CASE(a_hook_that_cannot_begin_prevents_the_training) {
  first->fails_in = "begins";
  first->failure = invalid_argument("no");
  BOOST_TEST(create().to_string() == "InvalidArgument: no");
  BOOST_TEST(count("open") == 0);
}

BOOST_AUTO_TEST_SUITE_END()
