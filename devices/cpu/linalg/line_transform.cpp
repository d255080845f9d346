#include "troupe/devices/cpu/linalg/line_transform.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace troupe::cpu {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Radices whose product is the length; none where a prime factor is too large.
std::vector<int64_t> radices_of(int64_t length) {
  std::vector<int64_t> radices;
  auto take = [&](int64_t radix) {
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  };
  take(4);
  take(2);
  for (int64_t radix = 3; radix <= vector::fourier_radix_max; radix += 2) take(radix);
  if (length > 1) radices.clear();
  return radices;
}

/// Appends exp(-2 pi i turns / whole).
template <class R>
void add_root(std::vector<R>& to, int64_t turns, int64_t whole) {
  auto angle = 2 * pi * double(turns % whole) / double(whole);
  to.push_back(static_cast<R>(std::cos(angle)));
  to.push_back(static_cast<R>(-std::sin(angle)));
}

template <class R>
vector::Parts<R> parts_of(std::vector<R>& memory) {
  return {memory.data(), memory.data() + memory.size() / 2};
}

}  // namespace

/// Bluestein's way: jk = (j^2 + k^2 - (j - k)^2) / 2, so that a transform of any length is a
/// convolution, which transforms of small radices compute. Factors are made in double, as squares
/// of indices would cost digits.
template <class R>
class LineTransform<R>::Chirp {
 public:
  explicit Chirp(int64_t length) : transform_(size_for(length)) {
    LineTransform<double> wide(transform_.length());
    auto size = wide.length();
    std::vector<double> line(static_cast<size_t>(2 * size)), other(line.size());
    auto in = parts_of(line);
    for (int64_t k = 0; k < length; ++k) {
      auto factor = std::polar(1.0, -pi * double(k * k % (2 * length)) / double(length));
      factors_.add(factor);
      for (auto at : {k, (size - k) % size}) {
        in.real[at] = factor.real();
        in.imaginary[at] = -factor.imag();
      }
    }
    auto found = wide.run(in, parts_of(other), 1);
    for (int64_t k = 0; k < size; ++k)
      filter_.add(std::complex(found.real[k], found.imaginary[k]) / double(size));
  }

  void run(const Parts& line, int64_t lines) const {
    auto size = transform_.length();
    auto memory = std::make_unique_for_overwrite<R[]>(static_cast<size_t>(4 * size * lines));
    auto at = [&](int64_t i) { return memory.get() + i * size * lines; };
    Parts from{at(0), at(1)}, to{at(2), at(3)};
    multiply(from, line, factors_, lines);
    for (auto* part : {from.real, from.imaginary})
      std::fill(part + factors_.count() * lines, part + size * lines, R(0));
    auto spectrum = transform_.run(from, to, lines);
    multiply(spectrum, spectrum, filter_, lines);
    // The inverse, by exchanged parts.
    auto other = spectrum.real == from.real ? to : from;
    auto back =
        transform_.run({spectrum.imaginary, spectrum.real}, {other.imaginary, other.real}, lines);
    multiply(line, {back.imaginary, back.real}, factors_, lines);
  }

 private:
  struct Factors {
    std::vector<R> real, imaginary;

    void add(const std::complex<double>& factor) {
      real.push_back(static_cast<R>(factor.real()));
      imaginary.push_back(static_cast<R>(factor.imag()));
    }
    int64_t count() const { return std::ssize(real); }
  };

  /// The least size that the convolution fits in of those with the prime factors 2, 3 and 5. After
  /// stages of 16 together, columns of a single line are vectors.
  static int64_t size_for(int64_t length) {
    const auto least = 2 * length - 1;
    int64_t best = 16 * least;
    for (int64_t fives = 16; fives < best; fives *= 5)
      for (auto threes = fives; threes < best; threes *= 3) {
        auto size = threes;
        while (size < least) size *= 2;
        best = std::min(best, size);
      }
    return best;
  }

  /// Each number of all lines by its factor; `to` may be `from`.
  static void multiply(const Parts& to, const Parts& from, const Factors& factors, int64_t lines) {
    const auto* a = factors.real.data();
    const auto* b = factors.imaginary.data();
    auto multiply_one = [&](int64_t i, int64_t k) {
      const auto x = from.real[i], y = from.imaginary[i];
      to.real[i] = x * a[k] - y * b[k];
      to.imaginary[i] = x * b[k] + y * a[k];
    };
    if (lines == 1) {
#pragma GCC ivdep
      for (int64_t k = 0; k < factors.count(); ++k) multiply_one(k, k);
      return;
    }
    for (int64_t k = 0; k < factors.count(); ++k)
#pragma GCC ivdep
      for (auto i = k * lines; i < (k + 1) * lines; ++i) multiply_one(i, k);
  }

  LineTransform transform_;
  Factors factors_, filter_;
};

template <class R>
LineTransform<R>::LineTransform(int64_t length, bool has_half_roots) : length_(length) {
  auto radices = radices_of(length);
  if (radices.empty() && length > 1) chirp_ = std::make_unique<Chirp>(length);
  auto rest = length;
  for (auto radix : radices) {
    Stage stage{.radix = radix, .columns = rest / radix};
    for (int64_t p = 0; p < stage.columns; ++p)
      for (int64_t k = 1; k < radix; ++k) add_root(stage.factors, p * k, rest);
    for (int64_t i = 0; i < radix; ++i) {
      add_root(stage.roots, i, radix);
      stage.roots.back() = -stage.roots.back();
    }
    rest = stage.columns;
    stages_.push_back(std::move(stage));
  }
  for (int64_t k = 0; has_half_roots && k <= length; ++k) add_root(half_roots_, k, 2 * length);
}

template <class R>
LineTransform<R>::~LineTransform() = default;

template <class R>
vector::Parts<R> LineTransform<R>::run(Parts in, Parts other, int64_t lines) const {
  if (chirp_) chirp_->run(in, lines);
  const auto run_stage = vector::fourier_loops(R()).run_stage;
  auto stride = lines;
  for (const auto& stage : stages_) {
    run_stage(
        {.radix = stage.radix,
         .columns = stage.columns,
         .stride = stride,
         .factors = stage.factors.data(),
         .roots = stage.roots.data(),
         .in = in,
         .out = other});
    std::swap(in, other);
    stride *= stage.radix;
  }
  return in;
}

template class LineTransform<float>;
template class LineTransform<double>;

}  // namespace troupe::cpu
