#include "troupe/devices/cpu/linalg/line_transform.hpp"

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
/// convolution, which transforms of a power of two compute. In double, as squares of indices
/// would cost digits.
template <class R>
class LineTransform<R>::Chirp {
 public:
  using Wide = std::complex<double>;

  explicit Chirp(int64_t length)
      : transform_(size_for(length)), factors_(static_cast<size_t>(length)) {
    auto size = transform_.length();
    std::vector<double> line(static_cast<size_t>(2 * size)), other(line.size());
    auto in = parts_of(line);
    for (int64_t k = 0; k < length; ++k) {
      auto factor = std::polar(1.0, -pi * double(k * k % (2 * length)) / double(length));
      factors_[static_cast<size_t>(k)] = factor;
      for (auto at : {k, (size - k) % size}) {
        in.real[at] = factor.real();
        in.imaginary[at] = -factor.imag();
      }
    }
    auto found = transform_.run(in, parts_of(other), 1);
    for (int64_t k = 0; k < size; ++k)
      filter_.push_back(Wide(found.real[k], found.imaginary[k]) / double(size));
  }

  void run(const Parts& line, int64_t lines) const {
    auto size = transform_.length();
    std::vector<double> first(static_cast<size_t>(2 * size * lines)), second(first.size());
    auto from = parts_of(first), to = parts_of(second);
    multiply(from, line, factors_, lines);
    auto spectrum = transform_.run(from, to, lines);
    multiply(spectrum, spectrum, filter_, lines);
    // The inverse, by exchanged parts.
    auto other = spectrum.real == from.real ? to : from;
    auto back =
        transform_.run({spectrum.imaginary, spectrum.real}, {other.imaginary, other.real}, lines);
    multiply<R, double>(line, {back.imaginary, back.real}, factors_, lines);
  }

 private:
  static int64_t size_for(int64_t length) {
    int64_t size = 1;
    while (size < 2 * length - 1) size *= 2;
    return size;
  }

  template <class To, class From>
  static void multiply(
      const vector::Parts<To>& to, const vector::Parts<From>& from,
      const std::vector<Wide>& factors, int64_t lines) {
    for (size_t k = 0; k < factors.size(); ++k) {
      const auto a = factors[k].real(), b = factors[k].imag();
      const auto begin = static_cast<int64_t>(k) * lines;
      for (auto i = begin; i < begin + lines; ++i) {
        const double x = from.real[i], y = from.imaginary[i];
        to.real[i] = static_cast<To>(x * a - y * b);
        to.imaginary[i] = static_cast<To>(x * b + y * a);
      }
    }
  }

  LineTransform<double> transform_;
  std::vector<Wide> factors_, filter_;
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
