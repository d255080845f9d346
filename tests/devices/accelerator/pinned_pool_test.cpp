#include "troupe/devices/accelerator/pinned_pool.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>

#include "troupe/graph/types/tensor.hpp"
#include "troupe/tests/devices/accelerator/virtual_cards.hpp"

using namespace troupe;
using namespace troupe::accelerator;
using namespace troupe::testing;

namespace {

struct PinnedFixture {
  VirtualCards cards;
  std::shared_ptr<VirtualCards::Card> card = cards.add_card();
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pinned_pool, PinnedFixture)

BOOST_AUTO_TEST_CASE(a_block_is_pinned_once_for_many_copies) {
  PinnedPool pool(card);
  Allocator& memory = pool;
  for (int i = 0; i < 10; ++i) memory.deallocate(memory.allocate(5000), 5000);
  BOOST_TEST(card->pinned_allocations() == 1u);
  BOOST_TEST(pool.cached_bytes() == 8192u);
  BOOST_TEST((memory.kind() == MemoryKind::pinned));
  pool.trim();
  BOOST_TEST(card->pinned_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_in_use_and_what_is_kept_are_bounded) {
  PinnedPool pool(card, {.limit_bytes = 64 << 10, .cached_bytes = 16 << 10});
  Allocator& memory = pool;
  std::vector<void*> blocks;
  while (auto* block = memory.allocate(8 << 10)) blocks.push_back(block);
  BOOST_TEST(blocks.size() == 8u);
  BOOST_TEST(memory.allocate(65 << 10) == nullptr);
  for (auto* block : blocks) memory.deallocate(block, 8 << 10);
  BOOST_TEST(pool.cached_bytes() == 16u << 10);
  BOOST_TEST(card->pinned_bytes() == 16u << 10);
}

BOOST_AUTO_TEST_CASE(a_tensor_may_outlive_the_pool) {
  std::optional<PinnedPool> pool(card);
  auto tensor = Tensor::allocate(DType::float32, {100}, *pool);
  BOOST_REQUIRE(tensor.ok());
  pool.reset();
  tensor->mutable_data<float>()[99] = 1;
  BOOST_TEST(card->pinned_bytes() > 0u);
  tensor = Tensor();
  BOOST_TEST(card->pinned_bytes() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
