#include "troupe/devices/cpu/vector/vector.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/tests/devices/cpu/vector/each_target.hpp"

namespace troupe::testing {
namespace {

using cpu::Repeat;
using cpu::vector::Arithmetic;
using cpu::vector::Function;

constexpr int64_t most_lanes = 16, longest = 2 * most_lanes + 1;

template <class T>
bool same_bits(const T* x, const T* y, int64_t count) {
  return std::memcmp(x, y, static_cast<size_t>(count) * sizeof(T)) == 0;
}

/// Numbers of all sizes and signs, then special ones.
template <class T>
std::vector<T> numbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  for (int i = -400; i < 400; ++i) {
    result.push_back(static_cast<T>(i) / 4 + static_cast<T>(0.01));
    result.push_back(std::ldexp(static_cast<T>(1 + 0.0023 * i), i % 30));
  }
  for (auto x :
       {T(0), Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), Limits::min(),
        Limits::max(), T(1), T(0.625)})
    for (auto signed_x : {x, -x}) result.push_back(signed_x);
  return result;
}

/// The distance from what was expected, in units of the last place.
template <class T>
double ulps(T got, long double expected) {
  auto rounded = static_cast<T>(expected);
  if (got == rounded || (std::isnan(got) && std::isnan(rounded))) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return INFINITY;
  auto next = std::nextafter(std::abs(rounded), std::numeric_limits<T>::infinity());
  return static_cast<double>(
      std::abs(static_cast<long double>(got) - expected) / (next - std::abs(rounded)));
}

long double expected(Function function, long double x) {
  switch (function) {
    case Function::exp: return std::exp(x);
    case Function::log: return std::log(x);
    case Function::tanh: return std::tanh(x);
    case Function::sigmoid: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case Function::sqrt: return std::sqrt(x);
    case Function::rsqrt: return 1 / std::sqrt(x);
    case Function::square: return x * x;
    case Function::neg: return -x;
    case Function::abs: return std::abs(x);
    case Function::relu: return x < 0 ? 0 : x;
  }
  return 0;
}

template <class T>
void check_function(Function function, DType dtype) {
  auto x = numbers<T>();
  auto loop = cpu::vector::function_loop(function, dtype);
  auto streaming = cpu::vector::function_loop(function, dtype, /*streams=*/true);
  std::vector<T> y(x.size()), streamed(x.size() + 1);
  loop(y.data(), x.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i)
    BOOST_TEST(
        ulps(y[i], expected(function, x[i])) <= 2.5,
        "function " << int(function) << " of " << x[i] << " is " << y[i]);
  for (size_t i = 0; i < x.size(); ++i)
    if (y[i] == 0) BOOST_TEST(std::signbit(y[i]) == std::signbit(expected(function, x[i])));
  // From an address that is not aligned.
  streaming(streamed.data() + 1, x.data(), static_cast<int64_t>(x.size()));
  BOOST_TEST(same_bits(streamed.data() + 1, y.data(), static_cast<int64_t>(x.size())));
  for (int64_t count = 0; count <= longest; ++count)
    for (int64_t begin = 0; begin < 5; ++begin) {
      std::vector<T> part(static_cast<size_t>(longest) + 1, T(7));
      loop(part.data(), x.data() + begin, count);
      BOOST_TEST(same_bits(part.data(), y.data() + begin, count));
      BOOST_TEST(part[static_cast<size_t>(count)] == T(7));
    }
}

template <class T>
T combined(Arithmetic operation, T x, T y) {
  auto a = cpu::wrap(x), b = cpu::wrap(y);
  switch (operation) {
    case Arithmetic::add: return static_cast<T>(a + b);
    case Arithmetic::sub: return static_cast<T>(a - b);
    case Arithmetic::mul: return static_cast<T>(a * b);
    case Arithmetic::div: return x / y;
    case Arithmetic::maximum: return x > y || x != x ? x : y;
    case Arithmetic::minimum: return x < y || x != x ? x : y;
  }
  return x;
}

template <class T>
void check_arithmetic(
    Arithmetic operation, DType dtype, const std::vector<T>& x, const std::vector<T>& y) {
  for (auto streams : {false, true})
    for (auto repeat : {Repeat::none, Repeat::x, Repeat::y})
      for (int64_t count = 0; count <= static_cast<int64_t>(x.size());
           count += count < longest ? 1 : 97) {
        std::vector<T> out(x.size() + 1, T(7));
        cpu::vector::arithmetic_loop(operation, dtype, streams)(
            out.data(), x.data(), y.data(), count, repeat);
        for (int64_t i = 0; i < count; ++i) {
          auto a = x[static_cast<size_t>(repeat == Repeat::x ? 0 : i)];
          auto b = y[static_cast<size_t>(repeat == Repeat::y ? 0 : i)];
          auto got = out[static_cast<size_t>(i)], wanted = combined(operation, a, b);
          if (got != wanted && (got == got || wanted == wanted))
            BOOST_ERROR(int(operation) << " of " << a << " and " << b << " is " << got);
        }
        BOOST_TEST(out[static_cast<size_t>(count)] == T(7));
      }
}

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

BOOST_AUTO_TEST_CASE(functions_are_exact_to_the_last_places_wherever_an_element_lies) {
  with_each_target([] {
    for (auto function :
         {Function::exp, Function::log, Function::tanh, Function::sigmoid, Function::sqrt,
          Function::rsqrt, Function::square, Function::neg, Function::abs, Function::relu}) {
      check_function<float>(function, DType::float32);
      check_function<double>(function, DType::float64);
    }
  });
}

BOOST_AUTO_TEST_CASE(hyperbolic_tangents_of_floats_are_exact_between_all_their_pieces) {
  std::vector<float> x;
  for (float next = 1e-6f; next < 12; next *= 1.0001f) x.push_back(next);
  with_each_target([&] {
    std::vector<float> y(x.size());
    cpu::vector::function_loop(Function::tanh, DType::float32)(y.data(), x.data(), std::ssize(x));
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, ulps(y[i], std::tanh(static_cast<long double>(x[i]))));
    BOOST_TEST(worst <= 2.5);
    BOOST_TEST(*std::ranges::max_element(y) == 1);
  });
}

BOOST_AUTO_TEST_CASE(arithmetic_is_that_of_single_elements) {
  with_each_target([] {
    for (auto operation :
         {Arithmetic::add, Arithmetic::sub, Arithmetic::mul, Arithmetic::div, Arithmetic::maximum,
          Arithmetic::minimum}) {
      auto x = numbers<float>();
      check_arithmetic(operation, DType::float32, x, std::vector<float>(x.rbegin(), x.rend()));
      auto y = numbers<double>();
      check_arithmetic(operation, DType::float64, y, std::vector<double>(y.rbegin(), y.rend()));
      if (operation == Arithmetic::div) continue;
      std::vector<int32_t> z;
      for (int i = 0; i < 200; ++i)
        z.push_back(static_cast<int32_t>(static_cast<uint32_t>(i) * 0x1234567u));
      check_arithmetic(operation, DType::int32, z, std::vector<int32_t>(z.rbegin(), z.rend()));
    }
  });
}

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
