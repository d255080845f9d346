#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cpu/nn/beam_tree.hpp"

namespace troupe::cuda {

/// The first beam that has a parent that there is none of.
struct BeamFault {
  int64_t place;  // row * beams + beam; before, and where there is none, -1
  cpu::InvalidParent invalid;
};

/// Follows all beams of a tree in the card's memory, to `out`. None of its sizes may be 0.
struct GatherTreeCall {
  cpu::BeamTree tree;
  const int32_t* end;
  int32_t* out;
  BeamFault* fault;
  cudaStream_t stream;
};
void launch_gather_tree(const GatherTreeCall& call);

}  // namespace troupe::cuda
