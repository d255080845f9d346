#pragma once

#include <string>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// In which order a queue gives its elements.
enum class QueueKind : uint8_t { fifo, random_shuffle, padding_fifo, priority };

/// "FIFOQueue", as the ops are named, without the V2 of the newer ones.
const char* to_string(QueueKind kind);

/// What the node that makes a queue declares of it.
struct QueueSpec {
  static constexpr int64_t unbounded = 0x7fffffff;

  QueueKind kind = QueueKind::fifo;
  std::string name;
  DTypes dtypes;  // of the components of an element; those of a priority queue begin with int64
  Shapes shapes;  // of the components; empty: any. Those of a padding queue may be partly known
  int64_t capacity = unbounded;   // the most elements
  uint64_t capacity_bytes = 0;    // the most bytes that they may have together; 0: no limit
  int64_t min_after_dequeue = 0;  // what a random queue keeps while it is open
  int64_t seed = 0;               // of the random order; both 0: any
  int64_t seed2 = 0;

  /// Fails where no queue can be so.
  static Result<QueueSpec> of(const Node& handle);

  /// Whether batches of elements can be made.
  bool has_shapes() const { return !shapes.empty(); }
  /// Whether it takes and gives runs of many elements; else each is a run of its own.
  bool keeps_batches() const { return kind == QueueKind::fifo || kind == QueueKind::padding_fifo; }

  /// InvalidArgument: those tensors are no element of the queue.
  Status check_element(const Tensors& components) const;
  /// InvalidArgument: those tensors are no batch of elements.
  Status check_batch(const Tensors& components) const;
  /// Fails unless a graph may take the queue for what the node declares.
  Status check_declared(const Node& handle) const;

 private:
  Status check_dtypes(const Tensors& components) const;
};

}  // namespace troupe
