#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <cstring>
#include <random>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/capnp/plain_client.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

using Bytes = std::vector<uint8_t>;

/// A connection that says what it likes.
class RawSocket {
 public:
  explicit RawSocket(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    timeval limit{.tv_sec = patience / 1s, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~RawSocket() { ::close(socket_); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  void send(const Bytes& bytes) {
    (void)!::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void finish() { ::shutdown(socket_, SHUT_WR); }
  /// True when the other end closes the connection, whatever it says before.
  bool sees_end() {
    uint8_t bytes[4096];
    ssize_t got = 1;
    while (got > 0) got = ::recv(socket_, bytes, sizeof bytes, 0);
    return got == 0 || errno == ECONNRESET;
  }

 private:
  int socket_;
};

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

Bytes frame_of(capnp::MessageBuilder& message) {
  auto words = capnp::messageToFlatArray(message);
  auto bytes = words.asBytes();
  return {bytes.begin(), bytes.end()};
}

/// A bootstrap, and a call of login() on it: how each client begins.
Bytes greeting() {
  capnp::MallocMessageBuilder bootstrap;
  bootstrap.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(0);
  capnp::MallocMessageBuilder login;
  auto call = login.initRoot<capnp::rpc::Message>().initCall();
  call.setQuestionId(1);
  call.initTarget().initPromisedAnswer().setQuestionId(0);
  call.setInterfaceId(capnp::typeId<rpc::Login>());
  call.setMethodId(0);
  call.initParams().getContent().initAs<rpc::Login::LoginParams>().setProtocolVersion(
      protocol::version);
  auto bytes = frame_of(bootstrap);
  auto rest = frame_of(login);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

/// Sends that and no more, and tells whether the door ends the connection then.
bool is_ended_after(FakeNode& node, const Bytes& bytes) {
  RawSocket socket(node.door->port());
  socket.send(bytes);
  socket.finish();
  return socket.sees_end();
}

bool still_serves(FakeNode& node) {
  auto client = Client::connect(node.target());
  if (!client) return false;
  auto session = (*client)->session();
  return session && (*session)->run({}, {"a"}).ok();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hostile, FakeNode)

BOOST_AUTO_TEST_CASE(a_frame_of_too_many_segments_ends_its_connection) {
  for (uint32_t first : {512u, 0xfffffffeu, 0xffffffffu, 0x7fffffffu}) {
    RawSocket socket(door->port());
    socket.send(numbers({first, 1, 1, 1}));
    BOOST_TEST(socket.sees_end());
  }
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(a_frame_that_is_too_large_ends_its_connection) {
  RawSocket one(door->port());
  one.send(numbers({0, 0xffffffffu}));
  BOOST_TEST(one.sees_end());
  RawSocket many(door->port());
  many.send(numbers({2, 0x10000000u, 0x10000000u, 0x10000000u}));
  BOOST_TEST(many.sees_end());
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(a_frame_that_ends_early_ends_its_connection) {
  auto whole = greeting();
  for (size_t size = 1; size < whole.size(); size += 3)
    BOOST_TEST(
        is_ended_after(*this, Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size))));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(empty_segments_do_no_harm) {
  for (const auto& frame : {numbers({0, 0}), numbers({1, 0, 0, 0}), numbers({2, 0, 0, 0})})
    BOOST_TEST(is_ended_after(*this, frame));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(random_bytes_leave_the_door_serving) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round)
    BOOST_TEST(is_ended_after(*this, random_bytes(random, 1 + random() % 300)));
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(random_words_in_good_frames_leave_the_door_serving) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    auto words = 1 + random() % 12;
    auto bytes = numbers({0, static_cast<uint32_t>(words)});
    for (auto byte : random_bytes(random, words * 8))
      bytes.push_back(random() % 2 == 0 ? byte : byte & 3);
    BOOST_TEST(is_ended_after(*this, bytes));
  }
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(spoiled_greetings_leave_the_door_serving) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    auto bytes = greeting();
    for (int changes = 1 + random() % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    BOOST_TEST(is_ended_after(*this, bytes));
  }
  BOOST_TEST(still_serves(*this));
}

BOOST_AUTO_TEST_CASE(a_client_of_another_version_is_told_both) {
  PlainClient plain(*this);
  auto response = plain.login(99).wait(plain.io.waitScope);
  auto status = to_status(response.getStatus());
  BOOST_TEST((status.code() == Code::failed_precondition));
  BOOST_TEST(status.message().find("99") != std::string::npos);
  BOOST_TEST(!response.hasMaster());
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

BOOST_AUTO_TEST_SUITE_END()
