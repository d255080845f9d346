#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "troupe/devices/cpu/vector/fourier/fourier_loops.hpp"

namespace troupe::cpu {

/// Fourier transforms of lines of one length, not scaled, of several lines side by side: number i
/// of line l of `lines` is element i * lines + l. Factors are computed once; any thread may run it.
template <class R>
class LineTransform {
 public:
  using Parts = vector::Parts<R>;
  /// Bounds the memory of factors, and the error of angles.
  static constexpr int64_t longest = int64_t{1} << 26;

  explicit LineTransform(int64_t length, bool has_half_roots = false);
  ~LineTransform();

  int64_t length() const { return length_; }
  /// exp(-pi i k / length) for k up to the length: what joins the spectra of every second one of
  /// twice as many reals. Empty unless asked for where it was made.
  const std::vector<R>& half_roots() const { return half_roots_; }
  /// The transforms of what `in` holds; they are in the memory of `in` or of `other`, which are
  /// both overwritten. With real and imaginary parts exchanged it is the inverse.
  Parts run(Parts in, Parts other, int64_t lines) const;

 private:
  struct Stage {
    int64_t radix, columns;
    std::vector<R> factors, roots;
  };
  class Chirp;

  int64_t length_;
  std::vector<Stage> stages_;
  std::vector<R> half_roots_;
  std::unique_ptr<Chirp> chirp_;  // where a prime factor is large
};

}  // namespace troupe::cpu
