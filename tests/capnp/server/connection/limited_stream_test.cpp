#include "troupe/capnp/server/connection/limited_stream.hpp"

#include <kj/async-io.h>

#include <boost/test/unit_test.hpp>

#include "troupe/capnp/protocol.hpp"

using namespace troupe;

namespace {

struct LimitedStreamFixture {
  kj::AsyncIoContext io = kj::setupAsyncIo();
  kj::TwoWayPipe pipe = kj::newTwoWayPipe();
  FrameStream frames{kj::mv(pipe.ends[0])};
  LoopActivity activity;
  LimitedStream stream{frames, activity};

  /// Writes the header of a message of that many bytes, and returns what is read of it.
  auto read_message_of(uint64_t bytes) {
    uint32_t header[] = {0, static_cast<uint32_t>(bytes / sizeof(capnp::word))};
    auto written = pipe.ends[1]->write(header, sizeof header);
    auto read = stream.tryReadMessage(nullptr, reader_options(), nullptr);
    written.wait(io.waitScope);
    return read;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(limited_stream, LimitedStreamFixture)

BOOST_AUTO_TEST_CASE(a_large_message_before_login_is_refused_by_its_header) {
  auto read = read_message_of(protocol::login_message_bytes_max + sizeof(capnp::word));
  BOOST_TEST_REQUIRE(read.poll(io.waitScope));
  BOOST_CHECK_THROW(read.wait(io.waitScope), kj::Exception);
  BOOST_TEST(stream.fault() == "a message of 65544 bytes is over the limit");
}

BOOST_AUTO_TEST_CASE(a_large_message_after_login_is_read) {
  stream.mark_logged_in();
  auto read = read_message_of(protocol::login_message_bytes_max + sizeof(capnp::word));
  BOOST_TEST(!read.poll(io.waitScope));
  BOOST_TEST(stream.fault() == "");
}

BOOST_AUTO_TEST_CASE(each_message_is_an_activity_of_the_loop) {
  auto active = activity.next();
  BOOST_TEST(!active.poll(io.waitScope));
  auto read = read_message_of(sizeof(capnp::word));
  uint64_t empty = 0;
  auto written = pipe.ends[1]->write(&empty, sizeof empty);
  read.wait(io.waitScope);
  written.wait(io.waitScope);
  BOOST_TEST(active.poll(io.waitScope));
}

BOOST_AUTO_TEST_SUITE_END()
