#include "troupe/capnp/stream/frame_stream.hpp"

#include <capnp/serialize.h>
#include <kj/async-io.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe_schema/master.capnp.h"

using namespace troupe;

namespace {

using Containers = rpc::Master::ResetParams;

constexpr unsigned text_count = 4096;
constexpr unsigned text_bytes = 1 << 16;

/// A frame with a list of texts, of which all but the last are empty.
kj::Array<capnp::word> one_text() {
  capnp::MallocMessageBuilder message(1 << 16);
  auto list = message.initRoot<Containers>().initContainers(text_count);
  list.set(text_count - 1, std::string(text_bytes, 'x'));
  return capnp::messageToFlatArray(message);
}

/// The same frame, but all pointers point to the text of the last one.
kj::Array<capnp::word> many_pointers_to_one_text() {
  auto frame = one_text();
  auto* words = reinterpret_cast<uint64_t*>(frame.begin());
  auto* end = words + frame.size();
  auto* last = std::find_if(
      std::search_n(words, end, text_count - 1, uint64_t{0}), end,
      [](uint64_t word) { return word != 0; });
  auto* first = last - (text_count - 1);
  for (auto* pointer = first; pointer != last; ++pointer)
    *pointer = *last + (static_cast<uint64_t>(last - pointer) << 2);
  return frame;
}

/// Sends the frame through a stream and converts its list.
Result<std::vector<std::string>> read_texts(kj::ArrayPtr<const capnp::word> frame) {
  auto io = kj::setupAsyncIo();
  auto pipe = kj::newTwoWayPipe();
  FrameStream stream(kj::mv(pipe.ends[0]));
  auto bytes = frame.asBytes();
  auto written = pipe.ends[1]->write(bytes.begin(), bytes.size());
  auto message = stream.tryReadMessage(nullptr, reader_options(), nullptr).wait(io.waitScope);
  KJ_IF_MAYBE (some, message)
    return checked([&] { return to_texts(some->reader->getRoot<Containers>().getContainers()); });
  return not_found("no message");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(frame_stream)

BOOST_AUTO_TEST_CASE(a_list_of_texts_arrives) {
  auto texts = read_texts(one_text());
  BOOST_TEST_REQUIRE(texts.ok(), texts.status().to_string());
  BOOST_TEST(texts->at(text_count - 1).size() == text_bytes);
}

BOOST_AUTO_TEST_CASE(many_pointers_to_one_text_are_refused) {
  auto status = read_texts(many_pointers_to_one_text()).status();
  BOOST_TEST((status.code() == Code::invalid_argument), status.to_string());
  BOOST_TEST(status.message().find("limit") != std::string::npos, status.to_string());
}

BOOST_AUTO_TEST_SUITE_END()
