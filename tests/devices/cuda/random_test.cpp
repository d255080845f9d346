#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cuda/random/distributions.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

using cuda::PhiloxPosition;

BOOST_AUTO_TEST_SUITE(cuda_random)

PhiloxPosition position_of(const cpu::Philox& philox) {
  return {.key = philox.seed(), .low = philox.low(), .high = philox.high()};
}

BOOST_AUTO_TEST_CASE(a_stream_has_the_bits_of_a_cpus) {
  for (uint64_t seed : {uint64_t{0}, uint64_t{17}, uint64_t{0xfedcba9876543210}}) {
    cpu::Philox philox(seed, ~seed);
    for (uint64_t skipped : {uint64_t{0}, uint64_t{1}, uint64_t{0xffffffff}, ~uint64_t{0}}) {
      auto there = philox.skip(skipped).skip(3);
      auto expected = there.block();
      auto found = position_of(philox).skip(skipped).skip(3);
      BOOST_TEST(found.low == there.low());
      BOOST_TEST(found.high == there.high());
      for (size_t i = 0; i < 4; ++i) BOOST_TEST(found.block().at[i] == expected[i]);
    }
  }
}

/// The numbers of a distribution in blocks, against those that a CPU fills a tensor with.
template <class T, class Own, class Draw>
void check_numbers(cpu::Distribution distribution, double tolerance, const Draw& draw) {
  cpu::Philox start(5, 6);
  auto on_cpu = Tensor::allocate(dtype_of<T>(), {1001});
  cpu::fill_random(distribution, start, *on_cpu);
  constexpr int size = cuda::numbers_of_block<Own>;
  for (int64_t i = 0; i < 1001; ++i) {
    auto numbers = draw(position_of(start), static_cast<uint64_t>(i / size));
    auto found = static_cast<double>(cuda::widen(numbers.at[i % size]));
    auto expected = static_cast<double>(on_cpu->template data<T>()[i]);
    BOOST_REQUIRE_SMALL(found - expected, tolerance);
  }
}

template <class T, class Own>
void check_distributions(double tolerance) {
  using cpu::Distribution;
  check_numbers<T, Own>(Distribution::uniform, 0, [](const PhiloxPosition& start, uint64_t i) {
    return cuda::UniformNumbers<Own>::of(start.skip(i).block());
  });
  check_numbers<T, Own>(
      Distribution::normal, tolerance, [](const PhiloxPosition& start, uint64_t i) {
        return cuda::normal_numbers<Own>(start.skip(i).block());
      });
  check_numbers<T, Own>(
      Distribution::truncated, tolerance, [](const PhiloxPosition& start, uint64_t i) {
        return cuda::truncated_numbers<Own>(start, i);
      });
}

BOOST_AUTO_TEST_CASE(numbers_are_those_of_a_cpu) {
  check_distributions<float, float>(1e-6);
  check_distributions<double, double>(1e-14);
  check_distributions<float16, cuda::Half>(1e-2);
  check_distributions<bfloat16, cuda::Brain>(5e-2);
}

BOOST_AUTO_TEST_CASE(whole_numbers_are_those_of_a_cpu) {
  cpu::Philox start(7, 8);
  auto ints = Tensor::allocate(DType::int32, {99});
  auto longs = Tensor::allocate(DType::int64, {99});
  BOOST_TEST(
      cpu::fill_random_ints(start, Tensor::scalar<int32_t>(-5), Tensor::scalar<int32_t>(12), *ints)
          .ok());
  BOOST_TEST(
      cpu::fill_random_ints(start, Tensor::scalar<int64_t>(-5), Tensor::scalar<int64_t>(1), *longs)
          .ok());
  for (int64_t i = 0; i < 99; ++i) {
    auto own_ints = cuda::whole_numbers(
        position_of(start).skip(static_cast<uint64_t>(i / 4)).block(), int32_t{-5}, uint32_t{17});
    auto own_longs = cuda::whole_numbers(
        position_of(start).skip(static_cast<uint64_t>(i / 2)).block(), int64_t{-5}, uint64_t{6});
    BOOST_REQUIRE_EQUAL(own_ints.at[i % 4], ints->data<int32_t>()[i]);
    BOOST_REQUIRE_EQUAL(own_longs.at[i % 2], longs->data<int64_t>()[i]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
