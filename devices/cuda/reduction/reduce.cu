#include "troupe/devices/cuda/reduction/reduce.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// Where results go: to their places, or, of parts that are to be folded, as they are.
struct FoldTarget {
  void* out;
  bool is_partial;
  Finish finish;
  int64_t count;
};

template <class Out, class A>
__device__ void put(const FoldTarget& target, int64_t at, A folded) {
  if (target.is_partial) static_cast<A*>(target.out)[at] = folded;
  else
    static_cast<Out*>(target.out)[at] =
        Narrow<Out>::of(finish_fold(folded, target.finish, target.count));
}

/// The threads of a row of the block share a fold.
template <class Fold, class T, class Out, class A>
__global__ void fold_rows_kernel(FoldTarget target, const T* from, FoldGeometry geometry) {
  __shared__ A shared[warps_max];
  auto step = gridDim.x * int64_t{blockDim.y}, items = geometry.outs() * geometry.parts;
  // All threads of a block take part in each round, as they wait for each other.
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < items; base += step) {
    auto item = base + threadIdx.y;
    auto has_item = item < items;
    auto part = has_item ? item / geometry.outs() : 0, out = has_item ? item % geometry.outs() : 0;
    auto folded = fold_share<Fold, A>(
        from, geometry, out, part, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
    folded = join_lanes(folded, shared, [](A x, A y) { return Fold::join(x, y); });
    if (has_item && threadIdx.x == 0) put<Out>(target, item, folded);
  }
}

constexpr int columns = 32, shares = 8;

/// Neighbouring threads have neighbouring results, and those of a column of the block share a fold.
template <class Fold, class T, class Out, class A>
__global__ void fold_columns_kernel(FoldTarget target, const T* from, FoldGeometry geometry) {
  __shared__ A shared[shares][columns];
  auto blocks_across = (geometry.outs() + columns - 1) / columns;
  for (int64_t block = blockIdx.x; block < blocks_across * geometry.parts; block += gridDim.x) {
    auto part = block / blocks_across, out = block % blocks_across * columns + threadIdx.x;
    auto has_out = out < geometry.outs();
    auto folded = Fold::template none<A>();
    if (has_out)
      folded =
          fold_share<Fold, A>(from, geometry, out, part, static_cast<int>(threadIdx.y), shares);
    shared[threadIdx.y][threadIdx.x] = folded;
    __syncthreads();
    if (threadIdx.y == 0 && has_out) {
      for (int i = 1; i < shares; ++i) folded = Fold::join(folded, shared[i][threadIdx.x]);
      put<Out>(target, part * geometry.outs() + out, folded);
    }
    __syncthreads();
  }
}

template <class Fold, class T, class Out, class A>
void launch_pass(
    const FoldTarget& target, const T* from, const FoldGeometry& geometry, cudaStream_t stream) {
  if (geometry.folds_neighbours()) {
    auto threads = lanes_for(geometry.folds() / geometry.parts);
    start_kernel(
        stream, blocks_for(geometry.outs() * geometry.parts, threads.y), threads,
        fold_rows_kernel<Fold, T, Out, A>, target, from, geometry);
    return;
  }
  auto blocks_across = (geometry.outs() + columns - 1) / columns;
  start_kernel(
      stream, blocks_for(blocks_across * geometry.parts, 1), dim3(columns, shares),
      fold_columns_kernel<Fold, T, Out, A>, target, from, geometry);
}

/// What the results of parts are folded with: they are mapped already.
template <class Fold>
struct Joined : Fold {
  template <class A>
  TROUPE_BOTH static A map(A element) {
    return element;
  }
};

template <class Fold, class T>
void launch_fold(const FoldCall& call) {
  using A = Wide<T>;
  const auto& geometry = call.geometry;
  const auto* from = static_cast<const T*>(call.from);
  FoldTarget last{call.out, false, call.finish, call.count};
  if (geometry.parts == 1) return launch_pass<Fold, T, T, A>(last, from, geometry, call.stream);
  FoldTarget parts{call.partial, true, Finish::nothing, 0};
  launch_pass<Fold, T, T, A>(parts, from, geometry, call.stream);
  launch_pass<Joined<Fold>, A, T, A>(
      last, static_cast<const A*>(call.partial), geometry.of_parts(), call.stream);
}

#define TROUPE_FOLD_FLOATS(op, Fold)                     \
  {op, Element::float32, launch_fold<Fold, float>},      \
      {op, Element::float64, launch_fold<Fold, double>}, \
      {op, Element::float16, launch_fold<Fold, Half>}, { \
    op, Element::bfloat16, launch_fold<Fold, Brain>      \
  }
#define TROUPE_FOLD_NUMBERS(op, Fold)                                               \
  TROUPE_FOLD_FLOATS(op, Fold), {op, Element::int32, launch_fold<Fold, int32_t>}, { \
    op, Element::int64, launch_fold<Fold, int64_t>                                  \
  }

#define TROUPE_FOLD_COMPLEX(op, Fold)                       \
  {op, Element::complex64, launch_fold<Fold, Complex64>}, { \
    op, Element::complex128, launch_fold<Fold, Complex128>  \
  }

constexpr FoldEntry entries[] = {
    TROUPE_FOLD_NUMBERS("Sum", FoldSum),
    TROUPE_FOLD_COMPLEX("Sum", FoldSum),
    TROUPE_FOLD_FLOATS("SquareSum", FoldSquares),
    TROUPE_FOLD_NUMBERS("Prod", FoldProduct),
    TROUPE_FOLD_COMPLEX("Prod", FoldProduct),
    TROUPE_FOLD_NUMBERS("Max", FoldMaximum),
    TROUPE_FOLD_NUMBERS("Min", FoldMinimum),
    {"All", Element::boolean, launch_fold<FoldAll, bool>},
    {"Any", Element::boolean, launch_fold<FoldAny, bool>},
};

}  // namespace

std::span<const FoldEntry> fold_entries() { return entries; }

LaunchFold find_fold(std::string_view op, Element element) {
  for (const auto& entry : entries)
    if (entry.op == op && entry.element == element) return entry.launch;
  return nullptr;
}

}  // namespace troupe::cuda
