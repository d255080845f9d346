#include "troupe/devices/accelerator/filling_memory.hpp"

#include <utility>
#include <vector>

#include "troupe/devices/accelerator/staged_copies.hpp"
#include "troupe/tests/devices/accelerator/card_fixture.hpp"

using namespace troupe;
using namespace troupe::accelerator;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

constexpr int64_t elements_copied = 4 << 20;  // of 16 MiB, which are copied in 16.8 ms
constexpr auto first_piece = 4200us;

/// A copy to the host that is watched while it is made.
struct Watched {
  Watched(CardFixture& fixture, const Tensor& from) {
    fixture.device->copy_to_host_in_pieces(
        from, [this, &fixture](const Tensor& copy) { begin(fixture, copy); },
        [this](Result<Tensor> copy) { whole = std::move(copy); });
  }
  void begin(CardFixture& fixture, const Tensor& copy) {
    filling = copy;
    FillingMemory::of(copy)->on_change([this, &fixture] { on_change(fixture.cards.now()); });
  }
  /// What is ready is what was to be copied.
  void on_change(std::chrono::nanoseconds now) {
    if (!filling.is_set()) return;
    auto* memory = FillingMemory::of(filling);
    if (memory->has_failed()) return void(has_failed = true);
    auto ready = memory->ready_bytes();
    BOOST_TEST(ready > (risen.empty() ? 0 : risen.back().second));
    risen.emplace_back(now, ready);
    const auto* data = static_cast<const float*>(filling.raw());
    auto is_there = [&](size_t i) { return data[i] == static_cast<float>(i % 1000); };
    BOOST_TEST((is_there(0) && is_there(ready / 2 / sizeof(float))));
    BOOST_TEST(is_there(ready / sizeof(float) - 1));
  }

  Tensor filling;
  std::vector<std::pair<std::chrono::nanoseconds, size_t>> risen;
  bool has_failed = false;
  std::optional<Result<Tensor>> whole;
};

void fail_after_one_piece(VirtualCards::Card& card) {
  card.launch("Long", 2 * first_piece, {}, [] { return Status(); });
  card.launch("Bad", 1us, {}, [] { return internal("an illegal address"); });
}

constexpr const char *card_here = "/job:ps/task:0/device:GPU:0",
                     *card_there = "/job:worker/task:0/device:GPU:0";

