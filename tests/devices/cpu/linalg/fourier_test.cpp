#include <cmath>
#include <numbers>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

Value imaginary_unit(const Builder& b) { return b.constant(Tensor::scalar(complex128(0, 1))); }

/// A complex transform as a function of real and imaginary parts, to such parts.
void check_complex_gradient(const std::string& op, const Shape& shape) {
  Builder b;
  auto function = b.function(
      "f", {{"real", DType::float64}, {"imaginary", DType::float64}},
      [&](const Builder& f, const Values& in) {
        auto i = imaginary_unit(f);
        auto x = f.cast(in[0], DType::complex128) + i * f.cast(in[1], DType::complex128);
        auto y = f.op(op, {x});
        return Values{f.cast(y, DType::float64), f.cast(f.neg(i * y), DType::float64)};
      });
  BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
  auto x = varied<double>(shape), y = (*run_op("Square", {x}))[0];
  GradientCase c{
      .op = "PartitionedCall",
      .inputs = {{x}, {y}},
      .attrs = {{"f", function}, {"Tout", DTypes{DType::float64, DType::float64}}},
      .functions = b.graph().library().defs_from(0)};
  for (auto known : {KnownShapes::shapes, KnownShapes::nothing}) check_gradient(c, known);
}

/// The sum of weights times all real and imaginary parts, and its derivative by x, whose parts are
/// fed as real numbers. Transforms are linear, so that each derivative is the sum where one element
/// is 1 and the others are 0.
void check_linear_gradient(
    const std::string& op, const Shape& shape, std::initializer_list<int> lengths,
    bool is_complex) {
  Builder b;
  auto parts = b.placeholder(DType::float64);
  auto real = b.op("Unpack", {parts}, {{"num", 2}, {"axis", 0}});
  auto wide = b.cast(real, DType::complex128) +
              imaginary_unit(b) * b.cast(real.output(1), DType::complex128);
  auto x = b.cast(wide, is_complex ? DType::complex64 : DType::float32);
  auto y = b.cast(b.op(op, {x, b.ints({lengths.begin(), lengths.end()})}), DType::complex128);
  auto index = b.cast(
      b.op("Range", {b.constant<int32_t>(0), b.op("Size", {y}), b.constant<int32_t>(1)}),
      DType::complex128);
  auto weight = b.reshape(index + 1.0, b.op("Shape", {y}));
  auto turned = weight * y * b.constant(Tensor::scalar(complex128(1, -0.5)));
  auto total = b.reduce_sum(b.cast(turned, DType::float64));
  auto derivative = troupe::gradients(b, {total}, {parts});
  BOOST_REQUIRE_MESSAGE(derivative.ok(), derivative.status().to_string());
  GraphRunner runner;
  std::vector<int64_t> sizes = {2};
  sizes.insert(sizes.end(), shape.sizes().begin(), shape.sizes().end());
  Shape whole{std::span<const int64_t>(sizes)};
  std::vector<double> fed(static_cast<size_t>(whole.elements()));
  auto run = [&](const Value& fetched) {
    auto values = Tensor::of<double>(whole, std::span<const double>(fed));
    auto results = runner.run(b, {{parts, values}}, {fetched});
    BOOST_REQUIRE_MESSAGE(results.ok(), results.status().to_string());
    return Tensor((*results)[0]);
  };
  auto found = run((*derivative)[0]);
  BOOST_REQUIRE((found.shape() == whole));
  for (size_t i = 0; i < fed.size(); ++i) {
    fed[i] = 1;
    auto expected = run(total).template value<double>();
    fed[i] = 0;
    auto got = found.template values<double>()[i];
    BOOST_TEST(
        std::abs(got - expected) <= 2e-5 * std::max(1.0, std::abs(expected)),
        op << " of " << shape.to_string() << ", element " << i << ": " << got << " instead of "
           << expected);
  }
}

/// Number k of the transform of a line of `length` numbers.
template <class T>
complex128 transformed(const T* line, int64_t length, int64_t k, bool is_inverse) {
  complex128 sum;
  for (int64_t i = 0; i < length; ++i) {
    auto angle = 2 * std::numbers::pi * double(i * k % length) / double(length);
    sum += complex128(line[i]) * std::polar(1.0, is_inverse ? angle : -angle);
  }
  return is_inverse ? sum / double(length) : sum;
}

/// Lines of numbers that are not symmetric in any way.
Tensor varied_numbers(const Shape& shape) {
  auto x = varied<float>(shape);
  std::vector<complex64> numbers;
  for (int64_t i = 0; i < shape.elements(); ++i)
    numbers.emplace_back(x.data<float>()[i], float(i % 7) - 0.5F * float(i % 3));
  return Tensor::of<complex64>(shape, std::span<const complex64>(numbers));
}

void check_sums(int64_t lines, int64_t length, bool is_inverse) {
  auto x = varied_numbers({lines, length});
  auto y = run_op(is_inverse ? "IFFT" : "FFT", {x});
  BOOST_REQUIRE_MESSAGE(y.ok(), y.status().to_string());
  double worst = 0;
  for (int64_t i = 0; i < x.elements(); ++i) {
    const auto* line = x.data<complex64>() + i / length * length;
    auto wanted = transformed(line, length, i % length, is_inverse);
    worst = std::max(worst, std::abs(complex128((*y)[0].data<complex64>()[i]) - wanted));
  }
  BOOST_TEST(worst < 2e-4, lines << " lines of " << length << ": " << worst);
}

