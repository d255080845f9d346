#include "troupe/actors/link/link_inbox.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace troupe;

namespace {

struct InboxFixture {
  std::vector<uint64_t> granted;
  size_t received = 0;
  LinkInbox inbox{
      heap_allocator(), LinkSizes().granted_bytes,
      [this](const MessageFrame&, const ReceivedMessage&) {
        ++received;
        return Status();
      },
      [this](uint64_t transfer) { granted.push_back(transfer); }};

  Status announce(uint64_t transfer, uint64_t tensor_bytes) {
    FrameReader::Spans body;
    auto status = inbox.message(
        {.transfer = transfer, .content_bytes = 8, .tensor_bytes = {tensor_bytes}}, body);
    BOOST_TEST(body.empty());
    return status;
  }
  /// Receives the bytes of a transfer, whatever they are.
  Status receive(uint64_t transfer, uint64_t bytes) {
    while (bytes > 0) {
      auto size = std::min<uint64_t>(bytes, link_limits::piece_bytes_max);
      FrameReader::Spans body;
      auto status = inbox.piece({transfer, static_cast<uint32_t>(size)}, body);
      if (!status.ok()) return status;
      status = inbox.body_received();
      if (!status.ok()) return status;
      bytes -= size;
    }
    return {};
  }
};

constexpr uint64_t half = LinkSizes().granted_bytes / 2;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(link_inbox, InboxFixture)

BOOST_AUTO_TEST_CASE(no_more_is_granted_at_a_time_than_the_limit_but_one_message_of_any_size_is) {
  BOOST_TEST(announce(1, 8 * half).ok());
  BOOST_TEST(announce(2, half).ok());
  BOOST_TEST(announce(3, half - 100).ok());
  BOOST_TEST(announce(4, half - 100).ok());
  BOOST_TEST(granted == (std::vector<uint64_t>{1}), boost::test_tools::per_element());
  BOOST_TEST(receive(1, 8 * half + 8).ok());
  BOOST_TEST(granted == (std::vector<uint64_t>{1, 2, 3}), boost::test_tools::per_element());
  BOOST_TEST(receive(3, half - 92).ok());
  BOOST_TEST(granted.size() == 4u);
  BOOST_TEST(received == 2u);
}

BOOST_AUTO_TEST_CASE(pieces_that_were_not_granted_or_are_too_long_are_refused) {
  BOOST_TEST((receive(1, 10).code() == Code::invalid_argument));
  BOOST_TEST(announce(1, 2 * half).ok());
  BOOST_TEST(announce(2, half).ok());
  BOOST_TEST((receive(2, 10).code() == Code::invalid_argument));
  BOOST_TEST(receive(1, 2 * half).ok());
  BOOST_TEST((receive(1, 9).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_number_of_announcements_is_bounded) {
  BOOST_TEST(announce(1, 2 * half).ok());
  for (uint64_t i = 0; i < link_limits::announced_max; ++i)
    BOOST_REQUIRE(announce(i + 2, half).ok());
  BOOST_TEST((announce(1'000'000, half).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_number_is_announced_once) {
  BOOST_TEST(announce(1, half).ok());
  BOOST_TEST((announce(1, 100).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_withdrawal_makes_room_for_the_next_message) {
  BOOST_TEST(announce(1, 2 * half).ok());
  BOOST_TEST(announce(2, 2 * half).ok());
  BOOST_TEST(announce(3, half).ok());
  BOOST_TEST(inbox.withdrawn(2).ok());
  BOOST_TEST(granted == (std::vector<uint64_t>{1}), boost::test_tools::per_element());
  BOOST_TEST(inbox.withdrawn(1).ok());
  BOOST_TEST(granted == (std::vector<uint64_t>{1, 3}), boost::test_tools::per_element());
  BOOST_TEST((inbox.withdrawn(1).code() == Code::invalid_argument));
  BOOST_TEST((receive(1, 8).code() == Code::invalid_argument));
  BOOST_TEST(receive(3, half + 8).ok());
  BOOST_TEST(received == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
