#include "troupe/devices/cpu/vector/vector.hpp"

#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

using cpu::vector::Arithmetic;

template <class T>
void check_transpose(int64_t rows, int64_t columns, bool streams) {
  constexpr int64_t margin = 64 / sizeof(T);
  auto in_stride = columns + 3, out_stride = (rows + 2 * margin) / margin * margin;
  std::vector<T> in(static_cast<size_t>(rows * in_stride));
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i) * 0x01010101 + 1;
  std::vector<T> memory(static_cast<size_t>(columns * out_stride + margin));
  auto address = reinterpret_cast<uintptr_t>(memory.data());
  auto* out = memory.data() + (64 - address % 64) % 64 / sizeof(T);
  cpu::vector::transpose_loop(sizeof(T), streams)(
      {.out = out,
       .out_stride = out_stride,
       .in = in.data(),
       .in_stride = in_stride,
       .rows = rows,
       .columns = columns});
  int64_t wrong = 0;
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < out_stride; ++r)
      wrong +=
          out[c * out_stride + r] != (r < rows ? in[static_cast<size_t>(r * in_stride + c)] : T(0));
  BOOST_TEST(wrong == 0, rows << " x " << columns << ": " << wrong << " wrong");
}

template <class T>
void check_softmax(DType dtype) {
  for (int64_t size = 1; size <= 2 * longest; ++size) {
    std::vector<T> x(static_cast<size_t>(2 * size)), y(x.size()), log_y(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(std::sin(double(i) * 1.7) * 20);
    cpu::vector::softmax_loop(dtype, false)(y.data(), x.data(), 2, size);
    cpu::vector::softmax_loop(dtype, true)(log_y.data(), x.data(), 2, size);
    for (int64_t row = 0; row < 2; ++row) {
      const auto* of = x.data() + row * size;
      long double sum = 0;
      for (int64_t i = 0; i < size; ++i) sum += std::exp(static_cast<long double>(of[i]));
      for (int64_t i = 0; i < size; ++i) {
        auto at = static_cast<size_t>(row * size + i);
        BOOST_TEST(ulps(y[at], std::exp(static_cast<long double>(of[i])) / sum) < 40);
        auto difference = log_y[at] - (static_cast<long double>(of[i]) - std::log(sum));
        BOOST_TEST(std::abs(difference) < 64 * std::numeric_limits<T>::epsilon());
      }
    }
  }
}

template <class Half>
void check_halves(DType dtype) {
  auto widen = cpu::vector::widen_loop(dtype), narrow = cpu::vector::narrow_loop(dtype);
  if (!widen) return;
  std::vector<uint16_t> bits(65536), again(bits.size());
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  std::vector<float> wide(bits.size());
  widen(wide.data(), bits.data(), 65536);
  narrow(again.data(), wide.data(), 65536);
  int64_t wrong = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    auto expected = static_cast<float>(Eigen::numext::bit_cast<Half>(bits[i]));
    if (std::isnan(expected)) wrong += !std::isnan(wide[i]) || (again[i] & 0x7fff) <= 0x7c00;
    else wrong += wide[i] != expected || again[i] != bits[i];
  }
  // Also what lies between them.
  for (auto& x : wide) x *= 1.001f;
  narrow(again.data(), wide.data(), 65536);
  for (size_t i = 0; i < bits.size(); ++i)
    if (!std::isnan(wide[i]))
      wrong += again[i] != Eigen::numext::bit_cast<uint16_t>(static_cast<Half>(wide[i]));
  BOOST_TEST(wrong == 0);
  for (int64_t count = 0; count <= longest; ++count) {
    std::vector<uint16_t> part(static_cast<size_t>(longest) + 1, 7);
    narrow(part.data(), wide.data() + 100, count);
    BOOST_TEST(same_bits(part.data(), again.data() + 100, count));
    BOOST_TEST(part[static_cast<size_t>(count)] == 7);
  }
}

