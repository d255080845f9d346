#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/cpu/vector/fourier.hpp"

namespace troupe::cpu {

/// The powers of the first root exp(-2 pi i / length).
inline std::vector<std::complex<double>> roots_of_one(int64_t count) {
  constexpr double turn = -2 * 3.14159265358979323846;
  const auto length = static_cast<size_t>(count);
  std::vector<std::complex<double>> roots(length);
  for (size_t k = 0; k <= length / 2; ++k) {
    // Those of the first eighth, where there are eighths, are mirrored to the others.
    const auto has_eighths = length % 8 == 0, is_mirrored = has_eighths && k > length / 4;
    const auto within = is_mirrored ? length / 2 - k : k;
    if (is_mirrored) {
      roots[k] = -std::conj(roots[within]);
    } else if (has_eighths && k > length / 8) {
      const auto& mirrored = roots[length / 4 - k];
      roots[k] = {-mirrored.imag(), -mirrored.real()};
    } else {
      roots[k] = std::polar(1.0, turn * double(k) / double(length));
    }
  }
  for (auto k = length / 2 + 1; k < length; ++k) roots[k] = std::conj(roots[length - k]);
  return roots;
}

/// What was made for lengths, kept for the next launches of a kernel. Thread-safe.
template <class V>
class KeptByLength {
 public:
  std::shared_ptr<const V> of(int64_t length) {
    constexpr size_t most = 3;  // axes
    std::lock_guard lock(mutex_);
    for (const auto& one : kept_)
      if (one->length() == length) return one;
    if (kept_.size() == most) kept_.erase(kept_.begin());
    kept_.push_back(std::make_shared<const V>(length));
    return kept_.back();
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const V>> kept_;
};

/// The first half of the roots of one.
template <class R>
class HalfRoots {
 public:
  explicit HalfRoots(int64_t length) : length_(length) {
    const auto all = roots_of_one(length);
    for (int64_t k = 0; k < length / 2; ++k) {
      reals_.push_back(R(all[static_cast<size_t>(k)].real()));
      imaginaries_.push_back(R(all[static_cast<size_t>(k)].imag()));
    }
  }
  int64_t length() const { return length_; }
  const R* reals() const { return reals_.data(); }
  const R* imaginaries() const { return imaginaries_.data(); }

 private:
  int64_t length_;
  std::vector<R> reals_, imaginaries_;
};

/// How lines of one length, a product of 2, 3 and 5, are transformed: in passes, each by one
/// factor. Any number of threads may use it.
template <class R>
class TransformPasses {
 public:
  explicit TransformPasses(int64_t length) : length_(length) {
    auto rest = length;
    int64_t stride = 1;
    // Factors of 4 first, as their passes have vectors where the stride is still short.
    for (int radix : {4, 2, 3, 5})
      for (; rest % radix == 0; rest /= radix, stride *= radix)
        passes_.push_back(make_pass(radix, rest / radix, stride));
    is_complete_ = rest == 1;
    if (is_complete_) set_roots();
  }

  int64_t length() const { return length_; }
  /// Whether the length has no other factors.
  bool is_complete() const { return is_complete_; }

  struct Pass {
    vector::FourierLoop loop;
    int radix;
    int64_t groups, stride;
    std::vector<R> reals, imaginaries;  // of roots
  };
  const std::vector<Pass>& passes() const { return passes_; }

 private:
  static Pass make_pass(int radix, int64_t groups, int64_t stride) {
    return {vector::fourier_loop(radix, dtype_of<R>()), radix, groups, stride, {}, {}};
  }

  void set_roots() {
    const auto roots = roots_of_one(length_);
    for (auto& pass : passes_)
      for (int64_t power = 1; power < pass.radix; ++power)
        for (int64_t group = 0; group < pass.groups; ++group) {
          const auto& root = roots[static_cast<size_t>(power * group * pass.stride)];
          pass.reals.push_back(R(root.real()));
          pass.imaginaries.push_back(R(root.imag()));
        }
  }

  int64_t length_;
  bool is_complete_ = false;
  std::vector<Pass> passes_;
};

/// Transforms lines, one after the other, in memory of its own where real and imaginary parts lie
/// apart.
template <class R>
class PlanarTransform {
 public:
  PlanarTransform(std::shared_ptr<const TransformPasses<R>> passes, bool is_inverse)
      : passes_(std::move(passes)), is_inverse_(is_inverse) {
    for (auto* line : {&reals_, &imaginaries_, &next_reals_, &next_imaginaries_})
      line->resize(static_cast<size_t>(passes_->length() + 1));
  }

  /// In place. The result is multiplied by `scale`.
  void run(std::complex<R>* line, R scale) {
    copies_.split(reals_.data(), imaginaries_.data(), line, passes_->length());
    run_passes();
    copies_.join(line, reals_.data(), imaginaries_.data(), double(scale), passes_->length());
  }

  /// Makes the first half, and one more, of the spectrum of twice as many real numbers.
  void run_reals(std::complex<R>* spectrum, const R* line, const HalfRoots<R>& roots) {
    const auto length = passes_->length();
    copies_.split(reals_.data(), imaginaries_.data(), line, length);
    run_passes();
    reals_.back() = reals_.front();
    imaginaries_.back() = imaginaries_.front();
    copies_.join_halves(
        spectrum, reals_.data(), imaginaries_.data(), roots.reals(), roots.imaginaries(), length);
    spectrum[length] = reals_.front() - imaginaries_.front();
  }

 private:
  void run_passes() {
    // An inverse transform is that of the parts exchanged, its result exchanged again.
    if (is_inverse_) reals_.swap(imaginaries_);
    for (const auto& pass : passes_->passes()) {
      pass.loop(
          {.groups = pass.groups,
           .stride = pass.stride,
           .root_reals = pass.reals.data(),
           .root_imaginaries = pass.imaginaries.data(),
           .reals = reals_.data(),
           .imaginaries = imaginaries_.data(),
           .out_reals = next_reals_.data(),
           .out_imaginaries = next_imaginaries_.data()});
      reals_.swap(next_reals_);
      imaginaries_.swap(next_imaginaries_);
    }
    if (is_inverse_) reals_.swap(imaginaries_);
  }

  std::shared_ptr<const TransformPasses<R>> passes_;
  bool is_inverse_;
  vector::FourierCopies copies_ = vector::fourier_copies(dtype_of<R>());
  std::vector<R> reals_, imaginaries_, next_reals_, next_imaginaries_;
};

}  // namespace troupe::cpu
