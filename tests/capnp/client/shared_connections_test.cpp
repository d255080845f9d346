#include "troupe/capnp/client/shared_connections.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/relay.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

struct SharedConnectionFixture {
  FakeNode node;
  Relay relay{node.rpc_server->port()};
  std::chrono::milliseconds heartbeat_limit = 0ms;

  ConnectOptions options() const {
    return {
        .timeout = test_timeout,
        .heartbeat_limit = heartbeat_limit,
        .program = "one",
        .shares_connection = true};
  }
  Result<std::unique_ptr<Client>> try_to_connect(const ConnectOptions& options) const {
    return Client::connect("troupe://127.0.0.1:" + std::to_string(relay.port()), options);
  }
  std::unique_ptr<Client> connect(const ConnectOptions& options) const {
    auto client = try_to_connect(options);
    BOOST_REQUIRE_MESSAGE(client.ok(), client.status().to_string());
    return *std::move(client);
  }
  std::unique_ptr<Client> connect() const { return connect(options()); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_connections, SharedConnectionFixture)

BOOST_AUTO_TEST_CASE(clients_that_share_have_one_connection_until_the_last_has_gone) {
  auto first = connect();
  auto second = connect();
  auto session = *second->session();
  BOOST_TEST(relay.connections() == 1);
  first.reset();
  second.reset();
  BOOST_TEST(session->run({}, {"a"}).ok());
  auto third = connect();
  BOOST_TEST(relay.connections() == 1);
  third.reset();
  session.reset();
  BOOST_TEST(connect()->node_info().ok());
  BOOST_TEST(relay.connections() == 2);
}

BOOST_AUTO_TEST_CASE(clients_that_do_not_share_or_are_of_other_programs_have_their_own) {
  auto first = connect();
  auto other = options();
  other.program = "two";
  auto second = connect(other);
  auto alone = options();
  alone.shares_connection = false;
  auto third = connect(alone);
  BOOST_TEST(relay.connections() == 3);
}

BOOST_AUTO_TEST_CASE(threads_that_connect_at_once_have_one_connection) {
  std::vector<std::future<Result<std::unique_ptr<Client>>>> starts;
  for (int i = 0; i < 8; ++i)
    starts.push_back(std::async(std::launch::async, [this] { return try_to_connect(options()); }));
  std::vector<std::unique_ptr<Client>> clients;
  for (auto& start : starts) clients.push_back(*start.get());
  BOOST_TEST(relay.connections() == 1);
}

BOOST_AUTO_TEST_CASE(a_lost_connection_is_replaced_for_the_next_client) {
  heartbeat_limit = stretched(200ms);
  auto first = connect();
  auto session = *first->session();
  relay.cut();
  BOOST_TEST((session->run({}, {}, {"wait"}).status().code() == Code::unavailable));
  relay.restore();
  auto second = connect();
  BOOST_TEST((*second->session())->run({}, {"a"}).ok());
  BOOST_TEST((session->run({}, {"a"}).status().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_connection_that_the_node_has_closed_is_replaced_though_no_call_noticed) {
  auto first = connect();
  relay.close_all();
  auto second = connect();
  BOOST_TEST(second->node_info().ok());
  BOOST_TEST(relay.connections() == 2);
}

BOOST_AUTO_TEST_CASE(where_one_cannot_connect_the_others_that_waited_for_it_try_themselves) {
  auto port = relay.port();
  relay.stop();
  auto connect = [port](std::chrono::milliseconds timeout) {
    ConnectOptions options{.timeout = timeout, .program = "one", .shares_connection = true};
    return Client::connect("troupe://127.0.0.1:" + std::to_string(port), options).status().code();
  };
  std::vector<std::future<Code>> starts;
  for (auto timeout : {50ms, 100ms, 150ms})
    starts.push_back(std::async(std::launch::async, connect, timeout));
  for (auto& start : starts) BOOST_TEST((start.get() == Code::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()
