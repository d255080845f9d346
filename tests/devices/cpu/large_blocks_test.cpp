#include "troupe/devices/cpu/large_blocks.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/pool_allocator.hpp"

using namespace troupe;

BOOST_AUTO_TEST_SUITE(large_blocks)

constexpr auto size = cpu::LargeBlocks::block_bytes_min;

BOOST_AUTO_TEST_CASE(a_block_is_kept_for_the_next_of_its_size) {
  cpu::LargeBlocks blocks(4 * size);
  auto* first = blocks.allocate(size);
  auto* second = blocks.allocate(2 * size);
  BOOST_REQUIRE((first && second));
  blocks.deallocate(first, size);
  blocks.deallocate(second, 2 * size);
  BOOST_TEST(blocks.kept_bytes() == 3 * size);
  BOOST_TEST(blocks.allocate(size) == first);
  BOOST_TEST(blocks.allocate(2 * size) == second);
  BOOST_TEST(blocks.kept_bytes() == 0u);
  blocks.deallocate(first, size);
  blocks.deallocate(second, 2 * size);
  blocks.trim();
  BOOST_TEST(blocks.kept_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(of_what_is_kept_the_oldest_goes_beyond_the_bound) {
  cpu::LargeBlocks blocks(size);
  auto *first = blocks.allocate(size), *second = blocks.allocate(size);
  blocks.deallocate(first, size);
  blocks.deallocate(second, size);
  BOOST_TEST(blocks.kept_bytes() == size);
  BOOST_TEST(blocks.allocate(size) == second);
  blocks.deallocate(second, size);
}

BOOST_AUTO_TEST_CASE(a_pool_counts_no_block_that_is_kept) {
  cpu::PoolAllocator pool(uint64_t{1} << 40);
  Allocator& allocator = pool;
  auto* memory = allocator.allocate(size);
  BOOST_TEST(pool.bytes_in_use() == size);
  allocator.deallocate(memory, size);
  BOOST_TEST(pool.bytes_in_use() == 0u);
  BOOST_TEST(allocator.allocate(size) == memory);
  allocator.deallocate(memory, size);
  pool.trim();
}

BOOST_AUTO_TEST_SUITE_END()
