// Random numbers of more elements than a block of threads has: the CPU's.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/tests/cuda/large_calls.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_FIXTURE_TEST_SUITE(large_random_calls_on_a_card, ComparedDevices)

BOOST_AUTO_TEST_CASE(many_samples_of_gamma_and_poisson_distributions) {
  auto seeds = Attrs{{"seed", 3}, {"seed2", 4}};
  for (auto dtype : {DType::float32, DType::float64, DType::float16}) {
    auto alphas = numbers(dtype, {3, 7}, 46, 1, 40);
    auto attrs = seeds;
    attrs["T"] = dtype;
    compare({.op = "RandomGamma", .attrs = attrs, .inputs = {ints({41, 5}), alphas}});
  }
  for (auto rate : {DType::float32, DType::float64, DType::float16, DType::int32, DType::int64})
    for (auto dtype : {DType::float32, DType::float16, DType::int32, DType::int64}) {
      auto attrs = seeds;
      attrs["R"] = rate;
      attrs["dtype"] = dtype;
      auto rates = numbers(rate, {3, 7}, 47, -2, 100);
      compare({.op = "RandomPoissonV2", .attrs = attrs, .inputs = {ints({41, 5}), rates}});
    }
}

BOOST_AUTO_TEST_CASE(rates_without_samples) {
  auto check = [&](std::vector<float> rates) {
    RecordedCall call{
        .op = "RandomPoissonV2",
        .attrs = {{"R", DType::float32}, {"dtype", DType::int32}, {"seed", 1}},
        .inputs = {
            ints({500}), Tensor::of<float>({std::ssize(rates)}, std::span<const float>(rates))}};
    auto expected = run_call(call, cpu), got = run_call(call, card);
    BOOST_TEST(got.status.message() == expected.status.message());
    return got.status.message();
  };
  constexpr auto nan = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(check({0, 1e3f, 1e9f}) == "");
  BOOST_TEST(check({1, 1e12f}) == "'rate' is too great for samples of int32: 999999995904.000000");
  BOOST_TEST(check({1, 1e12f, nan, 1e13f}) == "'rate' must not be NaN");
}

/// Parameters for which each of the rejections is chosen.
constexpr float bounds_of_normals[][2] = {{-5, 5}, {2, 2.25f}, {2, 40}, {-1e9f, -2}};

BOOST_AUTO_TEST_CASE(normal_numbers_between_bounds) {
  auto scalar = [](DType dtype, float value) {
    auto tensor = numbers(dtype, {}, 0);
    cpu::for_dtype(cpu::Floating{}, dtype, [&](auto zero) {
      tensor.mutable_data<decltype(zero)>()[0] = static_cast<decltype(zero)>(value);
    });
    return tensor;
  };
  for (auto dtype : floats)
    for (auto [least, greatest] : bounds_of_normals) {
      Attrs attrs = {{"dtype", dtype}, {"seed", 7}, {"seed2", 8}};
      Tensors all = {
          ints({41, 50}), scalar(dtype, 0), scalar(dtype, 1), scalar(dtype, least),
          scalar(dtype, greatest)};
      compare({.op = "ParameterizedTruncatedNormal", .attrs = attrs, .inputs = all});
      all[0] = ints({3, 2500});
      for (size_t i = 1; i <= 4; ++i) {
        auto rows = numbers(dtype, {3}, 0, 0, 0);
        cpu::for_dtype(cpu::Floating{}, dtype, [&](auto zero) {
          using T = decltype(zero);
          std::fill_n(rows.mutable_data<T>(), rows.elements(), all[i].value<T>());
        });
        all[i] = rows;
      }
      compare({.op = "ParameterizedTruncatedNormal", .attrs = attrs, .inputs = all});
    }
}

BOOST_AUTO_TEST_CASE(bounds_without_normal_numbers) {
  auto check = [&](float mean, float deviation, float least, float greatest) {
    RecordedCall call{
        .op = "ParameterizedTruncatedNormal",
        .attrs = {{"dtype", DType::float32}, {"seed", 1}},
        .inputs = {
            ints({500}), Tensor::scalar(mean), Tensor::scalar(deviation), Tensor::scalar(least),
            Tensor::scalar(greatest)}};
    auto expected = run_call(call, cpu), got = run_call(call, card);
    BOOST_TEST(got.status.message() == expected.status.message());
    return got.status.message();
  };
  constexpr auto nan = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(check(0, 1, -1, 1) == "");
  BOOST_TEST(check(0, -1, -1, 1).starts_with("a deviation must be above 0"));
  BOOST_TEST(check(0, 1, 1, 1).starts_with("a deviation must be above 0"));
  BOOST_TEST(check(0, 1, nan, 1).starts_with("a deviation must be above 0"));
  BOOST_TEST(check(nan, 1, -1, 1).starts_with("none of 1000 normal numbers"));
}

BOOST_AUTO_TEST_CASE(shuffles_of_many_rows) {
  for (auto dtype : {DType::float32, DType::float64, DType::float16, DType::complex128})
    for (const auto& shape : {Shape{5000}, Shape{300, 7}, Shape{100, 3, 16}})
      compare(
          {.op = "RandomShuffle",
           .attrs = {{"T", dtype}, {"seed", 5}, {"seed2", 6}},
           .inputs = {numbers(dtype, shape, 48, -99, 99)}});
}

BOOST_AUTO_TEST_SUITE_END()
