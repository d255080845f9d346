#pragma once

#include <cstdint>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu::vector {

/// The cross entropy of the softmax of a row of `size` > 0 logits, and its gradient `backprop`,
/// which may be the logits' own memory.
struct CrossEntropyLoops {
  /// Of a distribution over the classes.
  void (*dense)(void* loss, void* backprop, const void* logits, const void* labels, int64_t size) =
      nullptr;
  /// Of the one class that is expected.
  void (*sparse)(void* loss, void* backprop, const void* logits, int64_t label, int64_t size) =
      nullptr;
};
/// For float32 and float64, else null.
CrossEntropyLoops cross_entropy_loops(DType dtype);

}  // namespace troupe::cpu::vector
