#include "troupe/capnp/client/heartbeat.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/support/text.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/relay.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

struct HeartbeatFixture {
  FakeNode node;
  Relay relay{node.rpc_server->port()};
  std::unique_ptr<Client> client;
  std::unique_ptr<Session> session;
  std::chrono::milliseconds limit{};

  void connect(std::chrono::milliseconds heartbeat_limit) {
    limit = heartbeat_limit;
    session.reset();
    auto connected = Client::connect(
        "troupe://127.0.0.1:" + std::to_string(relay.port()),
        {.timeout = test_timeout, .heartbeat_limit = heartbeat_limit});
    BOOST_REQUIRE_MESSAGE(connected.ok(), connected.status().to_string());
    client = *std::move(connected);
    session = *client->session();
  }

  std::future<Status> start_waiting() {
    auto waiting =
        std::async(std::launch::async, [this] { return session->run({}, {}, {"wait"}).status(); });
    BOOST_REQUIRE(node.record->wait_for("wait"));
    return waiting;
  }

  void check_names_node(const Status& status) const {
    BOOST_TEST((status.code() == Code::unavailable), status.to_string());
    BOOST_TEST(status.where().task == "/job:ps/task:1");
    auto silence = "has not answered for " + seconds_text(limit);
    for (const auto& part : {client->target(), std::string("(/job:ps/task:1)"), silence})
      BOOST_TEST(status.message().find(part) != std::string::npos, status.to_string());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(heartbeat, HeartbeatFixture)

BOOST_AUTO_TEST_CASE(all_calls_that_wait_for_a_silent_node_fail_by_its_name) {
  connect(stretched(200ms));
  std::vector<std::future<Status>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(start_waiting());
  auto start = Clock::now();
  relay.cut();
  for (auto& call : calls) check_names_node(call.get());
  auto took = Clock::now() - start;
  BOOST_TEST((took > 100ms && took < stretched(2s)));
  // A later call fails at once, for the same reason.
  check_names_node(session->run({}, {"a"}).status());
  BOOST_TEST((client->node_info().status().code() == Code::unavailable));

  relay.restore();
  connect(stretched(200ms));
  BOOST_TEST(session->run({}, {"a"}).ok());
}

BOOST_AUTO_TEST_CASE(a_node_that_only_computes_for_long_is_not_silent) {
  connect(stretched(100ms));
  auto waiting = start_waiting();
  BOOST_TEST((waiting.wait_for(stretched(1s)) == std::future_status::timeout));
  BOOST_TEST(session->run({}, {"a"}).ok());
  BOOST_TEST(node.rpc_server->close(test_timeout).ok());
  BOOST_TEST((waiting.get().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_node_whose_rpc_thread_is_busy_is_not_silent) {
  connect(stretched(100ms));
  auto waiting =
      std::async(std::launch::async, [this] { return session->run({}, {}, {"block"}).status(); });
  BOOST_REQUIRE(node.record->wait_for("block"));
  BOOST_TEST((waiting.wait_for(stretched(1s)) == std::future_status::timeout));
  node.record->add("go on");
  BOOST_TEST(waiting.get().ok());
}

BOOST_AUTO_TEST_CASE(a_lost_connection_for_heartbeats_alone_is_silence) {
  connect(stretched(200ms));
  auto waiting = start_waiting();
  relay.cut_all_but_the_first();
  check_names_node(waiting.get());
}

BOOST_AUTO_TEST_CASE(without_a_limit_silence_is_no_error) {
  connect(0ms);
  relay.cut();
  auto call = std::async(std::launch::async, [this] { return session->run({}, {"a"}).status(); });
  BOOST_TEST((call.wait_for(500ms) == std::future_status::timeout));
  relay.restore();
  BOOST_TEST(call.get().ok());
}

BOOST_AUTO_TEST_CASE(a_silence_while_no_call_waited_does_not_count) {
  connect(stretched(200ms));
  for (auto pause : {100ms, 190ms, 250ms, 400ms}) {
    std::this_thread::sleep_for(stretched(pause));
    auto status = session->run({}, {"a"}).status();
    BOOST_TEST(status.ok(), status.to_string());
  }
}

BOOST_AUTO_TEST_CASE(bytes_in_transit_count_as_activity) {
  connect(stretched(200ms));
  auto large = *Tensor::allocate(DType::uint8, {8 << 20});
  std::fill_n(large.mutable_data<uint8_t>(), large.elements(), uint8_t{1});
  relay.cut_all_but_the_first();  // no heartbeat comes through
  relay.slow_down(1 << 13);       // 8 MB/s: a second there, a second back
  auto start = Clock::now();
  auto back = session->run({{"x", large}}, {}, {"echo"});
  BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
  BOOST_TEST((Clock::now() - start > 1s));
  BOOST_TEST(equal((*back)[0], large));
}

BOOST_AUTO_TEST_CASE(a_large_feed_that_stalls_is_silence) {
  connect(stretched(200ms));
  auto large = *Tensor::allocate(DType::uint8, {64 << 20});
  relay.slow_down(1 << 14);
  auto before = relay.bytes_passed();
  auto call = std::async(std::launch::async, [&] {
    return session->run({{"x", large}}, {}, {"echo"}).status();
  });
  while (relay.bytes_passed() < before + (4 << 20)) std::this_thread::yield();
  relay.cut();
  auto start = Clock::now();
  check_names_node(call.get());
  BOOST_TEST((Clock::now() - start < stretched(2s)));
}

BOOST_AUTO_TEST_CASE(a_step_that_a_silent_node_holds_ends_at_its_timeout) {
  connect(stretched(5000ms));
  relay.cut();
  auto start = Clock::now();
  auto status = session->run({}, {"a"}, {}, {.timeout = 300ms}).status();
  auto took = Clock::now() - start;
  BOOST_TEST((status.code() == Code::deadline_exceeded), status.to_string());
  BOOST_TEST(status.where().task == "/job:ps/task:1");
  BOOST_TEST((took >= 300ms && took < stretched(2s)));
}

BOOST_AUTO_TEST_CASE(times_may_be_as_long_as_they_like) {
  connect(std::chrono::years(300));
  auto status = session->run({}, {"a"}, {}, {.timeout = std::chrono::years(9)}).status();
  BOOST_TEST(status.ok(), status.to_string());
}

BOOST_AUTO_TEST_CASE(a_step_dropped_at_its_timeout_is_cancelled_at_the_node) {
  connect(stretched(5000ms));
  auto status = session->run({}, {}, {"wait"}, {.timeout = 50ms}).status();
  BOOST_TEST((status.code() == Code::deadline_exceeded), status.to_string());
  BOOST_TEST(session->run({}, {"a"}).ok());
  BOOST_TEST(node.record->wait_for("cancel"));
}

BOOST_AUTO_TEST_SUITE_END()
