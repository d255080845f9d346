#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string_view>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/reduction/fold_geometry.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"

namespace troupe::cuda {

/// One fold of a tensor. Where the geometry has several parts, `partial` has room for the results
/// of all, as wide as elements are computed.
struct FoldCall {
  void* out;
  const void* from;
  void* partial;
  FoldGeometry geometry;
  Finish finish;
  int64_t count;  // what a sum is divided by
  cudaStream_t stream;
};
using LaunchFold = void (*)(const FoldCall& call);

struct FoldEntry {
  std::string_view op;
  Element element;
  LaunchFold launch;
};

/// "Sum", "SquareSum", "Prod", "Max", "Min", "All" and "Any", for what each is compiled for.
std::span<const FoldEntry> fold_entries();

/// Null where there is none.
LaunchFold find_fold(std::string_view op, Element element);

/// Sets each of `count` places of the result, [outer, inner], to that of the greatest element, or
/// the least, of a line of [outer, size, inner]: the first of them. NaN is neither.
struct ExtremeCall {
  void* out;
  const void* from;
  int64_t outer, size, inner;
  bool is_least, is_long;  // is_long: places are int64, else int32
  cudaStream_t stream;
};
using LaunchExtreme = void (*)(const ExtremeCall& call);
LaunchExtreme find_extreme(Element element);

}  // namespace troupe::cuda
