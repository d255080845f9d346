#include "troupe/devices/cuda/linalg/band_part.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class C>
__global__ void band_part_kernel(BandPartCall call) {
  for (auto i = first_item(); i < call.elements; i += item_step()) {
    auto row = i / call.columns % call.rows, column = i % call.columns;
    auto is_kept = row - column <= call.lower && column - row <= call.upper;
    static_cast<C*>(call.to)[i] = is_kept ? static_cast<const C*>(call.from)[i] : C{};
  }
}

}  // namespace

void launch_band_part(const BandPartCall& call) {
  with_cell(call.size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(call.elements), block_threads, band_part_kernel<decltype(cell)>,
        call);
  });
}

}  // namespace troupe::cuda
