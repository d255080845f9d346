#include <cmath>

#include "troupe/devices/cpu/random/philox.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(random)

/// A kernel that has been made once, and draws each time it is launched.
class Draws {
 public:
  Draws(const char* op, DType dtype, int64_t seed, int64_t seed2) {
    Builder b;
    auto node = b.op(
        op, {b.constant(vec<int32_t>({1}))}, {{"dtype", dtype}, {"seed", seed}, {"seed2", seed2}});
    BOOST_REQUIRE(b.status().ok());
    auto kernel = device_->kernels().make(b.graph().node(node.output().node));
    BOOST_REQUIRE(kernel.ok());
    kernel_ = *kernel;
  }

  Tensor next(const Tensor& shape) {
    Tensors inputs = {shape}, outputs(1);
    Launch launch(*device_, {}, inputs, outputs);
    BOOST_REQUIRE(kernel_.compute(launch).ok());
    return outputs[0];
  }
  Tensor next(int32_t count) { return next(vec<int32_t>({count})); }

 private:
  std::unique_ptr<Device> device_ = make_cpu_device();
  Kernel kernel_;
};

BOOST_AUTO_TEST_CASE(philox_makes_the_bits_of_its_authors_known_answers) {
  using Block = cpu::Philox::Block;
  BOOST_TEST((cpu::Philox(0, 0).block() == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  auto ones = ~uint64_t{0};
  BOOST_TEST(
      (cpu::Philox(ones, ones).skip(ones).block() ==
       Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  BOOST_TEST(
      (cpu::Philox(0x299f31d0a4093822, 0x0370734413198a2e).skip(0x85a308d3243f6a88).block() ==
       Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(skipping_carries_into_the_upper_half) {
  auto twice = cpu::Philox(1, 0).skip(~uint64_t{0}).skip(2);
  BOOST_TEST((twice.block() == cpu::Philox(1, 1).skip(1).block()));
}

BOOST_AUTO_TEST_CASE(floats_take_their_mantissa_from_the_bits_of_the_seeds) {
  auto bits = cpu::Philox(7, 9).block();
  auto drawn = Draws("RandomUniform", DType::float32, 7, 9).next(3);
  for (size_t i = 0; i < 3; ++i)
    BOOST_TEST(drawn.values<float>()[i] == static_cast<float>(bits[i] & 0x7fffff) / (1 << 23));
  auto wide = Draws("RandomUniform", DType::float64, 7, 9).next(1);
  auto mantissa = (uint64_t{bits[0] & 0xfffff} << 32) | bits[1];
  BOOST_TEST(wide.value<double>() == std::ldexp(static_cast<double>(mantissa), -52));
}

BOOST_AUTO_TEST_CASE(normal_numbers_are_made_by_box_and_muller) {
  auto bits = cpu::Philox(7, 9).block();
  auto uniform = [&](int i) { return (bits[i] & 0x7fffff) / 8388608.0; };
  auto drawn = Draws("RandomStandardNormal", DType::float32, 7, 9).next(4);
  for (int i : {0, 2}) {
    auto radius = std::sqrt(-2 * std::log(uniform(i))), angle = 2 * M_PI * uniform(i + 1);
    BOOST_TEST(std::abs(drawn.values<float>()[i] - radius * std::sin(angle)) < 1e-5);
    BOOST_TEST(std::abs(drawn.values<float>()[i + 1] - radius * std::cos(angle)) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(launches_go_on_256_blocks_an_element_further) {
  Draws draws("RandomUniform", DType::float32, 1, 2);
  draws.next(10);
  auto second = draws.next(1);
  auto bits = cpu::Philox(1, 2).skip(2560).block();
  BOOST_TEST(second.value<float>() == static_cast<float>(bits[0] & 0x7fffff) / (1 << 23));
}

BOOST_AUTO_TEST_CASE(equal_seeds_draw_equal_numbers_and_no_seed_draws_others) {
  for (auto op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"})
    for (auto dtype : floating()) {
      Draws one(op, dtype, 3, 4), two(op, dtype, 3, 4), other(op, dtype, 4, 4);
      auto first = one.next(100);
      BOOST_TEST(equal(first, two.next(100)));
      BOOST_TEST(equal(one.next(100), two.next(100)));
      BOOST_TEST(!equal(first, other.next(100)));
      BOOST_TEST(!equal(Draws(op, dtype, 0, 0).next(100), Draws(op, dtype, 0, 0).next(100)));
    }
}

struct Moments {
  double mean, deviation, least, greatest;
};

template <class T>
Moments moments(const Tensor& tensor) {
  double sum = 0, squares = 0, least = inf, greatest = -inf;
  for (auto value : tensor.values<T>()) {
    auto number = static_cast<double>(value);
    sum += number, squares += number * number;
    least = std::min(least, number), greatest = std::max(greatest, number);
  }
  auto count = static_cast<double>(tensor.elements());
  return {sum / count, std::sqrt(squares / count - sum / count * sum / count), least, greatest};
}

template <class T>
void check_distributions() {
  constexpr int32_t count = 200000;  // enough to be drawn in parts
  auto uniform = moments<T>(Draws("RandomUniform", dtype_of<T>(), 5, 6).next(count));
  BOOST_TEST(std::abs(uniform.mean - 0.5) < 0.01);
  BOOST_TEST(std::abs(uniform.deviation - std::sqrt(1.0 / 12)) < 0.01);
  BOOST_TEST(uniform.least >= 0);
  BOOST_TEST(uniform.greatest < 1);
  auto normal = moments<T>(Draws("RandomStandardNormal", dtype_of<T>(), 5, 6).next(count));
  BOOST_TEST(std::abs(normal.mean) < 0.01);
  BOOST_TEST(std::abs(normal.deviation - 1) < 0.01);
  BOOST_TEST(normal.greatest > 3);
  auto truncated = moments<T>(Draws("TruncatedNormal", dtype_of<T>(), 5, 6).next(count));
  BOOST_TEST(std::abs(truncated.mean) < 0.01);
  BOOST_TEST(std::abs(truncated.deviation - 0.8796) < 0.01);
  BOOST_TEST(truncated.least >= -2);
  BOOST_TEST(truncated.greatest <= 2);
}

BOOST_AUTO_TEST_CASE(numbers_have_the_moments_of_their_distributions) {
  check_distributions<float>();
  check_distributions<double>();
  check_distributions<float16>();
  check_distributions<bfloat16>();
}

BOOST_AUTO_TEST_CASE(shapes_may_be_empty_but_not_negative) {
  BOOST_TEST(
      show("RandomUniform", {vec<int64_t>({0, 2})}, {{"dtype", DType::float32}}) ==
      "float32[0,2] []");
  BOOST_TEST(starts_with(
      show("RandomUniform", {vec<int64_t>({-2})}, {{"dtype", DType::float32}}), "InvalidArgument"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
