#include "troupe/devices/accelerator/stream_ordered_pool.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/accelerator/virtual_cards.hpp"

using namespace troupe;
using namespace troupe::accelerator;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

struct PoolFixture {
  VirtualCards cards{{.memory_bytes = 256 * MiB}};
  std::shared_ptr<VirtualCards::Card> card = cards.add_card();

  std::unique_ptr<StreamOrderedPool> pool(uint64_t limit, bool grows = true) {
    return std::make_unique<StreamOrderedPool>(
        card, PoolOptions{.limit_bytes = limit, .grows = grows});
  }
  /// Work of a lane that writes the memory.
  void write(void* memory, size_t bytes, Lane lane = Lane::compute) {
    static const std::vector<char> zeros(MiB);
    if (lane == Lane::compute)
      card->launch("a kernel", 1000ns, {{memory, bytes, true}}, [] { return Status(); });
    else card->copy_in(lane, memory, zeros.data(), bytes);
  }
  /// A step has ended: the host knows that all kernels so far are done.
  void end_step(StreamOrderedPool& pool) {
    auto mark = pool.mark();
    card->when_reached(Lane::compute, [&pool, mark](const Status&) { pool.passed(mark); });
    cards.run();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stream_ordered_pool, PoolFixture)

BOOST_AUTO_TEST_CASE(a_block_serves_the_next_kernel_before_the_last_one_has_run) {
  auto memory = pool(64 * MiB);
  auto* first = memory->allocate(MiB);
  write(first, MiB);
  memory->deallocate(first, MiB);
  auto* second = memory->allocate(MiB);
  BOOST_TEST(second == first);
  write(second, MiB);
  cards.run();
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(another_lane_gets_memory_that_no_kernel_uses_any_more) {
  auto memory = pool(64 * MiB);
  void* blocks[4];
  for (auto& block : blocks) block = memory->allocate(MiB);
  memory->deallocate(blocks[2], MiB);
  end_step(*memory);
  write(blocks[0], MiB);
  memory->deallocate(blocks[0], MiB);
  auto* copied = memory->allocate(MiB, Lane::copy_in);
  BOOST_TEST(copied == blocks[2]);
  write(copied, MiB, Lane::copy_in);
  BOOST_TEST(memory->allocate(MiB) == blocks[0]);
  cards.run();
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(another_lane_waits_for_the_kernels_where_all_memory_is_theirs) {
  auto memory = pool(MiB);
  auto* used = memory->allocate(MiB);
  write(used, MiB);
  memory->deallocate(used, MiB);
  auto* copied = memory->allocate(MiB, Lane::copy_in);
  BOOST_TEST(copied == used);
  write(copied, MiB, Lane::copy_in);
  cards.run();
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(the_checker_of_these_tests_sees_an_order_that_is_missing) {
  auto memory = pool(64 * MiB);
  auto* used = memory->allocate(MiB);
  write(used, MiB);
  write(used, MiB, Lane::copy_in);
  BOOST_TEST(
      cards.fault() ==
      "a copy to the card on copy_in writes what a kernel writes, without an order between them");
}

BOOST_AUTO_TEST_CASE(neighbours_that_lie_idle_are_joined) {
  auto memory = pool(3 * MiB);
  void* parts[] = {memory->allocate(MiB), memory->allocate(MiB), memory->allocate(MiB)};
  BOOST_TEST(memory->allocate(256) == nullptr);
  for (int i : {0, 2, 1}) memory->deallocate(parts[i], MiB);
  BOOST_TEST(memory->allocate(3 * MiB) != nullptr);
  BOOST_TEST(card->allocations() == 1u);
}

BOOST_AUTO_TEST_CASE(the_limit_is_a_hard_one_for_what_is_taken_from_the_card) {
  auto memory = pool(100 * MiB);
  BOOST_TEST(memory->allocate(101 * MiB) == nullptr);
  std::vector<void*> parts;
  while (auto* part = memory->allocate(7 * MiB)) parts.push_back(part);
  BOOST_TEST(card->allocated_bytes() <= 100 * MiB);
  BOOST_TEST(memory->use().bytes_in_use == parts.size() * 7 * MiB);
  BOOST_TEST(memory->use().limit_bytes == 100 * MiB);
  BOOST_TEST(parts.size() >= 12u);
}

BOOST_AUTO_TEST_CASE(regions_that_lie_idle_are_given_back_for_a_large_block) {
  auto memory = pool(100 * MiB);
  auto* small = memory->allocate(20 * MiB);
  memory->deallocate(small, 20 * MiB);
  BOOST_TEST(memory->allocate(99 * MiB) != nullptr);
  BOOST_TEST(card->allocated_bytes() <= 100 * MiB);
}

BOOST_AUTO_TEST_CASE(it_takes_what_it_needs_and_gives_back_what_nobody_uses) {
  auto memory = pool(200 * MiB);
  BOOST_TEST(card->allocated_bytes() == 0u);
  auto* one = memory->allocate(1);
  BOOST_TEST(card->allocated_bytes() == 32 * MiB);
  memory->trim();
  BOOST_TEST(card->allocated_bytes() == 32 * MiB);
  memory->deallocate(one, 1);
  memory->trim();
  BOOST_TEST(card->allocated_bytes() == 0u);
  BOOST_TEST(memory->bytes_reserved() == 0u);
}

BOOST_AUTO_TEST_CASE(a_card_that_others_use_too_gives_less_than_was_asked_for) {
  auto* of_others = card->allocate(150 * MiB);
  auto memory = pool(200 * MiB);
  BOOST_TEST(memory->allocate(90 * MiB) != nullptr);
  BOOST_TEST(memory->allocate(90 * MiB) == nullptr);
  card->deallocate(of_others, 150 * MiB);
}

BOOST_AUTO_TEST_CASE(a_share_that_is_reserved_is_taken_at_once) {
  auto memory = pool(100 * MiB, /*grows=*/false);
  BOOST_TEST(memory->reserve().ok());
  BOOST_TEST(card->allocated_bytes() == 100 * MiB);
  auto next = pool(256 * MiB, /*grows=*/false);
  auto status = next->reserve();
  BOOST_TEST(status.ok());  // more than half of it is there
  BOOST_TEST(card->allocated_bytes() <= 256 * MiB);
  auto third = pool(100 * MiB, /*grows=*/false);
  BOOST_TEST((third->reserve().code() == Code::resource_exhausted));
}

BOOST_AUTO_TEST_CASE(a_pool_that_keeps_nothing_has_memory_of_its_own_for_each_block) {
  StreamOrderedPool memory(card, {.limit_bytes = MiB, .keeps = false});
  auto* first = memory.allocate(1000);
  auto* second = memory.allocate(24);
  BOOST_TEST(card->allocated_bytes() == 1024u);
  BOOST_TEST(memory.allocate(MiB) == nullptr);
  write(first, 1000);
  memory.deallocate(first, 1000);
  BOOST_TEST(card->allocated_bytes() == 24u);
  memory.deallocate(second, 24);
  BOOST_TEST(card->allocated_bytes() == 0u);
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_description_names_who_has_the_memory) {
  auto memory = pool(64 * MiB);
  auto before = StreamOrderedPool::set_holder("MatMul");
  memory->allocate(4 * MiB);
  memory->allocate(4 * MiB);
  StreamOrderedPool::set_holder("copies");
  memory->allocate(MiB);
  StreamOrderedPool::set_holder(before);
  BOOST_TEST(
      memory->describe() ==
      "9 MiB of 64 MiB are in use: 8 MiB by MatMul (2 tensors), 1 MiB by copies (1 tensor); "
      "23 MiB lie idle in 1 piece, the largest of 23 MiB");
}

BOOST_AUTO_TEST_SUITE_END()
