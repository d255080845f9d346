#include "troupe/devices/cpu/random/samples.hpp"

#include <math.h>  // lgamma_r, which unlike std::lgamma writes no global variable

#include <cmath>
#include <limits>

#include "troupe/devices/cpu/random/distributions.hpp"

namespace troupe::cpu {
namespace {

/// Pairs of numbers of one stream, each taken last to first.
class NumberPairs {
 public:
  explicit NumberPairs(const Philox& start) : next_(start) {}

  double uniform() {
    if (uniforms_left_ == 0) {
      uniforms_ = uniform_numbers<double>(take());
      uniforms_left_ = uniforms_.size();
    }
    return uniforms_[--uniforms_left_];
  }
  double normal() {
    if (normals_left_ == 0) {
      normals_ = normal_numbers<double>(take());
      normals_left_ = normals_.size();
    }
    return normals_[--normals_left_];
  }

 private:
  Philox::Block take() {
    auto block = next_.block();
    next_ = next_.skip(1);
    return block;
  }

  Philox next_;
  BlockNumbers<double> uniforms_{}, normals_{};
  size_t uniforms_left_ = 0, normals_left_ = 0;
};

double knuth_sample(double rate, NumberPairs& numbers) {
  auto limit = std::exp(-rate);
  double product = 1;
  for (double count = 0;; ++count) {
    product *= numbers.uniform();
    if (product <= limit) return count;
  }
}

/// A transformed rejection: "The transformed rejection method for generating Poisson random
/// variables", 1993, whose names these are.
std::optional<double> hormann_sample(double rate, double greatest, NumberPairs& numbers) {
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
    int sign;
    auto log_factorial = lgamma_r(k + 1, &sign);
    if (std::log(v * inv_alpha / (a / (us * us) + b)) <= -rate + k * log_rate - log_factorial)
      return k;
  }
  return {};
}

}  // namespace

double gamma_sample(double alpha, const Philox& start) {
  NumberPairs numbers(start);
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

std::optional<double> poisson_sample(double rate, double greatest, const Philox& start) {
  NumberPairs numbers(start);
  if (rate < 10) return knuth_sample(rate, numbers);
  if (rate == std::numeric_limits<double>::infinity()) return {};
  return hormann_sample(rate, greatest, numbers);
}

}  // namespace troupe::cpu
