#include "troupe/devices/cuda/reduction/ranking.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/reduction/ranks.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// Rows that are sorted side by side in memory, each of `padded` elements, a power of 2.
struct SortedRows {
  int64_t rows, padded;
  const int32_t* unsorted;  // as RankCall has it

  __host__ __device__ int64_t elements() const { return rows * padded; }
  __host__ __device__ int64_t chunk() const {
    return padded < sorted_chunk ? padded : sorted_chunk;
  }
  __device__ bool are_in_order() const { return unsorted && *unsorted == 0; }
};

int64_t padded_length(int64_t length) {
  int64_t padded = 1;
  while (padded < length) padded *= 2;
  return padded;
}

template <class Ranked, class T>
__global__ void rank_kernel(Ranked* to, const T* from, int64_t length, SortedRows sorted) {
  if (sorted.are_in_order()) return;
  for (auto i = first_item(); i < sorted.elements(); i += item_step()) {
    auto row = i / sorted.padded, place = i % sorted.padded;
    to[i] = place < length ? Ranked::of(rank_key(widen(from[row * length + place])), place)
                           : Ranked::last();
  }
}

/// A block makes all steps of stages `from` to `to` whose pairs lie in one chunk.
template <class Ranked>
__global__ void sort_chunks_kernel(Ranked* ranked, SortedRows sorted, int64_t from, int64_t to) {
  __shared__ Ranked chunk[sorted_chunk];
  if (sorted.are_in_order()) return;
  auto size = sorted.chunk();
  for (int64_t at = blockIdx.x * size; at < sorted.elements(); at += gridDim.x * size) {
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) chunk[i] = ranked[at + i];
    for (auto stage = from; stage <= to; stage *= 2)
      for (auto distance = stage < size ? stage / 2 : size / 2; distance > 0; distance /= 2) {
        __syncthreads();
        BitonicStep step{stage, distance};
        for (int64_t i = threadIdx.x; i < size / 2; i += blockDim.x) {
          auto first = step.first_of(i);
          step.order(chunk[first], chunk[first + distance], (at + first) % sorted.padded);
        }
      }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) ranked[at + i] = chunk[i];
    __syncthreads();
  }
}

template <class Ranked>
__global__ void sort_step_kernel(Ranked* ranked, SortedRows sorted, BitonicStep step) {
  if (sorted.are_in_order()) return;
  for (auto i = first_item(); i < sorted.elements() / 2; i += item_step()) {
    auto first = step.first_of(i);
    step.order(ranked[first], ranked[first + step.distance], first % sorted.padded);
  }
}

template <class Ranked, class T>
__global__ void take_kernel(RankCall call, const Ranked* ranked, int64_t row, SortedRows sorted) {
  auto are_in_order = sorted.are_in_order();
  for (auto i = first_item(); i < sorted.rows * call.count; i += item_step()) {
    auto of_row = i / call.count, rank = call.first + i % call.count;
    auto place = are_in_order ? static_cast<int32_t>(rank)
                              : ranked[of_row * sorted.padded + rank].place();
    auto to = row * call.count + i;
    static_cast<T*>(call.values)[to] =
        static_cast<const T*>(call.from)[(row + of_row) * call.length + place];
    if (call.places) call.places[to] = place;
  }
}

template <class Ranked>
void sort(Ranked* ranked, const SortedRows& sorted, cudaStream_t stream) {
  auto chunk = sorted.chunk();
  auto sort_chunks = [&](int64_t from, int64_t to) {
    start_kernel(
        stream, blocks_for(sorted.elements(), chunk), block_threads, sort_chunks_kernel<Ranked>,
        ranked, sorted, from, to);
  };
  if (chunk > 1) sort_chunks(2, chunk);
  for (auto stage = chunk * 2; stage <= sorted.padded; stage *= 2) {
    for (auto distance = stage / 2; distance >= chunk; distance /= 2)
      start_kernel(
          stream, blocks_for(sorted.elements() / 2), block_threads, sort_step_kernel<Ranked>,
          ranked, sorted, BitonicStep{stage, distance});
    sort_chunks(stage, stage);
  }
}

template <class Ranked, class T>
void launch(const RankCall& call) {
  auto* ranked = static_cast<Ranked*>(call.scratch);
  for (int64_t row = 0; row < call.rows; row += call.rows_at_once) {
    auto left = call.rows - row;
    SortedRows sorted{
        left < call.rows_at_once ? left : call.rows_at_once, padded_length(call.length),
        call.unsorted};
    start_kernel(
        call.stream, blocks_for(sorted.elements()), block_threads, rank_kernel<Ranked, T>, ranked,
        static_cast<const T*>(call.from) + row * call.length, call.length, sorted);
    sort(ranked, sorted, call.stream);
    start_kernel(
        call.stream, blocks_for(sorted.rows * call.count), block_threads, take_kernel<Ranked, T>,
        call, ranked, row, sorted);
  }
}

template <class Ranked, class T>
Ranking ranking() {
  return {launch<Ranked, T>, sizeof(Ranked)};
}

__device__ bool is_finite(float x) { return x - x == 0.0f; }

__global__ void in_top_kernel(InTopCall call) {
  __shared__ int64_t shared[warps_max];
  auto step = gridDim.x * int64_t{blockDim.y};
  // All threads of a block take part in each round, as they wait for each other.
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < call.rows; base += step) {
    auto row = base + threadIdx.y;
    auto has_row = row < call.rows;
    int64_t target = -1;
    if (has_row)
      target = call.has_long_targets ? static_cast<const int64_t*>(call.targets)[row]
                                     : static_cast<const int32_t*>(call.targets)[row];
    auto has_target = target >= 0 && target < call.classes;
    const auto* of_row = call.predictions + (has_row ? row : 0) * call.classes;
    auto than = has_target ? of_row[target] : 0.0f;
    // An infinity or NaN counts as more than all classes.
    int64_t greater = 0;
    for (int64_t i = threadIdx.x; i < call.classes; i += blockDim.x)
      greater += is_finite(of_row[i]) ? of_row[i] > than : int64_t{1} << 40;
    greater = join_lanes(greater, shared, [](int64_t x, int64_t y) { return x + y; });
    if (has_row && threadIdx.x == 0)
      call.out[row] = has_target && greater <= call.classes && greater < call.k;
  }
}

}  // namespace

int64_t Ranking::row_bytes(int64_t length) const { return bytes * padded_length(length); }

Ranking find_ranking(Element element) {
  switch (element) {
    case Element::float32: return ranking<ShortRanked, float>();
    case Element::float64: return ranking<WideRanked, double>();
    case Element::float16: return ranking<ShortRanked, Half>();
    case Element::bfloat16: return ranking<ShortRanked, Brain>();
    case Element::int8: return ranking<ShortRanked, int8_t>();
    case Element::int16: return ranking<ShortRanked, int16_t>();
    case Element::int32: return ranking<ShortRanked, int32_t>();
    case Element::int64: return ranking<WideRanked, int64_t>();
    case Element::uint8: return ranking<ShortRanked, uint8_t>();
    case Element::uint16: return ranking<ShortRanked, uint16_t>();
    case Element::uint32: return ranking<ShortRanked, uint32_t>();
    case Element::uint64: return ranking<WideRanked, uint64_t>();
    default: return {};
  }
}

void launch_in_top(const InTopCall& call) {
  auto threads = lanes_for(call.classes);
  start_kernel(call.stream, blocks_for(call.rows, threads.y), threads, in_top_kernel, call);
}

}  // namespace troupe::cuda
