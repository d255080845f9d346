#include "troupe/actors/link/link_inbox.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "troupe/devices/accelerator/filling_memory.hpp"

using namespace troupe;
using accelerator::FillingMemory;

namespace {

struct InboxFixture {
  std::vector<uint64_t> granted;
  size_t received = 0;
  Tensors tensors;  // of the last message
  LinkInbox inbox{
      heap_allocator(), LinkSizes().granted_bytes,
      [this](const MessageFrame&, const ReceivedMessage& message) {
        ++received;
        tensors = message.out_of_band;
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

/// A message in part with a content of 100 bytes and tensors of 1000 and 500.
struct PartFixture : InboxFixture {
  PartFixture() {
    FrameReader::Spans body;
    MessageFrame frame{
        .transfer = 1, .content_bytes = 100, .tensor_bytes = {1000, 500}, .in_part = true};
    BOOST_TEST_REQUIRE(inbox.message(frame, body).ok());
  }
  void check_ready(size_t of_first, size_t of_second) {
    BOOST_TEST_REQUIRE(tensors.size() == 2u);
    BOOST_TEST(FillingMemory::of(tensors[0])->ready_bytes() == of_first);
    BOOST_TEST(FillingMemory::of(tensors[1])->ready_bytes() == of_second);
  }
  bool have_failed() const {
    return std::ranges::all_of(
        tensors, [](const Tensor& tensor) { return FillingMemory::of(tensor)->has_failed(); });
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

BOOST_FIXTURE_TEST_CASE(
    a_message_in_part_is_given_on_with_its_content_and_then_fills, PartFixture) {
  BOOST_TEST(receive(1, 99).ok());
  BOOST_TEST(received == 0u);
  BOOST_TEST(receive(1, 1).ok());
  BOOST_TEST(received == 1u);
  check_ready(0, 0);
  BOOST_TEST(receive(1, 700).ok());
  check_ready(700, 0);
  BOOST_TEST(receive(1, 400).ok());
  check_ready(1000, 100);
  BOOST_TEST(receive(1, 400).ok());
  check_ready(1000, 500);
  BOOST_TEST(received == 1u);
  BOOST_TEST((receive(1, 1).code() == Code::invalid_argument));
}

BOOST_FIXTURE_TEST_CASE(one_that_arrives_at_once_is_given_on_whole, PartFixture) {
  BOOST_TEST(receive(1, 1600).ok());
  BOOST_TEST(received == 1u);
  BOOST_TEST((tensors.size() == 2u && !FillingMemory::of(tensors[0])));
}

BOOST_FIXTURE_TEST_CASE(tensors_of_a_message_in_part_fail_when_it_is_withdrawn, PartFixture) {
  BOOST_TEST(receive(1, 500).ok());
  BOOST_TEST(!have_failed());
  BOOST_TEST(inbox.withdrawn(1).ok());
  BOOST_TEST(have_failed());
  BOOST_TEST(received == 1u);
}

BOOST_FIXTURE_TEST_CASE(so_they_do_when_the_connection_ends, PartFixture) {
  BOOST_TEST(receive(1, 500).ok());
  inbox.clear();
  BOOST_TEST(have_failed());
}

BOOST_AUTO_TEST_SUITE_END()
