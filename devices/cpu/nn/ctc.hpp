#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The logarithm of probability 0.
inline constexpr double log_of_zero = -std::numeric_limits<double>::infinity();

/// The logarithm of the sum of two probabilities, from theirs.
inline double add_logs(double x, double y) {
  if (x < y) std::swap(x, y);
  return y == log_of_zero ? x : x + std::log1p(std::exp(y - x));
}

/// The activations of a batch of sequences: [time, batch, classes] in float32 or float64.
class CtcActivations {
 public:
  /// Fails unless there are that many axes, times and classes, and a length for each sequence.
  static Result<CtcActivations> of(const Tensor& inputs, const Tensor& lengths);

  int64_t times() const { return inputs_.shape()[0]; }
  int64_t batch() const { return inputs_.shape()[1]; }
  int64_t classes() const { return inputs_.shape()[2]; }
  int64_t blank() const { return classes() - 1; }
  int64_t length_of(int64_t sequence) const { return lengths_[static_cast<size_t>(sequence)]; }

  /// Copies the activations of all classes.
  void read(int64_t time, int64_t sequence, std::span<double> row) const;
  /// The same as logarithms of probabilities.
  void read_logs(int64_t time, int64_t sequence, std::span<double> row) const;

 private:
  Tensor inputs_;
  std::span<const int32_t> lengths_;
};

// The parts of the ctc family, each in the file of its name.
void add_ctc_decoders_kernels(KernelCatalog& catalog);  // CTCGreedyDecoder, CTCBeamSearchDecoder

}  // namespace troupe::cpu
