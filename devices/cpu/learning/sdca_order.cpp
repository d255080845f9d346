#include "troupe/devices/cpu/learning/sdca_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace troupe::cpu::sdca {
namespace {

/// Makes them those of a distribution: all alike where they are not.
void make_valid(std::vector<double>& likelihoods) {
  for (auto& likelihood : likelihoods) likelihood = std::max(likelihood, 0.0);
  auto sum = std::accumulate(likelihoods.begin(), likelihoods.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) std::ranges::fill(likelihoods, 1);
}

}  // namespace

Order shuffled_order(int64_t examples, std::mt19937_64& random) {
  Order order(static_cast<size_t>(examples));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  return order;
}

Order adaptive_order(std::vector<double> likelihoods, std::mt19937_64& random) {
  make_valid(likelihoods);
  const auto examples = likelihoods.size();
  std::discrete_distribution<int64_t> draw(likelihoods.begin(), likelihoods.end());
  std::uniform_real_distribution<double> chance;
  std::vector<double> repeats(examples, 1);  // the probability that an example is taken once more
  Order order;
  for (size_t vain = 0; order.size() < examples && vain < examples;) {
    auto drawn = draw(random);
    auto& repeat = repeats[static_cast<size_t>(drawn)];
    if (chance(random) >= repeat) {
      ++vain;
      continue;
    }
    repeat /= 10;
    order.push_back(drawn);
  }
  // TensorFlow means to do so, too, but takes the first example again and again.
  Order rest;
  for (size_t i = 0; i < examples; ++i)
    if (repeats[i] == 1) rest.push_back(static_cast<int64_t>(i));
  std::ranges::stable_sort(
      rest, std::greater<>(), [&](int64_t i) { return likelihoods[static_cast<size_t>(i)]; });
  rest.resize(examples - order.size());
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

}  // namespace troupe::cpu::sdca
