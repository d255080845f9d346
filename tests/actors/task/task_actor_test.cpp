#include "troupe/actors/task/task_actor.hpp"

#include <algorithm>
#include <set>

#include "troupe/tests/actors/nodes_fixture.hpp"
#include "troupe/tests/devices/waiting.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct TaskActorFixture : NodesFixture {
  Hello hello() const {
    return {
        .from_job = "b",
        .from_task = 0,
        .from_incarnation = 1,
        .version = protocol_version,
        .to_job = "a",
        .to_task = 0};
  }
  Status greet(const Hello& hello) { return std::get<0>(ask<Status, TaskDescription>(a, hello)); }
  Status find(const std::string& job, std::chrono::milliseconds timeout = stretched(5000ms)) {
    return std::get<0>(
        ask<Status, TaskDescription>(a, FindTask{.job = job, .task = 0, .timeout = timeout}));
  }
};

/// Sessions on task a that run on several threads, each with a step that waits for task b.
struct WaitingSessions : NodesFixture {
  static constexpr size_t count = 32;

  WaitingSessions() : NodesFixture(/*threads=*/4) {
    world->hold();
    Builder b;
    auto far = b.on(b_task).constant(1.0F);
    for (size_t i = 0; i < count; ++i) {
      Waiting<Result<SessionActor>> opened;
      tell(a, CreateSession{opened.callback()});
      auto session = *opened.wait();
      tell(session, Extend{{b.graph().def_of(0)}, 0, [](const Status&) {}});
      tell(
          session, Run{.call = 1,
                       .feeds = {},
                       .fetches = {far.name()},
                       .targets = {},
                       .options = {},
                       .done = [](const Result<Tensors>&) {}});
    }
    // A compilation waits for tasks of this process too, until these have answered.
    while (!std::ranges::all_of(explain(), waits_for_b_only))
      ;
  }
  static bool waits_for_b_only(const WaitingStep& step) {
    return step.waits.size() == 1 && step.waits[0].peer == b_task;
  }
  std::vector<WaitingStep> explain() {
    Waiting<Result<std::vector<WaitingStep>>> explained;
    tell(a, ListWaitingSteps{connect_timeout, explained.callback()});
    return *explained.wait();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(task_actor, TaskActorFixture)

BOOST_AUTO_TEST_CASE(a_hello_for_another_task_or_version_is_refused) {
  BOOST_TEST(greet(hello()).ok());
  auto wrong = hello();
  wrong.to_job = "b";
  BOOST_TEST((greet(wrong).code() == Code::failed_precondition));
  wrong = hello();
  wrong.version = protocol_version + 1;
  BOOST_TEST((greet(wrong).code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(an_unreachable_task_is_named_and_connected_to_again_later) {
  auto status = find("b");
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.where().task == b_task);
  spawn("b");
  BOOST_TEST(find("b").ok());
  BOOST_TEST((find("c").code() != Code::ok));
}

BOOST_AUTO_TEST_CASE(a_lost_task_is_connected_to_again) {
  auto b = spawn("b");
  auto before = device_of(a, "b");
  caf::anon_send_exit(b, caf::exit_reason::kill);
  wait_for_end(b);
  wait_for_end(before);
  auto again = spawn("b");
  DeviceList list;
  do {  // until task a has noticed
    Waiting<Result<DeviceList>> listed;
    tell(a, ListDevices{connect_timeout, listed.callback()});
    list = *listed.wait();
  } while (list.devices.size() < 2);
  BOOST_TEST((device_of(a, "b") != before));
}

BOOST_AUTO_TEST_CASE(a_connection_attempt_is_not_limited_by_the_timeout_of_its_first_caller) {
  spawn("b");
  world->hold();
  Waiting<Result<DeviceList>> hasty;
  tell(a, ListDevices{1ms, hasty.callback()});
  BOOST_TEST((*hasty.wait()).missing.size() == 1u);
  BOOST_TEST((world->last_timeout() == connect_timeout));
}

BOOST_AUTO_TEST_CASE(a_reset_names_the_tasks_it_did_not_reach) {
  Waiting<Status> reset;
  tell(a, Reset{{.names = {"c"}}, 100ms, reset.callback()});
  auto status = reset.wait();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.message().find(b_task) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_reset_of_a_task_that_does_not_exist_is_not_unavailable) {
  Waiting<Status> reset;
  tell(a, Reset{{.all = true}, 100ms, reset.callback(), "/job:a/task:7"});
  auto status = reset.wait();
  BOOST_TEST((status.code() == Code::not_found), status.to_string());
  BOOST_TEST(status.message().find("has no task 7") != std::string::npos, status.to_string());
}

BOOST_FIXTURE_TEST_CASE(what_sessions_on_several_threads_wait_for_is_all_listed, WaitingSessions) {
  for (int round = 0; round < 2000; ++round) {
    std::set<SessionId> sessions;
    for (const auto& step : explain()) {
      BOOST_TEST_REQUIRE(step.waits.size() == 1U);
      BOOST_TEST_REQUIRE(step.waits[0].peer == b_task);
      sessions.insert(step.session);
    }
    BOOST_TEST_REQUIRE(sessions.size() == count);
  }
}

BOOST_AUTO_TEST_CASE(a_draining_task_creates_no_sessions_and_tells_its_peers) {
  Waiting<Status> drained;
  tell(a, Drain{connect_timeout, drained.callback()});
  BOOST_TEST(drained.wait().ok());
  Waiting<Result<SessionActor>> opened;
  tell(a, CreateSession{opened.callback()});
  auto refused = opened.wait().status();
  BOOST_TEST((refused.code() == Code::unavailable));
  BOOST_TEST(refused.where().task == a_task);
  BOOST_TEST((std::get<1>(ask<Status, TaskDescription>(a, hello())).is_draining));
}

BOOST_AUTO_TEST_CASE(stop_answers_waiting_requests_and_ends_devices_and_sessions) {
  auto device = device_of(a, "a");
  Waiting<Result<SessionActor>> opened;
  tell(a, CreateSession{opened.callback()});
  auto session = *opened.wait();
  world->hold();
  auto waiting =
      self->request(a, test_timeout, FindTask{.job = "b", .task = 0, .timeout = connect_timeout});
  Waiting<Status> stopped;
  tell(a, Stop{stopped.callback()});
  BOOST_TEST(stopped.wait().ok());
  waiting.receive(
      [](Status& status, TaskDescription&) { BOOST_TEST((status.code() == Code::cancelled)); },
      [](caf::error&) { BOOST_FAIL("no answer"); });
  wait_for_end(device);
  wait_for_end(session);
}

BOOST_AUTO_TEST_CASE(devices_and_sessions_end_with_their_task) {
  auto device = device_of(a, "a");
  Waiting<Result<SessionActor>> opened;
  tell(a, CreateSession{opened.callback()});
  auto session = *opened.wait();
  caf::anon_send_exit(a, caf::exit_reason::kill);
  wait_for_end(device);
  wait_for_end(session);
}

BOOST_AUTO_TEST_SUITE_END()
