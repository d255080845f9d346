#include "troupe/devices/cpu/pool_allocator.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>

#include "troupe/graph/tensor.hpp"

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
