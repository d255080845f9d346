#pragma once

#include <complex>
#include <memory>
#include <vector>

#include <unsupported/Eigen/FFT>

namespace troupe::cpu {

/// Fourier transforms of lines of one length, not scaled. Not thread-safe: it holds the memory that
/// a transform needs.
template <class R>
class LineTransform {
 public:
  using Complex = std::complex<R>;
  /// Factors and indices of Eigen's transforms are ints.
  static constexpr int64_t longest = int64_t{1} << 26;

  LineTransform(int64_t length, bool is_inverse) : length_(length), is_inverse_(is_inverse) {
    fft_.SetFlag(fft_.Unscaled);
    if (has_large_factor()) chirp_ = std::make_unique<Chirp>(length, is_inverse);
  }

  /// The two must not overlap.
  void run(Complex* to, const Complex* from) {
    if (length_ == 1) *to = *from;
    else if (chirp_) chirp_->run(to, from);
    else if (is_inverse_) fft_.inv(to, from, length_);
    else fft_.fwd(to, from, length_);
  }

  /// The spectrum of real numbers. Of an even length it takes half as long as that of complex ones.
  void run(Complex* to, const R* from) {
    if (length_ > 1 && !chirp_ && !is_inverse_) return fft_.fwd(to, from, length_);
    std::vector<Complex> line(from, from + length_);
    run(to, line.data());
  }

 private:
  /// Eigen takes time in proportion to a prime factor for each element.
  bool has_large_factor() const {
    constexpr int64_t largest = 64;
    auto rest = length_;
    for (int64_t factor = 2; factor <= largest; ++factor)
      while (rest % factor == 0) rest /= factor;
    return rest > 1;
  }

  /// Bluestein's way: jk = (j^2 + k^2 - (j - k)^2) / 2, so that a transform of any length is a
  /// convolution, which transforms of a power of two compute. In double, as squares of indices
  /// would cost digits.
  class Chirp {
   public:
    using Wide = std::complex<double>;

    Chirp(int64_t length, bool is_inverse) : size_(1), factors_(static_cast<size_t>(length)) {
      while (size_ < 2 * length - 1) size_ *= 2;
      fft_.SetFlag(fft_.Unscaled);
      line_.resize(static_cast<size_t>(size_));
      filter_.resize(line_.size());
      constexpr double pi = 3.14159265358979323846;
      for (int64_t k = 0; k < length; ++k) {
        auto angle = pi * double(k * k % (2 * length)) / double(length);
        auto factor = std::polar(1.0, is_inverse ? angle : -angle);
        factors_[static_cast<size_t>(k)] = factor;
        line_[static_cast<size_t>(k)] = std::conj(factor);
        if (k > 0) line_[static_cast<size_t>(size_ - k)] = std::conj(factor);
      }
      fft_.fwd(filter_.data(), line_.data(), size_);
      spectrum_.resize(line_.size());
    }

    void run(Complex* to, const Complex* from) {
      std::fill(line_.begin(), line_.end(), Wide());
      for (size_t k = 0; k < factors_.size(); ++k) line_[k] = Wide(from[k]) * factors_[k];
      fft_.fwd(spectrum_.data(), line_.data(), size_);
      for (size_t k = 0; k < filter_.size(); ++k) spectrum_[k] *= filter_[k];
      fft_.inv(line_.data(), spectrum_.data(), size_);
      for (size_t k = 0; k < factors_.size(); ++k)
        to[k] = Complex(line_[k] * factors_[k] / double(size_));
    }

   private:
    int64_t size_;
    std::vector<Wide> factors_, filter_, line_, spectrum_;
    Eigen::FFT<double> fft_;
  };

  int64_t length_;
  bool is_inverse_;
  Eigen::FFT<R> fft_;
  std::unique_ptr<Chirp> chirp_;
};

}  // namespace troupe::cpu
