#pragma once

#include <cmath>
#include <limits>

namespace troupe::cpu {

// One number of a distribution, of the bits that `Numbers` takes from a position of a stream on:
// uniform() and normal() give the next double of either kind, log_gamma() is a function.
// TensorFlow's algorithms: the same numbers, but for the last digits of logarithms and powers.
// Kernels of the CPU and of NVIDIA's cards compute them alike: nvcc compiles for both what is
// constexpr.

/// Pairs of numbers of one stream, each taken last to first. Pairs::uniforms() and normals() make
/// two numbers of the next block.
template <class Pairs>
class NumberPairs {
 public:
  template <class Start>
  constexpr explicit NumberPairs(const Start& start) : pairs_(start) {}

  constexpr double uniform() {
    if (uniforms_left_ == 0) {
      pairs_.uniforms(uniforms_);
      uniforms_left_ = 2;
    }
    return uniforms_[--uniforms_left_];
  }
  constexpr double normal() {
    if (normals_left_ == 0) {
      pairs_.normals(normals_);
      normals_left_ = 2;
    }
    return normals_[--normals_left_];
  }
  constexpr double log_gamma(double x) const { return pairs_.log_gamma(x); }

 private:
  Pairs pairs_;
  double uniforms_[2]{}, normals_[2]{};
  int uniforms_left_ = 0, normals_left_ = 0;
};

/// A gamma number of that shape parameter and scale 1, after Marsaglia and Tsang.
template <class Numbers>
constexpr double gamma_sample(double alpha, Numbers& numbers) {
  if (alpha == 1) return -std::log1p(-numbers.uniform());
  auto d = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3);
  auto c = 1.0 / 3 / std::sqrt(d);
  while (true) {
    auto x = numbers.normal(), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    auto u = numbers.uniform();
    // The first condition nearly always decides, without logarithms.
    if (!(u < 1 - 0.0331 * (x * x) * (x * x)) &&
        !(std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))))
      continue;
    return alpha < 1 ? d * v * std::pow(numbers.uniform(), 1 / alpha) : d * v;
  }
}

/// What a sample is where none was found.
inline constexpr double no_sample = -1;

template <class Numbers>
constexpr double knuth_sample(double rate, Numbers& numbers) {
  auto limit = std::exp(-rate);
  double product = 1;
  for (double count = 0;; ++count) {
    product *= numbers.uniform();
    if (product <= limit) return count;
  }
}

/// A transformed rejection: "The transformed rejection method for generating Poisson random
/// variables", 1993, whose names these are.
template <class Numbers>
constexpr double hormann_sample(double rate, double greatest, Numbers& numbers) {
  auto log_rate = std::log(rate);
  auto b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  auto inv_alpha = 1.1239 + 1.1328 / (b - 3.4);
  // A try is accepted with a probability above 0.7, so far fewer do.
  constexpr int tries_max = 1000;
  for (int i = 0; i < tries_max; ++i) {
    auto u = numbers.uniform() - 0.5, v = numbers.uniform();
    auto us = 0.5 - std::abs(u);
    auto k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (k > greatest) continue;
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inv_alpha / (a / (us * us) + b)) <=
        -rate + k * log_rate - numbers.log_gamma(k + 1))
      return k;
  }
  return no_sample;
}

/// A Poisson number of that rate, at most `greatest`: after Knuth for rates below 10, else after
/// Hörmann. None where such a number was not found, as for an infinite rate; not for NaN.
template <class Numbers>
constexpr double poisson_sample(double rate, double greatest, Numbers& numbers) {
  if (rate < 10) return knuth_sample(rate, numbers);
  if (rate == std::numeric_limits<double>::infinity()) return no_sample;
  return hormann_sample(rate, greatest, numbers);
}

/// The greatest double that a sample of a type may be.
template <class T>
constexpr double greatest_sample() {
  if constexpr (sizeof(T) == 8 && std::numeric_limits<T>::is_integer) return 0x1.fffffffffffffp62;
  else return static_cast<double>(std::numeric_limits<T>::max());
}

}  // namespace troupe::cpu
