#pragma once

#include <string>
#include <utility>
#include <vector>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/ragged.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {

/// The splits of a ragged tensor from the outer to the inner, in the first inputs, and its values.
struct RaggedInput {
  std::vector<std::vector<int64_t>> splits;
  Tensor values;

  static Result<RaggedInput> of(const Launch& launch, int ragged_rank) {
    RaggedInput ragged{{}, launch.input(ragged_rank)};
    if (ragged.values.shape().is_scalar())
      return invalid_argument("the values of a ragged tensor must have at least rank 1, not 0");
    for (int i = 0; i < ragged_rank; ++i) ragged.splits.push_back(*to_ints(launch.input(i)));
    for (int i = 0; i < ragged_rank; ++i) {
      auto size = i + 1 < ragged_rank ? std::ssize(ragged.splits[static_cast<size_t>(i) + 1]) - 1
                                      : ragged.values.shape()[0];
      if (auto status = check_row_splits(launch.input(i), size); !status.ok()) return status;
    }
    return ragged;
  }

  /// Fails unless each value is in a row.
  Status check_whole() const {
    for (size_t level = 0; level < splits.size(); ++level) {
      const auto& ends = splits[level];
      auto is_innermost = level + 1 == splits.size();
      auto size = is_innermost ? values.shape()[0] : std::ssize(splits[level + 1]) - 1;
      if (ends[0] != 0)
        return invalid_argument("the first split must be 0, but is " + std::to_string(ends[0]));
      if (ends.back() != size)
        return invalid_argument(
            "the last split must be the number of values, " + std::to_string(size) + ", but is " +
            std::to_string(ends.back()));
    }
    return {};
  }
};

/// Rows of a ragged tensor, as one.
struct RaggedSelection {
  std::vector<std::vector<int64_t>> splits;
  std::vector<std::pair<int64_t, int64_t>> runs;  // of rows of the values: first and last + 1
  int64_t count = 0;

  /// Appends row `index` of `ragged` to the splits from `outer` on.
  void append(const RaggedInput& ragged, int64_t index, size_t outer) {
    auto begin = index, end = index + 1;
    for (size_t level = 0; level < ragged.splits.size(); ++level) {
      const auto& from = ragged.splits[level];
      // The outermost splits of a single row are no part of the result.
      if (level + outer > 0) {
        auto& to = splits[level + outer - 1];
        auto shift = to.back() - from[begin];
        for (auto i = begin; i < end; ++i) to.push_back(from[i + 1] + shift);
      }
      begin = from[begin];
      end = from[end];
    }
    if (begin == end) return;
    runs.emplace_back(begin, end);
    count += end - begin;
  }

  /// The rows of the values.
  Result<Tensor> values_of(const Launch& launch, const Tensor& values) const {
    auto shape = values.shape();
    auto size = shape[0] > 0 ? values.elements() / shape[0] : 0;
    shape.set(0, count);
    auto out = launch.allocate(values.dtype(), shape);
    if (!out) return out;
    int64_t at = 0;
    for (auto [begin, end] : runs) {
      copy_elements(*out, at * size, values, begin * size, (end - begin) * size);
      at += end - begin;
    }
    return out;
  }
};

}  // namespace troupe::cpu