/// Of the spectrum of the first numbers of longer lines, and of what the inverse makes of it.
void check_real_sums(int64_t lines, int64_t length) {
  auto x = varied<float>({lines, length + 2});
  auto count = Tensor::of<int32_t>({1}, {static_cast<int32_t>(length)});
  auto y = run_op("RFFT", {x, count});
  BOOST_REQUIRE_MESSAGE(y.ok(), y.status().to_string());
  auto half = length / 2 + 1;
  double worst = 0;
  for (int64_t i = 0; i < lines * half; ++i) {
    const auto* line = x.data<float>() + i / half * (length + 2);
    auto wanted = transformed(line, length, i % half, /*is_inverse=*/false);
    worst = std::max(worst, std::abs(complex128((*y)[0].data<complex64>()[i]) - wanted));
  }
  auto back = run_op("IRFFT", {(*y)[0], count});
  BOOST_REQUIRE_MESSAGE(back.ok(), back.status().to_string());
  for (int64_t i = 0; i < lines * length; ++i) {
    auto wanted = x.data<float>()[i / length * (length + 2) + i % length];
    worst = std::max(worst, double(std::abs((*back)[0].data<float>()[i] - wanted)));
  }
  BOOST_TEST(worst < 2e-4, lines << " lines of " << length << " reals: " << worst);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fourier)

BOOST_AUTO_TEST_CASE(derivatives_of_complex_transforms_are_those_of_central_differences) {
  for (std::string prefix : {"", "I"}) {
    check_complex_gradient(prefix + "FFT", {2, 3});
    check_complex_gradient(prefix + "FFT2D", {2, 2, 3});
    check_complex_gradient(prefix + "FFT3D", {2, 1, 3});
  }
}

BOOST_AUTO_TEST_CASE(derivatives_of_real_transforms_are_those_of_a_linear_function) {
  for (int length : {1, 2, 3, 4, 5}) {
    check_linear_gradient("RFFT", {2, 5}, {length}, false);
    check_linear_gradient("IRFFT", {2, 3}, {length}, true);
  }
  check_linear_gradient("RFFT2D", {3, 4}, {3, 4}, false);
  check_linear_gradient("RFFT2D", {2, 3, 4}, {2, 3}, false);
  check_linear_gradient("IRFFT2D", {3, 3}, {3, 4}, true);
  check_linear_gradient("IRFFT2D", {2, 3, 3}, {2, 3}, true);
  check_linear_gradient("RFFT3D", {2, 3, 4}, {2, 2, 4}, false);
  check_linear_gradient("IRFFT3D", {2, 3, 3}, {2, 3, 4}, true);
}

BOOST_AUTO_TEST_CASE(transforms_of_any_length_and_number_of_lines_are_the_sums_that_define_them) {
  for (int64_t length : {1, 2, 3, 4, 5, 6, 8, 12, 15, 16, 22, 31, 37, 74, 90, 97, 128, 202})
    for (int64_t lines : {1, 2, 5, 9, 17}) {
      check_sums(lines, length, /*is_inverse=*/false);
      check_sums(lines, length, /*is_inverse=*/true);
      check_real_sums(lines, length);
    }
}

BOOST_AUTO_TEST_CASE(transforms_of_large_prime_lengths_are_as_exact_as_others) {
  for (int64_t length : {97, 521, 1021, 10007}) {
    auto x = varied_numbers({2, length});
    auto y = run_op("FFT", {x});
    BOOST_REQUIRE_MESSAGE(y.ok(), y.status().to_string());
    double errors = 0, squares = 0;
    for (int64_t i = 0; i < x.elements(); i += length / 97) {
      const auto* line = x.data<complex64>() + i / length * length;
      auto wanted = transformed(line, length, i % length, /*is_inverse=*/false);
      errors += std::norm(complex128((*y)[0].data<complex64>()[i]) - wanted);
      squares += std::norm(wanted);
    }
    BOOST_TEST(std::sqrt(errors / squares) < 5e-7, "of length " << length);
  }
}

BOOST_AUTO_TEST_CASE(the_inverse_of_large_transforms_gives_their_input_back) {
  auto check = [](const Shape& shape, const std::string& suffix) {
    auto x = varied<float>(shape);
    auto complex = run_op("Cast", {x}, {{"DstT", DType::complex64}});
    auto spectrum = run_op("FFT" + suffix, *complex);
    BOOST_REQUIRE_MESSAGE(spectrum.ok(), spectrum.status().to_string());
    auto back = run_op("IFFT" + suffix, *spectrum);
    BOOST_REQUIRE(back.ok());
    float worst = 0;
    for (int64_t i = 0; i < shape.elements(); ++i)
      worst = std::max(worst, std::abs((*back)[0].data<complex64>()[i] - x.data<float>()[i]));
    BOOST_TEST(worst < 1e-5);
  };
  check({50, 4096}, "");
  check({3, 10007}, "");  // a prime
  check({2, 128, 250}, "2D");
  check({32, 27, 64}, "3D");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
