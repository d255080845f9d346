#include "troupe/devices/cuda/reduction/scan.hpp"

#include <cub/block/block_scan.cuh>

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// Where a line begins, and how far apart its elements lie.
struct Line {
  int64_t first, step;

  __device__ Line(const ScanCall& call, int64_t line) : step(call.inner) {
    first = line / call.inner * call.size * call.inner + line % call.inner;
    if (!call.is_reverse) return;
    first += (call.size - 1) * call.inner;
    step = -step;
  }
};

/// A thread scans a line: neighbours have neighbouring lines.
template <class Fold, class T>
__global__ void scan_lines_kernel(ScanCall call) {
  auto* out = static_cast<T*>(call.out);
  const auto* from = static_cast<const T*>(call.from);
  for (auto i = first_item(); i < call.outer * call.inner; i += item_step()) {
    Line line(call, i);
    auto folded = Fold::template none<Wide<T>>();
    for (int64_t k = 0; k < call.size; ++k) {
      auto at = line.first + k * line.step;
      auto next = Fold::join(folded, widen(from[at]));
      out[at] = Narrow<T>::of(call.is_exclusive ? folded : next);
      folded = next;
    }
  }
}

/// A block scans a line, so many elements at a time.
template <class Fold, class T>
__global__ void scan_line_kernel(ScanCall call) {
  using A = Wide<T>;
  using Scan = cub::BlockScan<A, block_threads>;
  __shared__ typename Scan::TempStorage shared;
  auto* out = static_cast<T*>(call.out);
  const auto* from = static_cast<const T*>(call.from);
  auto join = [](A x, A y) { return Fold::join(x, y); };
  for (int64_t i = blockIdx.x; i < call.outer * call.inner; i += gridDim.x) {
    Line line(call, i);
    auto before = Fold::template none<A>();
    for (int64_t first = 0; first < call.size; first += block_threads) {
      auto k = first + threadIdx.x;
      auto at = line.first + k * line.step;
      auto value = k < call.size ? widen(from[at]) : Fold::template none<A>();
      A exclusive, all;
      Scan(shared).ExclusiveScan(value, exclusive, Fold::template none<A>(), join, all);
      exclusive = join(before, exclusive);
      if (k < call.size)
        out[at] = Narrow<T>::of(call.is_exclusive ? exclusive : join(exclusive, value));
      before = join(before, all);
      __syncthreads();
    }
  }
}

/// Fewer lines do not keep a card busy by a thread each.
constexpr int64_t enough_lines = 16384;

template <class Fold, class T>
void launch(const ScanCall& call) {
  auto lines = call.outer * call.inner;
  if (lines >= enough_lines || call.size <= 32)
    start_kernel(call.stream, blocks_for(lines), block_threads, scan_lines_kernel<Fold, T>, call);
  else
    start_kernel(call.stream, blocks_for(lines, 1), block_threads, scan_line_kernel<Fold, T>, call);
}

template <class Fold>
LaunchScan find(Element element) {
  return choose<LaunchScan>(
      NumericElements{}, element, [](auto zero) { return launch<Fold, decltype(zero)>; });
}

LaunchScan find_log_sum_exp(Element element) {
  switch (element) {
    case Element::float32: return launch<FoldLogSumExp<float>, float>;
    case Element::float64: return launch<FoldLogSumExp<double>, double>;
    case Element::float16: return launch<FoldLogSumExp<Half>, Half>;
    default: return nullptr;
  }
}

}  // namespace

LaunchScan find_scan(ScanKind kind, Element element) {
  switch (kind) {
    case ScanKind::sum: return find<FoldSum>(element);
    case ScanKind::product: return find<FoldProduct>(element);
    default: return find_log_sum_exp(element);
  }
}

}  // namespace troupe::cuda
