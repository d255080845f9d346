#include "troupe/actors/link/link_outbox.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "troupe/actors/link/frame_reader.hpp"
#include "troupe/actors/link/link_inbox.hpp"
#include "troupe/devices/accelerator/filling_memory.hpp"

using namespace troupe;
using accelerator::FillingMemory;

namespace {

constexpr size_t small = 8, large = 1000;
constexpr uint64_t session = 7;

/// A tensor of `large` bytes that is filled bit by bit, with ones.
struct Filling {
  Tensor whole = *Tensor::allocate(DType::uint8, {large});
  Tensor tensor = FillingMemory::begin(whole);

  Filling() { std::memset(whole.mutable_raw(), 0, large); }
  void fill(size_t bytes) {
    std::memset(whole.mutable_raw(), 1, bytes);
    FillingMemory::of(tensor)->set_ready(bytes);
  }
};

/// What is added is read at the other end, which grants only what a test lets it.
struct OutboxFixture {
  LinkOutbox outbox{{.inline_bytes = 64, .piece_bytes = 256}};
  std::vector<uint64_t> received;  // the numbers of messages, in the order of their arrival
  std::vector<uint64_t> wanted;    // transfers that are to be granted
  int pieces = 0, withdrawals = 0;
  LinkInbox inbox{
      heap_allocator(), LinkSizes().granted_bytes,
      [this](const MessageFrame& frame, const ReceivedMessage& message) {
        received.push_back(frame.id);
        for (const auto& tensor : message.out_of_band)
          BOOST_TEST(std::ranges::count(tensor.values<uint8_t>(), 1) == tensor.elements());
        return Status();
      },
      [this](uint64_t transfer) { wanted.push_back(transfer); }};
  FrameReader reader{
      [this](Frame frame, FrameReader::Spans& body) {
        if (auto* message = std::get_if<MessageFrame>(&frame))
          return inbox.message(std::move(*message), body);
        if (auto* withdrawn = std::get_if<WithdrawnFrame>(&frame)) {
          ++withdrawals;
          return inbox.withdrawn(withdrawn->transfer);
        }
        ++pieces;
        return inbox.piece(std::get<PieceFrame>(frame), body);
      },
      [this] { return inbox.body_received(); }};

  void add(uint64_t number, size_t bytes, uint64_t step) {
    outbox.add(
        {.target = 1, .id = number}, {.content = std::vector<char>(bytes), .out_of_band = {}},
        {.target = 1, .session = session, .step = step});
  }
  static MessageOrder tensors_of(uint64_t step) {
    return {.target = 1, .session = session, .step = step, .passes = true, .is_tensors = true};
  }
  void add(uint64_t number, const Filling& filling, uint64_t step) {
    outbox.add(
        {.target = 1, .id = number},
        {.content = std::vector<char>(small), .out_of_band = {filling.tensor}}, tensors_of(step));
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
  void grant_all() {
    write();
    while (!wanted.empty()) grant_next();
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

BOOST_AUTO_TEST_CASE(a_tensor_whose_next_piece_is_not_ready_is_passed_over) {
  Filling first, second;
  add(1, first, /*step=*/1);
  add(2, second, 2);
  add(3, large, 3);
  grant_all();
  BOOST_TEST(received == std::vector<uint64_t>{3}, boost::test_tools::per_element());
  second.fill(large);
  write();
  BOOST_TEST(received == (std::vector<uint64_t>{3, 2}), boost::test_tools::per_element());
  first.fill(large);
  write();
  BOOST_TEST(received == (std::vector<uint64_t>{3, 2, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_pieces_of_a_tensor_leave_as_they_are_ready) {
  Filling filling;
  add(1, filling, /*step=*/1);
  grant_all();
  filling.fill(256 - small - 1);
  write();
  BOOST_TEST(pieces == 0);
  filling.fill(256 - small);
  write();
  BOOST_TEST(pieces == 1);
  filling.fill(large - 1);
  write();
  BOOST_TEST(pieces == 3);
  filling.fill(large);
  write();
  BOOST_TEST(pieces == 4);
  BOOST_TEST(received == std::vector<uint64_t>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_tensor_that_is_not_full_is_announced_however_small_it_is) {
  LinkOutbox of_large{{.inline_bytes = 2 * large, .piece_bytes = 256}};
  std::swap(outbox, of_large);
  Filling filling;
  add(1, filling, /*step=*/1);
  write();
  BOOST_TEST_REQUIRE(wanted.size() == 1u);
  grant_next();
  filling.fill(large);
  write();
  BOOST_TEST(received == std::vector<uint64_t>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_tensor_that_fails_is_withdrawn_and_others_go_on) {
  Filling before, meanwhile;
  FillingMemory::of(before.tensor)->fail();
  add(1, before, /*step=*/1);
  add(2, meanwhile, 2);
  add(3, large, 2);
  grant_all();
  BOOST_TEST(withdrawals == 1);
  meanwhile.fill(large - 1);
  write();
  BOOST_TEST(received.empty());
  FillingMemory::of(meanwhile.tensor)->fail();
  write();
  BOOST_TEST(withdrawals == 2);
  grant_all();  // what is of the same step waited for it
  BOOST_TEST(received == std::vector<uint64_t>{3}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_tensor_that_is_discarded_is_filled_all_the_same) {
  auto filling = std::make_unique<Filling>();
  auto whole = filling->whole;
  add(1, *filling, /*step=*/1);
  grant_all();
  filling->fill(large / 2);
  write();
  BOOST_TEST(outbox.discard(tensors_of(1)).size() == 1u);
  BOOST_TEST(!whole.is_sole_owner());
  filling->fill(large);
  write();
  BOOST_TEST(withdrawals == 1);
  BOOST_TEST(received.empty());
  filling = nullptr;
  BOOST_TEST(whole.is_sole_owner());
}

BOOST_AUTO_TEST_SUITE_END()
