#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/index/rows.hpp"

namespace troupe::cuda {

/// Changes slices of a tensor that vectors of indices name; those that there are none of are passed
/// over. Several for one slice: they are folded in any order, and the last one replaces it, as on a
/// CPU.
struct ScatterCall {
  void* to;
  const void* updates;
  bool is_one_for_all;  // one element is the update of all
  const void* indices;
  bool has_long_indices;
  NamedSlices slices;
  cudaStream_t stream;
  /// For a replacement by more than one: memory for a number of each slice of the tensor, all -1.
  int32_t* last = nullptr;
};
using LaunchScatter = void (*)(const ScatterCall& call);

/// What an element and an update become.
enum class ScatterRule : uint8_t { add, subtract, multiply, divide, minimum, maximum };

/// Folds updates into slices; null for elements that cards cannot change at once.
LaunchScatter find_scatter(Element element, ScatterRule rule);
/// Replaces slices, of elements of so many bytes.
void launch_scatter_update(const ScatterCall& call, int size);

}  // namespace troupe::cuda
