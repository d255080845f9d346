#include "troupe/devices/cpu/pool_allocator.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <thread>

#include "troupe/graph/types/tensor.hpp"

using namespace troupe;

BOOST_AUTO_TEST_SUITE(pool_allocator)

BOOST_AUTO_TEST_CASE(it_counts_what_it_gives_out_and_stops_at_its_limit) {
  cpu::PoolAllocator pool(1 << 20);
  auto tensor = Tensor::allocate(DType::uint8, {1000}, pool);
  BOOST_REQUIRE(tensor.ok());
  BOOST_TEST(pool.bytes_in_use() >= 1000u);
  auto large = Tensor::allocate(DType::uint8, {1 << 20}, pool);
  BOOST_TEST((large.status().code() == Code::resource_exhausted));
  *tensor = Tensor();
  BOOST_TEST(pool.bytes_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(a_request_over_the_limit_does_not_make_others_fail) {
  cpu::PoolAllocator pool(1 << 20);
  Allocator& allocator = pool;
  std::atomic<bool> is_over = false;
  std::thread greedy([&] {
    while (!is_over) CHECK(!allocator.allocate(2 << 20));
  });
  int failures = 0;
  for (int i = 0; i < 100'000; ++i) {
    auto* memory = allocator.allocate(1000);
    if (memory) allocator.deallocate(memory, 1000);
    else ++failures;
  }
  is_over = true;
  greedy.join();
  BOOST_TEST(failures == 0);
}

BOOST_AUTO_TEST_CASE(a_tensor_may_outlive_its_pool) {
  std::optional<cpu::PoolAllocator> pool(1 << 20);
  auto tensor = *Tensor::allocate(DType::int32, {1}, *pool);
  *tensor.mutable_data<int32_t>() = 7;
  pool.reset();
  BOOST_TEST(tensor.value<int32_t>() == 7);
}

BOOST_AUTO_TEST_CASE(its_limit_may_change_below_what_is_in_use) {
  cpu::PoolAllocator pool(1 << 20);
  auto tensor = *Tensor::allocate(DType::uint8, {1000}, pool);
  pool.set_limit(500);
  auto refused = Tensor::allocate(DType::uint8, {1}, pool);
  BOOST_TEST((refused.status().code() == Code::resource_exhausted));
  pool.set_limit(1 << 20);
  BOOST_TEST(Tensor::allocate(DType::uint8, {1}, pool).ok());
}

BOOST_AUTO_TEST_SUITE_END()
