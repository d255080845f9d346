#include "troupe/devices/cuda/indexing/beam_search.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ cpu::InvalidParent follow_beam(const GatherTreeCall& call, int64_t place) {
  return call.tree.follow(place / call.tree.beams, place % call.tree.beams, *call.end, call.out);
}

/// Of numbers without a sign, -1 is the greatest.
__global__ void gather_tree_kernel(GatherTreeCall call) {
  for (auto i = first_item(); i < call.tree.batch * call.tree.beams; i += item_step())
    if (follow_beam(call, i).time >= 0)
      atomicMin(
          reinterpret_cast<unsigned long long*>(&call.fault->place),
          static_cast<unsigned long long>(i));
}

/// One thread adds what was found.
__global__ void show_fault_kernel(GatherTreeCall call) {
  if (call.fault->place >= 0) call.fault->invalid = follow_beam(call, call.fault->place);
}

}  // namespace

void launch_gather_tree(const GatherTreeCall& call) {
  auto beams = call.tree.batch * call.tree.beams;
  start_kernel(call.stream, blocks_for(beams), block_threads, gather_tree_kernel, call);
  start_kernel(call.stream, 1, 1, show_fault_kernel, call);
}

}  // namespace troupe::cuda