/// A step that sends a large tensor to another machine, by default to its card.
struct SendingCard : CardFixture {
  std::shared_ptr<Execution> start_sending(const std::string& to = card_there) {
    port->fed = counted(elements_copied);
    add(
        {.name = "feed",
         .op = transfer::arg,
         .device = card_here,
         .attrs = {{"T", DType::float32}, {"index", 0}, {"shape", Shape({elements_copied})}}});
    add({.name = "less", .op = "Neg", .device = card_here, .inputs = {"feed"}});
    add(
        {.name = "send",
         .op = transfer::send,
         .device = card_here,
         .inputs = {"less"},
         .attrs = {{"edge", 7}, {"to_device", to}}});
    auto execution = start_plan(*device);
    port->run_posted();
    while (port->posted.empty()) BOOST_TEST_REQUIRE(cards.run_next());  // the feed is copied
    port->run_posted();
    return execution;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(filling_memory)

BOOST_FIXTURE_TEST_CASE(a_large_copy_is_ready_piece_by_piece, CardFixture) {
  auto value = on_card(counted(elements_copied), *device);
  cards.run();
  auto begin = cards.now();
  Watched copy(*this, value);
  BOOST_TEST_REQUIRE(copy.filling.is_set());
  BOOST_TEST((copy.filling.memory() == MemoryKind::pinned));
  BOOST_TEST(!copy.filling.is_sole_owner());
  BOOST_TEST(FillingMemory::of(copy.filling)->ready_bytes() == 0u);
  cards.run();
  BOOST_TEST_REQUIRE(copy.risen.size() == 5u);
  BOOST_TEST((copy.risen[0].first - begin <= first_piece));
  BOOST_TEST(copy.risen.back().second == value.bytes());
  BOOST_TEST_REQUIRE(copy.whole.has_value());
  BOOST_TEST(equal(**copy.whole, counted(elements_copied)));
  BOOST_TEST(!FillingMemory::of(**copy.whole));
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(a_copy_waits_for_the_kernel_that_writes_what_it_reads, CardFixture) {
  auto value = run_kernel(*device, "Neg", on_card(counted(elements_copied, 0), *device));
  value = run_kernel(*device, "Neg", std::move(value));
  Watched copy(*this, value);
  cards.run();
  BOOST_TEST(copy.risen.size() == 5u);
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(a_copy_of_one_piece_is_only_given_whole, CardFixture) {
  Watched copy(*this, on_card(counted(1 << 20), *device));
  cards.run();
  BOOST_TEST(!copy.filling.is_set());
  BOOST_TEST(equal(**copy.whole, counted(1 << 20)));
}

BOOST_FIXTURE_TEST_CASE(who_asks_while_a_copy_is_made_gets_the_same_memory, CardFixture) {
  auto value = on_card(counted(elements_copied), *device);
  cards.run();
  Watched first(*this, value);
  while (first.risen.empty()) cards.run_next();
  Watched second(*this, value);
  BOOST_TEST_REQUIRE(second.filling.is_set());
  BOOST_TEST(second.filling.raw() == first.filling.raw());
  BOOST_TEST(FillingMemory::of(second.filling)->ready_bytes() == first.risen[0].second);
  auto fetched = fetch(*device, value);
  BOOST_TEST(fetched->raw() == first.filling.raw());
  BOOST_TEST((*second.whole)->raw() == first.filling.raw());
  BOOST_TEST(second.risen.size() == first.risen.size() - 1);
}

BOOST_FIXTURE_TEST_CASE(an_error_of_the_card_fails_what_is_not_ready, CardFixture) {
  auto value = on_card(counted(elements_copied), *device);
  cards.run();
  Watched copy(*this, value);
  fail_after_one_piece(*card);
  cards.run();
  BOOST_TEST(copy.has_failed);
  BOOST_TEST(FillingMemory::of(copy.filling)->has_failed());
  BOOST_TEST((!copy.risen.empty() && copy.risen.back().second < value.bytes()));
  BOOST_TEST(copy.whole->status().message() == "an illegal address");
}

BOOST_FIXTURE_TEST_CASE(memory_is_not_used_again_before_its_copy_has_ended, CardFixture) {
  auto value = on_card(counted(elements_copied), *device);
  cards.run();
  auto copy = std::make_unique<Watched>(*this, value);
  const auto* memory = copy->filling.raw();
  copy->filling = value = Tensor();
  auto other = *Tensor::allocate(DType::float32, {elements_copied}, device->host_allocator());
  BOOST_TEST(other.raw() != memory);
  cards.run();
  BOOST_TEST(copy->whole.has_value());
  copy = nullptr;
  BOOST_TEST(
      Tensor::allocate(DType::float32, {elements_copied}, device->host_allocator())->raw() ==
      memory);
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(memory_that_is_not_pinned_is_filled_piece_by_piece, CardFixture) {
  auto value = on_card(counted(elements_copied), *device);
  cards.run();
  StagedCopies copies(card, PinnedPool(card));
  auto to = *Tensor::allocate(DType::float32, {elements_copied});
  std::vector<size_t> reached;
  auto status = copies.put_out(Lane::copy_out, to, value, [&](size_t bytes, const Status&) {
    reached.push_back(bytes);
    BOOST_TEST(to.data<float>()[bytes / sizeof(float) - 1] != 0.5F);
  });
  BOOST_TEST(status.ok());
  std::fill_n(to.mutable_data<float>(), elements_copied, 0.5F);
  cards.run();
  BOOST_TEST(reached.size() == 5u);
  BOOST_TEST(equal(to, counted(elements_copied)));
}

BOOST_FIXTURE_TEST_CASE(a_step_sends_a_tensor_while_it_is_copied_and_then_ends, SendingCard) {
  port->lends_filling = true;
  auto execution = start_sending();
  BOOST_TEST_REQUIRE(port->sent.size() == 1u);
  auto copy = port->sent.at(0).second;
  BOOST_TEST_REQUIRE(FillingMemory::of(copy));
  BOOST_TEST(FillingMemory::of(copy)->ready_bytes() == 0u);
  run_until_idle();
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(port->sent.size() == 1u);
  BOOST_TEST(FillingMemory::of(copy)->ready_bytes() == copy.bytes());
  BOOST_TEST(copy.data<float>()[999] == -999);
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(so_it_does_to_a_device_that_computes_in_the_hosts_memory, SendingCard) {
  port->lends_filling = port->lends_all = true;
  auto execution = start_sending("/job:worker/task:0/device:CPU:0");
  BOOST_TEST_REQUIRE(port->sent.size() == 1u);
  BOOST_TEST(FillingMemory::of(port->sent.at(0).second));
  run_until_idle();
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(port->sent.size() == 1u);
  BOOST_TEST(port->sent.at(0).second.data<float>()[999] == -999);
}

BOOST_FIXTURE_TEST_CASE(a_step_sends_a_whole_tensor_where_the_port_wants_that, SendingCard) {
  auto execution = start_sending();
  BOOST_TEST(port->sent.empty());
  run_until_idle();
  BOOST_TEST(done.wait().ok());
  BOOST_TEST_REQUIRE(port->sent.size() == 1u);
  BOOST_TEST(!FillingMemory::of(port->sent.at(0).second));
  BOOST_TEST(port->sent.at(0).second.data<float>()[999] == -999);
}

BOOST_FIXTURE_TEST_CASE(
    a_step_whose_tensor_fails_while_it_is_sent_ends_with_the_error, SendingCard) {
  port->lends_filling = true;
  auto execution = start_sending();
  fail_after_one_piece(*card);
  run_until_idle();
  BOOST_TEST(done.wait().message() == "an illegal address");
  BOOST_TEST(port->sent.size() == 1u);
  BOOST_TEST(FillingMemory::of(port->sent.at(0).second)->has_failed());
}

BOOST_AUTO_TEST_SUITE_END()
