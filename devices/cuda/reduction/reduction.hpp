#pragma once

#include "troupe/devices/cuda/reduction/reduce.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

struct FoldEnd {
  Finish finish = Finish::nothing;
  int64_t count = 0;
};

/// Folds `in` to the shape `kept`, which has size 1 in place of each axis to fold, under the shape
/// `result`.
Result<Tensor> fold(
    const Launch& launch, LaunchFold function, const Tensor& in, const Shape& kept,
    const Shape& result, const FoldEnd& end = {});

/// Folds `in` as the geometry says, to the shape `result`.
Result<Tensor> fold_as(
    const Launch& launch, LaunchFold function, const Tensor& in, const FoldGeometry& geometry,
    const Shape& result, const FoldEnd& end = {});

}  // namespace troupe::cuda
