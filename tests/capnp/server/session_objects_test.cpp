#include <boost/test/unit_test.hpp>

#include <future>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/plain_client.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

struct SessionObjectsFixture {
  FakeNode node;
  std::unique_ptr<Client> client = must(Client::connect(node.target()));
  std::unique_ptr<Session> session = must(client->session());

  template <class T>
  static T must(Result<T> result) {
    BOOST_REQUIRE_MESSAGE(result.ok(), result.status().to_string());
    return *std::move(result);
  }
};

Tensor number(float value) { return Tensor::scalar(value); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(session_objects, SessionObjectsFixture)

// -- pending steps

BOOST_AUTO_TEST_CASE(a_step_that_was_started_is_waited_for_later) {
  auto step = session->start({{"x", number(5)}}, {}, {"echo"});
  auto values = SessionObjectsFixture::must(step->wait());
  BOOST_TEST(values.at(0).value<float>() == 5.0f);
  BOOST_TEST(step->done());
  BOOST_TEST(step->wait().ok());
  step->cancel();
  BOOST_TEST(step->wait().ok());
}

BOOST_AUTO_TEST_CASE(whether_a_step_is_done_can_be_asked_without_waiting) {
  auto blocked = session->start({}, {"a"}, {"wait"});
  BOOST_TEST(!blocked->done());
  auto step = session->start({}, {"a"}, {"thread"});
  auto end = std::chrono::steady_clock::now() + test_timeout;
  while (!step->done()) BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
  BOOST_TEST(step->wait().ok());
  BOOST_TEST(!blocked->done());
}

BOOST_AUTO_TEST_CASE(a_step_can_be_waited_for_with_a_timeout) {
  auto blocked = session->start({}, {"a"}, {"wait"});
  BOOST_TEST(!blocked->wait_for(10ms));
  auto step = session->start({{"x", number(5)}}, {}, {"echo"});
  BOOST_TEST(step->wait_for(test_timeout));
  BOOST_TEST(step->wait().ok());
  BOOST_TEST(node.rpc_server->close(test_timeout).ok());
  BOOST_TEST(blocked->wait_for(test_timeout));
  BOOST_TEST((blocked->wait().status().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_step_notifies_its_end_while_another_one_is_waited_for) {
  auto blocked = session->start({}, {"a"}, {"wait"});
  auto step = session->start({{"x", number(5)}}, {}, {"echo"});
  std::promise<void> notified;
  step->when_done([&] { notified.set_value(); });
  auto waiting = std::async(std::launch::async, [&] { return blocked->wait(); });
  BOOST_TEST((notified.get_future().wait_for(test_timeout) == std::future_status::ready));
  std::promise<void> cancelled;
  blocked->when_done([&] { cancelled.set_value(); });
  blocked->cancel();
  BOOST_TEST((cancelled.get_future().wait_for(test_timeout) == std::future_status::ready));
  BOOST_TEST((waiting.get().status().code() == Code::cancelled));
  bool at_once = false;
  blocked->when_done([&] { at_once = true; });
  BOOST_TEST(at_once);
}

BOOST_AUTO_TEST_CASE(a_cancelled_step_ends_at_once_and_the_node_hears_of_it) {
  auto step = session->start({}, {"a"}, {"wait"});
  BOOST_REQUIRE(node.record->wait_for("wait"));
  auto waiting = std::async(std::launch::async, [&] { return step->wait(); });
  step->cancel();
  BOOST_TEST((waiting.get().status().code() == Code::cancelled));
  BOOST_TEST((step->wait().status().code() == Code::cancelled));
  BOOST_TEST(node.record->wait_for("cancel"));
}

BOOST_AUTO_TEST_CASE(a_pending_step_that_is_dropped_is_cancelled) {
  auto step = session->start({}, {"a"}, {"wait"});
  BOOST_REQUIRE(node.record->wait_for("wait"));
  step.reset();
  BOOST_TEST(node.record->wait_for("cancel"));
}

BOOST_AUTO_TEST_CASE(a_pending_step_of_a_lost_node_names_it) {
  auto step = session->start({}, {"a"}, {"wait"});
  BOOST_REQUIRE(node.record->wait_for("wait"));
  BOOST_TEST(node.rpc_server->close(test_timeout).ok());
  auto status = step->wait().status();
  BOOST_TEST((status.code() == Code::unavailable), status.to_string());
  BOOST_TEST(status.message().find(node.target()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pending_step_gives_up_after_its_timeout) {
  auto step = session->start({}, {"a"}, {"forget"}, {.timeout = 20ms});
  BOOST_TEST(!step->wait().ok());
  auto silent = session->start({}, {"a"}, {"wait"}, {.timeout = 20ms});
  BOOST_TEST((silent->wait().status().code() == Code::deadline_exceeded));
}

// -- callables

BOOST_AUTO_TEST_CASE(a_callable_sends_tensors_and_no_names) {
  auto callable = SessionObjectsFixture::must(
      session->make_callable({"x", "y"}, {"z"}, {}, {.timeout = 2500ms}));
  BOOST_TEST((node.record->options.timeout == 2500ms));
  auto values = SessionObjectsFixture::must(callable->run({number(1), number(2)}));
  BOOST_TEST(values.at(1).value<float>() == 2.0f);
  auto step = callable->start({number(3)});
  BOOST_TEST(SessionObjectsFixture::must(step->wait()).at(0).value<float>() == 3.0f);
  BOOST_TEST((callable->run({Tensor()}).status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_call_can_be_pipelined_on_a_callable_that_is_being_made) {
  PlainClient plain(node);
  auto session =
      plain.login(protocol::version).getMaster().createSessionRequest().send().getSession();
  auto make = session.makeCallableRequest();
  make.initFetches(1).set(0, "z");
  auto run = make.send().getCallable().runRequest();
  ExternalSegmentBudget no_budget;
  fill(run.initFeeds(1), {number(7)}, no_budget);
  auto answer = run.send().wait(plain.io.waitScope);
  BOOST_TEST(answer.getStatus().getCode() == 0u);
  BOOST_TEST(
      SessionObjectsFixture::must(to_tensors(answer.getValues())).at(0).value<float>() == 7.0f);
}

BOOST_AUTO_TEST_CASE(make_callable_returns_the_errors_of_the_compilation) {
  auto status = session->make_callable({"x"}, {}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message() == "nothing to fetch");
}

BOOST_AUTO_TEST_CASE(a_callable_that_is_dropped_is_released) {
  auto callable = SessionObjectsFixture::must(session->make_callable({}, {"z"}));
  auto step = callable->start({});
  BOOST_REQUIRE(node.record->wait_for("wait"));
  step->cancel();
  BOOST_TEST(node.record->wait_for("cancel"));
  callable.reset();
  BOOST_TEST(node.record->wait_for("release"));
}

BOOST_AUTO_TEST_CASE(a_callable_fails_once_its_session_is_closed) {
  auto callable = SessionObjectsFixture::must(session->make_callable({"x"}, {"z"}));
  BOOST_TEST(session->close().ok());
  auto status = callable->run({number(1)}).status();
  BOOST_TEST((status.code() == Code::failed_precondition));
}

// -- partial runs

BOOST_AUTO_TEST_CASE(a_partial_run_takes_feeds_and_gives_fetches_by_name) {
  auto partial = SessionObjectsFixture::must(session->partial_run_setup({"x"}, {"z"}));
  auto values = SessionObjectsFixture::must(partial->run({{"x", number(4)}}, {"z"}));
  BOOST_TEST(values.at(0).value<float>() == 4.0f);
  BOOST_TEST((session->partial_run_setup({}, {"z"}).status() == full_error()));
}

BOOST_AUTO_TEST_CASE(a_cancelled_partial_run_answers_its_waiter_and_is_released) {
  auto partial = SessionObjectsFixture::must(session->partial_run_setup({"x"}, {"z"}));
  auto waiting = std::async(std::launch::async, [&] { return partial->run({}, {"z"}); });
  BOOST_REQUIRE(node.record->wait_for("wait"));
  partial->cancel();
  BOOST_TEST((waiting.get().status().code() == Code::cancelled));
  BOOST_TEST(node.record->wait_for("release"));
  BOOST_TEST((partial->run({}, {"z"}).status().code() == Code::cancelled));
}

// -- metadata

BOOST_AUTO_TEST_CASE(metadata_arrives_with_all_its_fields) {
  auto traced = session->trace(
      {{"x", number(1)}}, {}, {"echo"}, {.trace = Trace::full, .output_partition_graphs = true});
  BOOST_REQUIRE_MESSAGE(traced.ok(), traced.status().to_string());
  BOOST_TEST(traced->values.size() == 1u);
  auto expected = full_metadata().devices[0];
  BOOST_REQUIRE(traced->metadata.devices.size() == 1u);
  const auto& run = traced->metadata.devices[0];
  BOOST_TEST(run.device == expected.device);
  BOOST_TEST((run.begin == expected.begin));
  BOOST_TEST((run.end == expected.end));
  BOOST_TEST((run.duration == expected.duration));
  BOOST_TEST(run.memory_peak == expected.memory_peak);
  BOOST_TEST((run.nodes == expected.nodes));
  BOOST_REQUIRE(run.graph.size() == 1u);
  BOOST_TEST(run.graph[0].op == "Pour");
  auto plain = session->start({{"x", number(1)}}, {}, {"echo"});
  BOOST_TEST(plain->wait().ok());
  BOOST_TEST(plain->metadata().devices.empty());
}

// -- session options

BOOST_AUTO_TEST_CASE(options_that_only_a_server_has_come_back_as_warnings) {
  auto plain = SessionObjectsFixture::must(client->session({.operation_timeout = 30s}));
  BOOST_TEST(plain->warnings().empty());
  BOOST_TEST((node.record->session_options.operation_timeout == 30s));
  auto unsupported = SessionObjectsFixture::must(client->session(
      {.log_device_placement = true, .threads = 4, .memory_limit = uint64_t{1} << 30}));
  BOOST_REQUIRE(unsupported->warnings().size() == 2u);
  BOOST_TEST(unsupported->warnings()[0].find("--threads") != std::string::npos);
  BOOST_TEST(unsupported->warnings()[1].find("--memory-limit") != std::string::npos);
  BOOST_TEST(node.record->session_options.log_device_placement);
  BOOST_TEST(node.record->session_options.fuses_elementwise);
  auto unfused = SessionObjectsFixture::must(client->session({.fuses_elementwise = false}));
  BOOST_TEST(unfused->warnings().empty());
  BOOST_TEST(!node.record->session_options.fuses_elementwise);
  BOOST_TEST(!node.record->session_options.soft_placement);
  auto soft = SessionObjectsFixture::must(client->session({.soft_placement = true}));
  BOOST_TEST(node.record->session_options.soft_placement);
  BOOST_TEST(node.record->session_options.optimizes);
  auto plainly = SessionObjectsFixture::must(
      client->session({.optimizes = false, .disabled_passes = {"fold_constants"}}));
  BOOST_TEST(!node.record->session_options.optimizes);
  BOOST_TEST(
      (node.record->session_options.disabled_passes == std::vector<std::string>{"fold_constants"}));
  BOOST_TEST(!node.record->session_options.mixes_precision);
  auto mixed = SessionObjectsFixture::must(client->session({.mixes_precision = true}));
  BOOST_TEST(node.record->session_options.mixes_precision);
}

BOOST_AUTO_TEST_CASE(the_operation_timeout_holds_for_each_call_and_for_opening_the_session) {
  auto silent = client->session({.operation_timeout = 20ms, .device_filters = {"/job:ps"}});
  BOOST_TEST((silent.status().code() == Code::deadline_exceeded));
  BOOST_TEST(node.record->session_options.device_filters.at(0) == "/job:ps");
  auto limited =
      SessionObjectsFixture::must(client->session({.operation_timeout = stretched(100ms)}));
  auto status = limited->run({}, {"a"}, {"wait"}).status();
  BOOST_TEST((status.code() == Code::deadline_exceeded));
  BOOST_TEST(limited->run({}, {"a"}, {}, {.timeout = test_timeout}).ok());
  BOOST_TEST(
      (client->session({.isolate_state = true}).status().code() == Code::resource_exhausted));
}

BOOST_AUTO_TEST_SUITE_END()
