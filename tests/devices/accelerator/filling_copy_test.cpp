#include <cstring>
#include <optional>
#include <vector>

#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/tests/devices/accelerator/card_fixture.hpp"

using namespace troupe;
using namespace troupe::accelerator;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

constexpr int64_t elements_arriving = 4 << 20;  // of 16 MiB, which are copied in 16.8 ms
constexpr size_t bytes_arriving = elements_arriving * sizeof(float);
constexpr auto one_piece = 4300us;

/// A tensor that arrives from elsewhere and is copied to the card meanwhile. What has not arrived
/// is other than it will be.
struct Arriving {
  Arriving(CardFixture& fixture, AcceleratorDevice& to, size_t ready = 0) {
    std::memset(whole.mutable_raw(), 0x5a, bytes_arriving);
    arrive_until(ready);
    auto released = std::shared_ptr<void>(nullptr, [this](void*) { is_released = true; });
    to.copy_in_in_pieces(filling, [this, &fixture, released](Tensor copied) {
      copy = std::move(copied);
      copied_at = fixture.cards.now();
    });
  }
  void arrive_until(size_t bytes) {
    auto begin = arrived;
    arrived = bytes;
    std::memcpy(
        static_cast<std::byte*>(whole.mutable_raw()) + begin,
        static_cast<const std::byte*>(sent.raw()) + begin, bytes - begin);
    memory().set_ready(bytes);
  }
  FillingMemory& memory() const { return *FillingMemory::of(filling); }
  /// Whether the copy was given up, and who waited for it with it.
  bool is_given_up() const { return is_released && !copy; }

  Tensor sent = CardFixture::counted(elements_arriving);
  Tensor whole = *Tensor::allocate(DType::float32, {elements_arriving});
  Tensor filling = FillingMemory::begin(whole);
  size_t arrived = 0;
  std::optional<Tensor> copy;
  std::chrono::nanoseconds copied_at{};
  bool is_released = false;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(filling_copy)

BOOST_FIXTURE_TEST_CASE(what_arrives_is_copied_meanwhile_and_only_once_it_is_there, CardFixture) {
  Arriving tensor(*this, *device);
  for (size_t bytes = 1 << 20; bytes < bytes_arriving; bytes += 1 << 20) {
    tensor.arrive_until(bytes);
    cards.run();
  }
  BOOST_TEST(!tensor.copy);
  auto before_last = cards.now();
  tensor.arrive_until(bytes_arriving);
  BOOST_TEST(!tensor.copy);
  cards.run();
  BOOST_TEST_REQUIRE(tensor.copy.has_value());
  BOOST_TEST((device_of(*tensor.copy) == device.get()));
  BOOST_TEST((tensor.copied_at - before_last <= one_piece));
  BOOST_TEST(equal(*fetch(*device, *tensor.copy), tensor.sent));
  BOOST_TEST(tensor.is_released);
  BOOST_TEST(tensor.whole.is_sole_owner() == false);
  tensor.filling = Tensor();
  BOOST_TEST(tensor.whole.is_sole_owner());
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(small_pieces_go_to_the_card_together, CardFixture) {
  Arriving tensor(*this, *device);
  auto allocations = card->pinned_allocations();
  for (size_t bytes = 1000; bytes < bytes_arriving; bytes += 1000) tensor.arrive_until(bytes);
  tensor.arrive_until(bytes_arriving);
  BOOST_TEST(card->pinned_allocations() - allocations <= 5u);
  cards.run();
  BOOST_TEST(equal(*fetch(*device, *tensor.copy), tensor.sent));
}

BOOST_FIXTURE_TEST_CASE(what_had_arrived_before_is_copied_too, CardFixture) {
  for (auto ready : {size_t{5'000'000}, bytes_arriving}) {
    Arriving tensor(*this, *device, ready);
    cards.run();
    BOOST_TEST(tensor.copy.has_value() == (ready == bytes_arriving));
    tensor.arrive_until(bytes_arriving);
    cards.run();
    BOOST_TEST_REQUIRE(tensor.copy.has_value());
    BOOST_TEST(equal(*fetch(*device, *tensor.copy), tensor.sent));
  }
}

BOOST_FIXTURE_TEST_CASE(
    a_tensor_that_is_withdrawn_is_never_given_on_and_leaves_nothing, CardFixture) {
  auto before = device->allocator().use().bytes_in_use;
  Arriving tensor(*this, *device);
  tensor.arrive_until(9 << 20);
  BOOST_TEST(device->allocator().use().bytes_in_use >= before + bytes_arriving);
  tensor.memory().fail();
  tensor.filling = Tensor();
  cards.run();
  BOOST_TEST(tensor.is_given_up());
  BOOST_TEST(device->allocator().use().bytes_in_use == before);
  BOOST_TEST(device->host_allocator().use().bytes_in_use == 0u);
  BOOST_TEST(tensor.whole.is_sole_owner());
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(
    the_memory_of_a_tensor_that_is_withdrawn_is_not_used_while_pieces_are_copied_there,
    CardFixture) {
  auto value = on_card(counted(elements_arriving), *device);
  cards.run();
  Arriving tensor(*this, *device);
  tensor.arrive_until(9 << 20);
  tensor.memory().fail();
  tensor.filling = Tensor();
  auto negated = run_kernel(*device, "Neg", value);
  auto again = run_kernel(*device, "Neg", negated);
  cards.run();
  BOOST_TEST(equal(*fetch(*device, again), counted(elements_arriving)));
  BOOST_TEST(cards.fault() == "");
}

BOOST_FIXTURE_TEST_CASE(
    what_the_device_has_no_room_for_is_given_on_in_the_hosts_memory, CardFixture) {
  auto small = make(cards.add_card(), 1, /*limit_bytes=*/8 * MiB);
  Arriving tensor(*this, *small);
  tensor.arrive_until(9 << 20);
  cards.run();
  BOOST_TEST(!tensor.copy);
  tensor.arrive_until(bytes_arriving);
  BOOST_TEST_REQUIRE(tensor.copy.has_value());
  BOOST_TEST(equal(*tensor.copy, tensor.sent));
  BOOST_TEST(!FillingMemory::is_filling(*tensor.copy));
  BOOST_TEST((small->copy_in(*tensor.copy).status().code() == Code::resource_exhausted));
}

BOOST_FIXTURE_TEST_CASE(so_is_what_a_card_that_fails_does_not_take, CardFixture) {
  for (auto fails_after : {0, 9, 16}) {
    auto failing = cards.add_card();
    auto of_failing = make(failing, 1);
    Arriving tensor(*this, *of_failing);
    auto fail = [&] {
      failing->launch("Bad", 1us, {}, [] { return internal("an illegal address"); });
    };
    if (fails_after == 0) fail();
    cards.run();
    tensor.arrive_until(9 << 20);
    if (fails_after == 9) fail();
    cards.run();
    tensor.arrive_until(bytes_arriving);
    if (fails_after == 16) fail();
    cards.run();
    BOOST_TEST_REQUIRE(tensor.copy.has_value());
    BOOST_TEST(equal(*tensor.copy, tensor.sent));
  }
}

BOOST_FIXTURE_TEST_CASE(a_copy_may_outlive_its_device, CardFixture) {
  auto other = make(cards.add_card(), 1);
  Arriving tensor(*this, *other);
  tensor.arrive_until(9 << 20);
  cards.run();
  other = nullptr;
  tensor.arrive_until(bytes_arriving);
  cards.run();
  BOOST_TEST(tensor.copy.has_value());
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_SUITE_END()
