#include "troupe/capnp/server/porter.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <cstring>
#include <future>
#include <string>

#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/server/listen.hpp"
#include "troupe/tests/patience.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr uint64_t incarnation = 0x0123456789abcdef;
const std::string question(protocol::heartbeat);

struct Fixture {
  PlacedSocket listening = *listen_on("", 0);
  int port = listening.port;
  std::promise<kj::AutoCloseFd> handed_on;
  Porter porter{
      kj::mv(listening.socket), incarnation,
      [this](kj::AutoCloseFd socket) { handed_on.set_value(kj::mv(socket)); },
      /*visitors_max=*/2};
  kj::AutoCloseFd visitor = connect();

  kj::AutoCloseFd connect() const {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    kj::AutoCloseFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    BOOST_REQUIRE(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    timeval limit{.tv_sec = patience / std::chrono::seconds(1), .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return socket;
  }
  void say(const std::string& words) const {
    BOOST_REQUIRE(::send(visitor, words.data(), words.size(), MSG_NOSIGNAL) >= 0);
  }
  bool hears_answer() const {
    uint64_t answer = 0;
    return ::recv(visitor, &answer, sizeof answer, MSG_WAITALL) == sizeof answer &&
           answer == incarnation;
  }
  bool hears_end(int flags = 0) const {
    char byte = 0;
    return ::recv(visitor, &byte, 1, flags) == 0 || errno == ECONNRESET;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(porter, Fixture)

BOOST_AUTO_TEST_CASE(each_question_is_answered_with_the_incarnation) {
  say(question);
  BOOST_TEST(hears_answer());
  say(question + question + question.substr(0, 3));
  BOOST_TEST(hears_answer());
  BOOST_TEST(hears_answer());
  say(question.substr(3));
  BOOST_TEST(hears_answer());
}

BOOST_AUTO_TEST_CASE(a_question_may_come_in_pieces) {
  for (char byte : question) {
    say(std::string(1, byte));
    ::usleep(1000);
  }
  BOOST_TEST(hears_answer());
}

BOOST_AUTO_TEST_CASE(other_first_words_are_handed_on_whole) {
  std::string words = question.substr(0, 5) + " other";
  say(words);
  auto socket = handed_on.get_future().get();
  std::string heard(words.size(), '\0');
  BOOST_TEST(::recv(socket, heard.data(), heard.size(), 0) == static_cast<ssize_t>(words.size()));
  BOOST_TEST(heard == words);
}

BOOST_AUTO_TEST_CASE(a_wrong_word_after_a_question_ends_the_connection) {
  say(question);
  BOOST_TEST(hears_answer());
  say("troupe!\n");
  BOOST_TEST(hears_end());
}

BOOST_AUTO_TEST_CASE(a_visitor_who_leaves_is_let_go) {
  say(question.substr(0, 2));
  ::shutdown(visitor, SHUT_WR);
  BOOST_TEST(hears_end());
  visitor = connect();
  say(question);
  BOOST_TEST(hears_answer());
}

BOOST_AUTO_TEST_CASE(where_there_are_too_many_the_oldest_who_said_nothing_gives_way) {
  say(question);
  BOOST_TEST(hears_answer());
  auto known = kj::mv(visitor);
  auto oldest = connect();
  visitor = connect();
  say(question);
  BOOST_TEST(hears_answer());
  visitor = kj::mv(oldest);
  BOOST_TEST(hears_end(MSG_DONTWAIT));  // and not when its time is over
  visitor = kj::mv(known);
  say(question);
  BOOST_TEST(hears_answer());
}

BOOST_AUTO_TEST_SUITE_END()
