#include "troupe/devices/resources/learning/quantile_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {
namespace {

/// The number of values that a summary is made of on each level, so that the errors of all levels
/// that `max_elements` fill are within epsilon.
int64_t block_size_of(double epsilon, int64_t max_elements) {
  if (epsilon <= std::numeric_limits<double>::epsilon()) return std::max(max_elements, int64_t{2});
  int64_t size = 2;
  for (int level = 1; std::ldexp(static_cast<double>(size), level) < double(max_elements);
       ++level) {
    auto next = std::ceil(level / epsilon);
    // More than there can be: a block holds all of them.
    if (next >= double(max_elements)) return std::max(max_elements, int64_t{2});
    size = static_cast<int64_t>(next) + 1;
  }
  return std::max(size, int64_t{2});
}

/// NaN comes last, so that this is an order.
bool comes_before(const std::pair<float, float>& a, const std::pair<float, float>& b) {
  if (std::isnan(a.first) || std::isnan(b.first))
    return !std::isnan(a.first) && std::isnan(b.first);
  return a.first < b.first;
}

}  // namespace

QuantileSummary QuantileSummary::of_values(const std::vector<std::pair<float, float>>& values) {
  QuantileSummary summary;
  summary.entries_.reserve(values.size());
  float sum = 0;
  for (auto [value, weight] : values) {
    summary.entries_.push_back({value, weight, sum, sum + weight});
    sum += weight;
  }
  return summary;
}

void QuantileSummary::merge(const QuantileSummary& other) {
  if (other.is_empty()) return;
  if (is_empty()) {
    entries_ = other.entries_;
    return;
  }
  auto mine = std::exchange(entries_, {});
  const auto& others = other.entries_;
  entries_.reserve(mine.size() + others.size());
  auto a = mine.begin();
  auto b = others.begin();
  // The least ranks that what follows the last taken entry of either can have.
  float least_a = 0, least_b = 0;
  while (a != mine.end() && b != others.end()) {
    if (a->value < b->value) {
      entries_.push_back(
          {a->value, a->weight, a->min_rank + least_b, a->max_rank + b->prev_max_rank()});
      least_a = (a++)->next_min_rank();
    } else if (b->value < a->value) {
      entries_.push_back(
          {b->value, b->weight, b->min_rank + least_a, b->max_rank + a->prev_max_rank()});
      least_b = (b++)->next_min_rank();
    } else {
      entries_.push_back(
          {a->value, a->weight + b->weight, a->min_rank + b->min_rank, a->max_rank + b->max_rank});
      least_a = (a++)->next_min_rank();
      least_b = (b++)->next_min_rank();
    }
  }
  for (; a != mine.end(); ++a)
    entries_.push_back(
        {a->value, a->weight, a->min_rank + least_b, a->max_rank + others.back().max_rank});
  for (; b != others.end(); ++b)
    entries_.push_back(
        {b->value, b->weight, b->min_rank + least_a, b->max_rank + mine.back().max_rank});
}

void QuantileSummary::compress(int64_t size_hint, double min_error) {
  size_hint = std::max(size_hint, int64_t{2});
  auto size = entries_.size();
  if (static_cast<int64_t>(size) <= size_hint) return;
  auto allowed = total_weight() * std::max(1.0 / static_cast<double>(size_hint), min_error);
  // Steps of size / size_hint entries on the average.
  auto step = static_cast<int64_t>(size), spent = int64_t{0};
  size_t kept = 1;
  for (size_t at = 0; at + 1 < size;) {
    auto next = at + 1;
    while (next < size && spent < step &&
           entries_[next].prev_max_rank() - entries_[at].next_min_rank() <= allowed) {
      spent += size_hint;
      ++next;
    }
    at = next - 1 == at ? at + 1 : next - 1;
    entries_[kept++] = entries_[at];
    spent -= step;
  }
  entries_.resize(kept);
}

double QuantileSummary::error() const {
  if (is_empty()) return 0;
  float gap = 0;
  for (size_t i = 1; i < entries_.size(); ++i) {
    const auto& entry = entries_[i];
    auto own = entry.max_rank - entry.min_rank - entry.weight;
    gap = std::max(gap, std::max(own, entry.prev_max_rank() - entries_[i - 1].next_min_rank()));
  }
  return static_cast<double>(gap) / total_weight();
}

std::vector<float> QuantileSummary::boundaries(int64_t count) const {
  auto part = 1.0 / static_cast<double>(count);
  auto compressed = *this;
  compressed.compress(count, static_cast<float>(error() + part));
  std::vector<float> values;
  for (const auto& entry : compressed.entries_) values.push_back(entry.value);
  return values;
}

std::vector<float> QuantileSummary::quantiles(int64_t count) const {
  std::vector<float> values;
  if (is_empty()) return values;
  count = std::max(count, int64_t{2});
  size_t at = 0;
  for (int64_t i = 0; i <= count; ++i) {
    auto rank = static_cast<float>(i) * total_weight() / static_cast<float>(count);
    auto twice = 2 * rank;
    auto next = at + 1;
    while (next < entries_.size() && twice >= entries_[next].min_rank + entries_[next].max_rank)
      ++next;
    at = next - 1;
    auto stays = next == entries_.size() ||
                 twice < entries_[at].next_min_rank() + entries_[next].prev_max_rank();
    values.push_back(entries_[stays ? at : next].value);
  }
  return values;
}

QuantileStream::QuantileStream(double epsilon, int64_t max_elements)
    : epsilon_(epsilon), block_size_(block_size_of(epsilon, max_elements)) {
  auto twice = block_size_ > max_elements / 2 ? max_elements : 2 * block_size_;
  buffer_max_ = static_cast<size_t>(std::min(twice, max_elements));
}

void QuantileStream::add(float value, float weight) {
  if (weight > 0) buffer_.emplace_back(value, weight);
  if (buffer_.size() >= buffer_max_) add_buffer();
}

void QuantileStream::add(QuantileSummary summary) {
  summary.compress(block_size_, epsilon_);
  propagate(std::move(summary));
}

void QuantileStream::add_buffer() {
  auto values = std::exchange(buffer_, {});
  std::sort(values.begin(), values.end(), comes_before);
  size_t kept = 0;
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i].first != values[kept].first) values[++kept] = values[i];
    else values[kept].second += values[i].second;
  if (!values.empty()) values.resize(kept + 1);
  add(QuantileSummary::of_values(values));
}

void QuantileStream::propagate(QuantileSummary summary) {
  if (summary.is_empty()) return;
  for (size_t level = 0;; ++level) {
    if (level == levels_.size()) levels_.emplace_back();
    auto& current = levels_[level];
    auto was_empty = current.is_empty();
    summary.merge(current);
    if (was_empty || static_cast<int64_t>(summary.entries().size()) <= block_size_ + 1) {
      current = std::move(summary);
      return;
    }
    summary.compress(block_size_, epsilon_);
    current = {};
  }
}

QuantileSummary QuantileStream::finish() {
  add_buffer();
  QuantileSummary all;
  for (const auto& level : levels_) all.merge(level);
  levels_.clear();
  return all;
}

}  // namespace troupe
