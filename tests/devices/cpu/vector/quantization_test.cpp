#include "troupe/devices/cpu/vector/quantization.hpp"

#include <cmath>
#include <type_traits>

#include "troupe/devices/cpu/quantization/quantized_range.hpp"
#include "troupe/devices/cpu/quantization/scaling.hpp"
#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

using cpu::vector::scale_loops;

/// Whether a loop gives f(x) of each number, wherever it stands in a row of any length, and reads
/// and writes the row alone. NaN has any bits.
template <class T, class Loop, class F>
bool is_everywhere(const Loop& loop, const F& f) {
  auto all = numbers<T>();
  auto most = static_cast<size_t>(longest);
  for (size_t size = 0; size <= most; ++size)
    for (size_t begin = 0; begin + size <= all.size(); begin += 7) {
      std::vector<T> out(size + 1, T(77));
      loop(out.data(), all.data() + begin, static_cast<int64_t>(size));
      if (out[size] != T(77)) return false;
      for (size_t i = 0; i < size; ++i) {
        auto wanted = f(all[begin + i]);
        auto is_nan = std::isnan(wanted) && std::isnan(out[i]);
        if (!is_nan && !same_bits(&out[i], &wanted, 1)) return false;
      }
    }
  return true;
}

template <class T>
T scaled(T x, const cpu::Scaling<T>& by, T (*round)(T)) {
  auto limited = x > by.high ? by.high : x < by.low ? by.low : x;
  return round(limited * by.scale) * by.inverse;
}

using Numbers = std::tuple<float, double>;

}  // namespace

BOOST_AUTO_TEST_SUITE(vector_quantization)

BOOST_AUTO_TEST_CASE(loops_quantize_as_single_numbers) {
  cpu::QuantizedForm form{.least = 0, .most = 255};
  with_each_target([&] {
    for (auto range :
         {cpu::QuantizedRange::of(-2, 3, form), cpu::QuantizedRange::of(0, 1e-3f, form),
          cpu::QuantizedRange::of(-INFINITY, 1, form)}) {
      auto loop = [&](float* out, const float* x, int64_t count) {
        cpu::vector::quantize_loop()(out, x, count, range);
      };
      BOOST_TEST(is_everywhere<float>(loop, [&](float x) { return range.quantize(x); }));
    }
  });
}

BOOST_AUTO_TEST_CASE_TEMPLATE(loops_scale_and_round_as_single_numbers, T, Numbers) {
  with_each_target([] {
    cpu::Scaling<T> by{.low = T(-50), .high = T(49.5), .scale = T(2), .inverse = T(0.5)};
    auto even = [&](T* out, const T* x, int64_t count) {
      scale_loops<T>().to_even(out, x, count, by);
    };
    auto up = [&](T* out, const T* x, int64_t count) {
      scale_loops<T>().half_up(out, x, count, by);
    };
    BOOST_TEST(is_everywhere<T>(even, [&](T x) { return scaled<T>(x, by, std::nearbyint); }));
    BOOST_TEST(is_everywhere<T>(
        up, [&](T x) { return scaled<T>(x, by, [](T y) { return std::floor(y + T(0.5)); }); }));
  });
}

BOOST_AUTO_TEST_CASE_TEMPLATE(extremes_are_found_at_each_place_and_are_not_nan, T, Numbers) {
  with_each_target([] {
    auto of = [](const std::vector<T>& row) {
      auto found = scale_loops<T>().extremes(row.data(), static_cast<int64_t>(row.size()));
      return std::pair(found.least, found.greatest);
    };
    constexpr auto any = std::numeric_limits<T>::infinity();
    BOOST_TEST((of({}) == std::pair(any, -any)));
    constexpr size_t most = 4 * most_lanes + 3;
    for (size_t size = 1; size <= most; ++size)
      for (size_t at = 0; at < size; ++at) {
        std::vector<T> row(size, std::numeric_limits<T>::quiet_NaN());
        row[at] = T(-3);
        row[(at + 1) % size] = T(5);
        auto expected = size == 1 ? std::pair(T(5), T(5)) : std::pair(T(-3), T(5));
        if (of(row) != expected) BOOST_ERROR(size << " numbers, of which " << at << " is least");
      }
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
