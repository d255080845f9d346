#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// A pixel and its weight in another one, along one axis.
struct WeightedPixel {
  int64_t pixel;
  float weight;
};

/// Along one axis, in the card's memory: what pixel i of the result is the sum of, from place
/// bounds[i] on to before bounds[i + 1].
struct WeightedAxis {
  const WeightedPixel* pixels;
  const int64_t* bounds;
  int64_t from, to;  // how many pixels there are
};

/// Images [batch, rows.to, columns.to, channels], whose pixels are weighted sums of others.
struct WeightedCall {
  void* out;
  const void* from;
  WeightedAxis rows, columns;
  int64_t batch, channels;
  cudaStream_t stream;
};
using LaunchWeighted = void (*)(const WeightedCall& call);

// Null where there is none. Results of resized ones and inputs of gradients are float32.
LaunchWeighted find_weighted(Element element);
LaunchWeighted find_weighted_grad(Element element);

}  // namespace troupe::cuda
