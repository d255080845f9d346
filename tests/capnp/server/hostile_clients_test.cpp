#include <boost/test/unit_test.hpp>

#include <cstring>
#include <random>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/plain_client.hpp"
#include "troupe/tests/capnp/raw_calls.hpp"
#include "troupe/tests/capnp/raw_socket.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

Bytes numbers(std::initializer_list<uint32_t> values) {
  Bytes bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

Bytes random_bytes(std::mt19937& random, size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

bool still_serves(FakeNode& node) {
  auto client = Client::connect(node.target());
  if (!client) return false;
  auto session = (*client)->session();
  return session && (*session)->run({}, {"a"}).ok();
}

/// Sends the frame after a login, as otherwise the time limit would close the connection.
bool closes_after_login(FakeNode& node, const Bytes& frame) {
  RawSocket socket(node.rpc_server->port());
  socket.send(login_frames());
  socket.send(frame);
  return socket.await_close();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_clients, FakeNode)

BOOST_AUTO_TEST_CASE(a_frame_of_too_many_segments_ends_its_connection) {
  for (uint32_t first : {512u, 0xfffffffeu, 0xffffffffu, 0x7fffffffu})
    BOOST_TEST(closes_after_login(*this, numbers({first, 1, 1, 1})));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(a_frame_that_is_too_large_ends_its_connection) {
  BOOST_TEST(closes_after_login(*this, numbers({0, 0xffffffffu})));
  BOOST_TEST(closes_after_login(*this, numbers({2, 0x10000000u, 0x10000000u, 0x10000000u})));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(a_frame_that_ends_early_ends_its_connection) {
  auto whole = login_frames();
  for (size_t size = 1; size < whole.size(); size += 3)
    BOOST_TEST(closes_after(
        rpc_server->port(), Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size))));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(empty_segments_do_no_harm) {
  for (const auto& frame : {numbers({0, 0}), numbers({1, 0, 0, 0}), numbers({2, 0, 0, 0})})
    BOOST_TEST(closes_after(rpc_server->port(), frame));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(random_bytes_leave_the_server_serving) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round)
    BOOST_TEST(closes_after(rpc_server->port(), random_bytes(random, 1 + random() % 300)));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(random_words_in_valid_frames_leave_the_server_serving) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    auto words = 1 + random() % 12;
    auto bytes = numbers({0, static_cast<uint32_t>(words)});
    for (auto byte : random_bytes(random, words * 8))
      bytes.push_back(random() % 2 == 0 ? byte : byte & 3);
    BOOST_TEST(closes_after(rpc_server->port(), bytes));
  }
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(mutated_logins_leave_the_server_serving) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    auto bytes = login_frames();
    for (int changes = 1 + random() % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    BOOST_TEST(closes_after(rpc_server->port(), bytes));
  }
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(a_client_that_dies_in_mid_step_cancels_it_and_closes_its_session) {
  {
    PlainClient plain(*this);
    auto master = plain.login(protocol::version).wait(plain.io.waitScope).getMaster();
    auto session = master.createSessionRequest().send().wait(plain.io.waitScope).getSession();
    auto request = session.runRequest();
    request.initTargets(1).set(0, "wait");
    auto running = request.send();
    auto answered = master.clusterRequest().send();
    answered.wait(plain.io.waitScope);
    BOOST_REQUIRE(record->wait_for("wait"));
  }
  BOOST_TEST(record->wait_for("cancel"));
  BOOST_TEST(record->wait_for("close"));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(a_call_that_is_dropped_cancels_its_step_only) {
  PlainClient plain(*this);
  auto master = plain.login(protocol::version).wait(plain.io.waitScope).getMaster();
  auto session = master.createSessionRequest().send().wait(plain.io.waitScope).getSession();
  {
    auto request = session.runRequest();
    request.initTargets(1).set(0, "wait");
    auto running = request.send();
    master.clusterRequest().send().wait(plain.io.waitScope);
  }
  auto again = session.runRequest().send().wait(plain.io.waitScope);
  BOOST_TEST(record->wait_for("cancel"));
  BOOST_TEST(to_status(again.getStatus()).ok());
}

BOOST_AUTO_TEST_CASE(a_step_with_a_bad_tensor_fails_and_says_which) {
  PlainClient plain(*this);
  auto master = plain.login(protocol::version).wait(plain.io.waitScope).getMaster();
  auto session = master.createSessionRequest().send().wait(plain.io.waitScope).getSession();
  auto request = session.runRequest();
  auto feed = request.initFeeds(1)[0];
  feed.setOutput("x:0");
  feed.initValue().setDtype(200);
  auto status = to_status(request.send().wait(plain.io.waitScope).getStatus());
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("x:0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_large_message_before_login_ends_its_connection) {
  RawSocket socket(rpc_server->port());
  socket.send(numbers({0, uint32_t{protocol::login_message_bytes_max / 8 + 1}}));
  BOOST_TEST(socket.await_close());
  PlainClient plain(*this);
  auto master = plain.login(protocol::version).getMaster();
  auto request = master.resetRequest();  // at once with the login
  request.initContainers(1).init(0, 2 * protocol::login_message_bytes_max);
  BOOST_TEST(to_status(request.send().wait(plain.io.waitScope).getStatus()).ok());
}

BOOST_AUTO_TEST_CASE(too_many_calls_in_progress_end_their_connection) {
  {
    PlainClient plain(*this);
    auto session =
        plain.login(protocol::version).getMaster().createSessionRequest().send().getSession();
    std::vector<kj::Promise<void>> steps;
    auto start = [&](uint32_t count) {
      for (; count > 0; --count) {
        auto request = session.runRequest();
        request.initTargets(1).set(0, "wait");
        steps.push_back(request.send().ignoreResult());
      }
    };
    start(protocol::calls_max - 10);
    BOOST_TEST(session.extendRequest().send().wait(plain.io.waitScope).hasStatus());
    start(20);
    BOOST_CHECK_THROW(steps.back().wait(plain.io.waitScope), kj::Exception);
  }
  BOOST_TEST(record->wait_for("close"));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_SUITE_END()