/// Sums whose parts are all exact, so that their order does not show.
template <class T>
void check_folds(DType dtype) {
  auto sum = cpu::vector::fold_loops(Arithmetic::add, dtype);
  auto greatest = cpu::vector::fold_loops(Arithmetic::maximum, dtype);
  auto least = cpu::vector::fold_loops(Arithmetic::minimum, dtype);
  for (int64_t size = 0; size < 200; ++size) {
    std::vector<T> row(static_cast<size_t>(size)), sums(row.size(), T(3));
    T total = 5, most = 5, fewest = 5;
    for (int64_t i = 0; i < size; ++i) {
      auto x = row[static_cast<size_t>(i)] = static_cast<T>((i * 37 + size) % 101 - 50);
      total += x;
      most = std::max(most, x);
      fewest = std::min(fewest, x);
    }
    T folded[] = {5, 5, 5};
    sum.row(&folded[0], row.data(), size);
    greatest.row(&folded[1], row.data(), size);
    least.row(&folded[2], row.data(), size);
    BOOST_TEST((folded[0] == total && folded[1] == most && folded[2] == fewest), "of " << size);
    sum.each(sums.data(), row.data(), size);
    for (size_t i = 0; i < row.size(); ++i) BOOST_TEST(sums[i] == row[i] + 3);
    if constexpr (std::is_floating_point_v<T>)
      for (size_t i = 0; i < row.size(); i += 7) {
        auto with_nan = row;
        with_nan[i] = std::numeric_limits<T>::quiet_NaN();
        T extreme = 5;
        greatest.row(&extreme, with_nan.data(), size);
        BOOST_TEST(std::isnan(extreme));
      }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vectors)

BOOST_AUTO_TEST_CASE(matrices_of_every_size_are_transposed) {
  with_each_target([] {
    for (auto streams : {false, true})
      for (int64_t rows : {0, 1, 3, 8, 15, 16, 17, 33, 64, 70})
        for (int64_t columns : {0, 1, 2, 3, 4, 5, 15, 16, 31}) {
          check_transpose<uint32_t>(rows, columns, streams);
          check_transpose<uint64_t>(rows, columns, streams);
        }
  });
}

BOOST_AUTO_TEST_CASE(rows_of_every_length_have_a_softmax) {
  with_each_target([] {
    check_softmax<float>(DType::float32);
    check_softmax<double>(DType::float64);
  });
}

BOOST_AUTO_TEST_CASE(a_softmax_of_floats_is_exact_down_to_the_smallest_normal_number) {
  constexpr float least = -87.33654f;
  with_each_target([] {
    auto softmax = cpu::vector::softmax_loop(DType::float32, false);
    double worst = 0;
    for (float first = -0.0005f; first > -92; first *= 1.01f) {
      std::vector<float> x(24), y(x.size());
      for (size_t i = 1; i < x.size(); ++i) x[i] = first - 0.001f * float(i);
      softmax(y.data(), x.data(), 1, std::ssize(x));
      // Beside that of 0, which leaves out how the sum was rounded.
      for (size_t i = 1; i < x.size(); ++i) {
        if (x[i] < least) BOOST_TEST(y[i] == 0);
        if (x[i] < least + 4) continue;
        auto expected = std::exp(static_cast<long double>(x[i])) * y[0];
        worst = std::max(worst, ulps(y[i], expected));
      }
    }
    BOOST_TEST(worst <= 2.5);
  });
}

BOOST_AUTO_TEST_CASE(a_softmax_keeps_nan_and_takes_logits_of_infinity) {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  with_each_target([] {
    auto softmax = cpu::vector::softmax_loop(DType::float32, false);
    std::vector<float> x(40), y(x.size());
    x[3] = -infinity;
    x[4] = -1e30f;
    softmax(y.data(), x.data(), 1, 40);
    BOOST_TEST(y[3] == 0);
    BOOST_TEST(y[4] == 0);
    BOOST_TEST(y[5] == 1.0f / 38);
    for (auto wrong : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
      x[7] = wrong;
      softmax(y.data(), x.data(), 1, 40);
      BOOST_TEST(std::isnan(y[7]));
    }
  });
}

BOOST_AUTO_TEST_CASE(every_16_bit_float_is_widened_and_narrowed) {
  with_each_target([] {
    check_halves<bfloat16>(DType::bfloat16);
    check_halves<float16>(DType::float16);
  });
}

BOOST_AUTO_TEST_CASE(rows_of_every_length_are_folded) {
  with_each_target([] {
    check_folds<float>(DType::float32);
    check_folds<double>(DType::float64);
    check_folds<int32_t>(DType::int32);
  });
}

BOOST_AUTO_TEST_CASE(a_sum_has_the_same_bits_on_every_processor) {
  auto row = numbers<float>();
  row.resize(1500);
  float sum = 0;
  cpu::vector::fold_loops(Arithmetic::add, DType::float32).row(&sum, row.data(), 1500);
  with_each_target([&] {
    float again = 0;
    cpu::vector::fold_loops(Arithmetic::add, DType::float32).row(&again, row.data(), 1500);
    BOOST_TEST(same_bits(&sum, &again, 1));
  });
}

BOOST_AUTO_TEST_CASE(other_types_have_no_loops) {
  BOOST_TEST(!cpu::vector::function_loop(Function::exp, DType::int32));
  BOOST_TEST(!cpu::vector::arithmetic_loop(Arithmetic::div, DType::int32));
  BOOST_TEST(!cpu::vector::arithmetic_loop(Arithmetic::add, DType::int64));
  BOOST_TEST(!cpu::vector::transpose_loop(2, false));
  BOOST_TEST(!cpu::vector::softmax_loop(DType::float16, false));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
