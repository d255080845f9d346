#include "troupe/devices/cuda/image/soft_suppression.hpp"

#include <limits>

#include "troupe/devices/cpu/image/box_overlap.hpp"
#include "troupe/devices/cuda/image/side_product.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

constexpr int32_t is_out = -1;
/// In the place of a factor of a score.
constexpr float removes_box = -1;

/// A box by its score. Index -1: none.
struct RankedBox {
  float score;
  int32_t index;
};

__device__ bool is_better(const RankedBox& a, const RankedBox& b) {
  if (a.index < 0 || b.index < 0) return a.index >= 0;
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

/// The best box that is not out yet, to all threads of the block.
__device__ RankedBox find_best(const SoftSuppressionCall& call) {
  __shared__ RankedBox of_thread[block_threads];
  auto thread = static_cast<int>(threadIdx.x);
  RankedBox best{0, -1};
  for (int64_t i = thread; i < call.count; i += block_threads) {
    RankedBox box{call.current[i], static_cast<int32_t>(i)};
    if (call.compared[i] != is_out && is_better(box, best)) best = box;
  }
  of_thread[thread] = best;
  for (int distance = block_threads / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread < distance && is_better(of_thread[thread + distance], of_thread[thread]))
      of_thread[thread] = of_thread[thread + distance];
  }
  __syncthreads();
  return of_thread[0];
}

/// The score of a box behind those selected that it was not compared with yet, from the last one
/// on, to all threads: negative infinity where it is out. Factors are found by all threads and
/// multiplied by one, in the CPU's order.
template <class T>
__device__ float lowered_score(
    const SoftSuppressionCall& call, const RankedBox& box, int64_t found) {
  __shared__ float factors[block_threads];
  __shared__ float shared;
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  float own[4];
  for (int i = 0; i < 4; ++i)
    own[i] = widen(static_cast<const T*>(call.boxes)[4 * int64_t{box.index} + i]);
  auto score = box.score;
  for (auto left = found; left > call.compared[box.index] && score > -infinity;
       left -= block_threads) {
    auto place = left - 1 - threadIdx.x;
    if (place >= call.compared[box.index]) {
      auto overlap = cpu::box_overlap(own, call.chosen + 4 * place, SideProduct());
      auto factor = expf(call.scale * overlap * overlap);
      factors[threadIdx.x] = overlap >= call.threshold ? removes_box : factor;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 0; i < block_threads && left - 1 - i >= call.compared[box.index]; ++i) {
        score = factors[i] == removes_box ? -infinity : SideProduct()(score, factors[i]);
        if (!(score > call.score_threshold)) {  // also NaN
          score = -infinity;
          break;
        }
      }
      shared = score;
    }
    __syncthreads();
    score = shared;
  }
  __syncthreads();  // before any of these is written again
  return score;
}

/// One block selects the boxes, one after the other: a box that would be the next one is compared
/// with those selected since it was last, and is the next one if its score stays.
template <class T>
__global__ void soft_suppression_kernel(SoftSuppressionCall call) {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  for (int64_t i = threadIdx.x; i < call.count; i += block_threads) {
    call.current[i] = widen(static_cast<const T*>(call.scores)[i]);
    call.compared[i] = call.current[i] > call.score_threshold ? 0 : is_out;
  }
  int64_t found = 0;
  while (found < call.most) {
    __syncthreads();
    auto best = find_best(call);
    if (best.index < 0) break;
    auto score = lowered_score<T>(call, best, found);
    auto is_selected = score == best.score;
    if (threadIdx.x == 0) {
      call.current[best.index] = score;
      call.compared[best.index] =
          is_selected || score == -infinity ? is_out : static_cast<int32_t>(found);
      if (is_selected) {
        call.selected[found] = best.index;
        static_cast<T*>(call.selected_scores)[found] = Narrow<T>::of(score);
        for (int i = 0; i < 4; ++i)
          call.chosen[4 * found + i] =
              widen(static_cast<const T*>(call.boxes)[4 * int64_t{best.index} + i]);
      }
    }
    found += is_selected ? 1 : 0;
  }
  if (threadIdx.x == 0) *call.found = static_cast<int32_t>(found);
}

template <class T>
void suppress_softly(const SoftSuppressionCall& call) {
  start_kernel(call.stream, 1, block_threads, soft_suppression_kernel<T>, call);
}

}  // namespace

LaunchSoftSuppression find_soft_suppression(Element element) {
  return choose<LaunchSoftSuppression>(
      Elements<float, Half>{}, element, [](auto zero) { return suppress_softly<decltype(zero)>; });
}

}  // namespace troupe::cuda
