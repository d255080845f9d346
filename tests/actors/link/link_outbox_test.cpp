#include "troupe/actors/link/link_outbox.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "troupe/actors/link/frame_reader.hpp"
#include "troupe/actors/link/link_inbox.hpp"

using namespace troupe;

namespace {

constexpr size_t small = 8, large = 1000;
constexpr uint64_t session = 7;

/// What is added is read at the other end, which grants only what a test lets it.
struct OutboxFixture {
  LinkOutbox outbox{{.inline_bytes = 64, .piece_bytes = 256}};
  std::vector<uint64_t> received;  // the numbers of messages, in the order of their arrival
  std::vector<uint64_t> wanted;    // transfers that are to be granted
  LinkInbox inbox{
      heap_allocator(), LinkSizes().granted_bytes,
      [this](const MessageFrame& frame, const ReceivedMessage&) {
        received.push_back(frame.id);
        return Status();
      },
      [this](uint64_t transfer) { wanted.push_back(transfer); }};
  FrameReader reader{
      [this](Frame frame, FrameReader::Spans& body) {
        if (auto* message = std::get_if<MessageFrame>(&frame))
          return inbox.message(std::move(*message), body);
        return inbox.piece(std::get<PieceFrame>(frame), body);
      },
      [this] { return inbox.body_received(); }};

  void add(uint64_t number, size_t bytes, uint64_t step) {
    outbox.add(
        {.target = 1, .id = number}, {.content = std::vector<char>(bytes), .out_of_band = {}},
        {.target = 1, .session = session, .step = step});
  }

  void write() {
    for (auto slices = outbox.take(1 << 20); !slices.empty(); slices = outbox.take(1 << 20))
      for (const auto& slice : slices)
        read({reinterpret_cast<const std::byte*>(slice.data), slice.size});
  }
  void read(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      auto space = reader.space();
      auto size = std::min(space.size(), bytes.size());
      std::ranges::copy(bytes.first(size), space.begin());
      BOOST_TEST_REQUIRE(reader.received(size).ok());
      bytes = bytes.subspan(size);
    }
  }
  void grant_next() {
    BOOST_TEST_REQUIRE(!wanted.empty());
    BOOST_TEST(outbox.grant(wanted.front()));
    wanted.erase(wanted.begin());
    write();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(link_outbox, OutboxFixture)

BOOST_AUTO_TEST_CASE(the_end_of_a_session_passes_none_of_its_registrations) {
  add(1, large, /*step=*/5);
  add(2, large, 0);
  add(3, large, 0);
  write();
  grant_next();
  add(4, small, 0);
  write();
  BOOST_TEST(received == std::vector<uint64_t>{1}, boost::test_tools::per_element());
  grant_next();
  grant_next();
  BOOST_TEST(received == (std::vector<uint64_t>{1, 2, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_small_message_passes_large_ones_of_other_steps) {
  add(1, large, /*step=*/5);
  add(2, small, /*step=*/5);
  add(3, small, /*step=*/6);
  write();
  BOOST_TEST(received == std::vector<uint64_t>{3}, boost::test_tools::per_element());
  grant_next();
  BOOST_TEST(received == (std::vector<uint64_t>{3, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
