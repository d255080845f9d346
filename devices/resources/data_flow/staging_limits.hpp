#pragma once

#include <algorithm>
#include <numeric>
#include <string>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// How much a staging area holds, and what it holds now.
struct StagingLimits {
  int64_t capacity = 0;      // tuples; 0: any number
  int64_t memory_limit = 0;  // bytes; 0: any number

  /// What a node of a staging area's op declares.
  static StagingLimits of(const Node& node) {
    return {node.attr<int64_t>("capacity"), node.attr<int64_t>("memory_limit")};
  }

  bool has_room_for(int64_t bytes, int64_t used_bytes) const {
    return memory_limit == 0 || used_bytes + bytes <= memory_limit;
  }
  bool has_room_for_tuple(size_t count) const {
    return capacity == 0 || static_cast<int64_t>(count) < capacity;
  }
  /// ResourceExhausted if so many bytes never fit.
  Status check(int64_t bytes) const {
    if (has_room_for(bytes, 0)) return {};
    return resource_exhausted(
        "Attempted to insert tensors with combined size of '" + std::to_string(bytes) +
        "' bytes into Staging Area with a memory limit of '" + std::to_string(memory_limit) + "'.");
  }
};

/// Of the elements, and of the texts that they are.
inline int64_t staged_bytes(const Tensor& tensor) {
  auto bytes = static_cast<int64_t>(tensor.bytes());
  if (tensor.dtype() == DType::string)
    for (const auto& text : tensor.values<std::string>())
      bytes += static_cast<int64_t>(text.size());
  return bytes;
}

inline int64_t staged_bytes(const Tensors& tensors) {
  return std::accumulate(
      tensors.begin(), tensors.end(), int64_t{0},
      [](int64_t sum, const Tensor& tensor) { return sum + staged_bytes(tensor); });
}

}  // namespace troupe
