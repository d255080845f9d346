#include <boost/test/unit_test.hpp>

#include "troupe/tests/capnp/servers.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A session with a step that waits at an empty queue of the container "shelf".
struct WaitingSession {
  std::unique_ptr<Server> server;
  TestClient user;
  std::future<Status> step;

  explicit WaitingSession(ServerOptions options = few_threads())
      : server(start_local(std::move(options))), user(*server), step(begin()) {}

  std::future<Status> begin() {
    auto shelf = user.b.container("shelf");
    Attrs types{{"component_types", DTypes{DType::int64}}};
    auto queue_attrs = types;
    queue_attrs.emplace("shapes", Shapes{Shape()});
    queue_attrs.emplace("container", std::string("shelf"));
    auto queue = shelf.op("FIFOQueueV2", {}, std::move(queue_attrs));
    auto taken = shelf.op("QueueDequeueV2", {queue}, std::move(types));
    auto status = user.session->extend(user.b);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    auto running = std::async(
        std::launch::async, [this, taken] { return user.session->run({}, {taken}).status(); });
    while (user.client->list_waiting_steps()->empty() && !has_ended(running))
      std::this_thread::yield();
    return running;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(closed_session)

BOOST_AUTO_TEST_CASE(what_a_reset_closed_names_the_container_and_the_mend) {
  WaitingSession waiting;
  BOOST_TEST(connect(*waiting.server)->reset({"shelf"}).ok());
  const std::string why =
      "the session was closed by a reset of its container 'shelf': open another";
  auto step = result_of(waiting.step);
  BOOST_TEST(step.to_string() == "Aborted: the step ended as " + why);
  BOOST_TEST(waiting.user.step().to_string() == "Aborted: " + why);
  BOOST_TEST(waiting.user.session->close().ok());
}

BOOST_AUTO_TEST_CASE(a_session_that_uses_nothing_of_a_reset_through_its_node_names_the_reset) {
  auto server = start_local();
  TestClient user(*server);
  BOOST_TEST(user.step().ok());
  BOOST_TEST(user.client->reset({"shelf", ""}).ok());
  BOOST_TEST(
      user.step().to_string() ==
      "Aborted: the session was closed by a reset of 'shelf', '' through /job:local/task:0: open "
      "another");
}

BOOST_AUTO_TEST_CASE(a_step_whose_client_closes_the_session_says_so) {
  WaitingSession waiting;
  BOOST_TEST(waiting.user.session->close().ok());
  BOOST_TEST(
      result_of(waiting.step).to_string() ==
      "Cancelled: the step ended as the session was closed by its client: open another");
  BOOST_TEST(
      waiting.user.step().to_string() ==
      "FailedPrecondition: the session was closed by its client: open another");
}

BOOST_AUTO_TEST_CASE(a_session_that_was_idle_for_too_long_says_so) {
  auto options = few_threads();
  options.session_idle_limit = 500ms;
  auto server = start_local(options);
  TestClient user(*server);
  while (user.client->node_info()->sessions > 0) std::this_thread::yield();
  BOOST_TEST(
      user.step().to_string() ==
      "Aborted: the session was closed by its node, as it was idle: open another");
}

BOOST_AUTO_TEST_SUITE_END()
