#include "troupe/capnp/server/listen/acceptor.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <cstring>
#include <future>
#include <string>

#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/listen/listening_socket.hpp"
#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr uint64_t incarnation = 0x0123456789abcdef;
const std::string request(protocol::heartbeat);

struct AcceptorFixture {
  BoundSocket listening = *listen_on("", 0);
  int port = listening.port;
  std::promise<kj::AutoCloseFd> dispatched;
  Acceptor::Purpose dispatched_as = Acceptor::Purpose::client;
  Acceptor acceptor{
      kj::mv(listening.socket),
      /*unix_listening=*/nullptr,
      incarnation,
      /*credentials=*/nullptr,
      [this](kj::AutoCloseFd socket, Acceptor::Purpose purpose) {
        dispatched_as = purpose;
        dispatched.set_value(kj::mv(socket));
      },
      /*connections_max=*/2};
  kj::AutoCloseFd client = connect();

  kj::AutoCloseFd connect() const {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    kj::AutoCloseFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    BOOST_REQUIRE(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    timeval limit{.tv_sec = test_timeout / std::chrono::seconds(1), .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return socket;
  }
  void send(const std::string& bytes) const {
    BOOST_REQUIRE(::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0);
  }
  bool receives_answer() const {
    uint64_t answer = 0;
    return ::recv(client, &answer, sizeof answer, MSG_WAITALL) == sizeof answer &&
           answer == incarnation;
  }
  bool sees_close(int flags = 0) const {
    char byte = 0;
    return ::recv(client, &byte, 1, flags) == 0 || errno == ECONNRESET;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(acceptor, AcceptorFixture)

BOOST_AUTO_TEST_CASE(each_request_is_answered_with_the_incarnation) {
  send(request);
  BOOST_TEST(receives_answer());
  send(request + request + request.substr(0, 3));
  BOOST_TEST(receives_answer());
  BOOST_TEST(receives_answer());
  send(request.substr(3));
  BOOST_TEST(receives_answer());
}

BOOST_AUTO_TEST_CASE(a_request_may_come_in_pieces) {
  for (char byte : request) {
    send(std::string(1, byte));
    ::usleep(1000);
  }
  BOOST_TEST(receives_answer());
}

BOOST_AUTO_TEST_CASE(a_connection_with_other_first_bytes_is_dispatched_unread) {
  std::string bytes = request.substr(0, 5) + " other";
  send(bytes);
  auto socket = dispatched.get_future().get();
  BOOST_TEST((dispatched_as == Acceptor::Purpose::client));
  std::string received(bytes.size(), '\0');
  BOOST_TEST(
      ::recv(socket, received.data(), received.size(), 0) == static_cast<ssize_t>(bytes.size()));
  BOOST_TEST(received == bytes);
}

BOOST_AUTO_TEST_CASE(a_link_is_dispatched_as_such_unread_and_only_once_its_first_bytes_are_there) {
  const std::string bytes(protocol::link);
  send(bytes.substr(0, 7));
  ::usleep(1000);
  send(bytes.substr(7) + "frames");
  auto socket = dispatched.get_future().get();
  BOOST_TEST((dispatched_as == Acceptor::Purpose::link));
  std::string received(bytes.size(), '\0');
  BOOST_TEST(
      ::recv(socket, received.data(), received.size(), 0) == static_cast<ssize_t>(bytes.size()));
  BOOST_TEST(received == bytes);
}

BOOST_AUTO_TEST_CASE(wrong_bytes_after_a_request_close_the_connection) {
  send(request);
  BOOST_TEST(receives_answer());
  send("troupe!\n");
  BOOST_TEST(sees_close());
}

BOOST_AUTO_TEST_CASE(a_connection_that_its_client_ends_is_closed) {
  send(request.substr(0, 2));
  ::shutdown(client, SHUT_WR);
  BOOST_TEST(sees_close());
  client = connect();
  send(request);
  BOOST_TEST(receives_answer());
}

BOOST_AUTO_TEST_CASE(at_the_limit_the_oldest_pending_connection_is_closed) {
  send(request);
  BOOST_TEST(receives_answer());
  auto heartbeat_socket = kj::mv(client);
  auto oldest = connect();
  client = connect();
  send(request);
  BOOST_TEST(receives_answer());
  client = kj::mv(oldest);
  BOOST_TEST(sees_close(MSG_DONTWAIT));  // at once, not at the end of login_time
  client = kj::mv(heartbeat_socket);
  send(request);
  BOOST_TEST(receives_answer());
}

BOOST_AUTO_TEST_SUITE_END()
