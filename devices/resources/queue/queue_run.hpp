#pragma once

#include <cstdint>
#include <vector>

#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// Some elements of a queue, in order: one, whose components are these tensors, or rows of a batch,
/// which shares the memory of the batch until the last of them is gone. At least one.
struct QueueRun {
  Tensors components;
  bool is_batch = false;  // axis 0 of each component counts elements
  int64_t first = 0;      // the first row of the run
  int64_t count = 1;
  int64_t position = 0;  // among all elements that the queue has been given; set by the queue

  /// The elements of a batch that are rows of these components.
  static QueueRun rows_of(Tensors components) {
    auto count = components[0].shape()[0];
    return {.components = std::move(components), .is_batch = true, .first = 0, .count = count};
  }

  /// Takes the first `most` elements, or all where there are fewer.
  QueueRun take(int64_t most);
  /// What the elements themselves take in memory, with the characters of strings.
  uint64_t bytes() const;
};
using QueueRuns = std::vector<QueueRun>;

int64_t count_elements(const QueueRuns& runs);

}  // namespace troupe
