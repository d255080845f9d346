#include "troupe/devices/cuda/image/non_max_suppression.hpp"

#include "troupe/devices/cpu/image/box_overlap.hpp"
#include "troupe/devices/cuda/image/side_product.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

constexpr int word_bits = 64;
/// The threads that share the comparisons of a box with those that are selected.
constexpr int64_t compare_shares = 16;

/// Boxes `first` to before first + rows by their ranks.
struct Chunk {
  int64_t first, rows;
};

__device__ int lowest_bit(uint64_t word) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}
__device__ int count_bits(uint64_t word) {
#ifdef __CUDA_ARCH__
  return __popcll(word);
#else
  return __builtin_popcountll(word);
#endif
}
__device__ bool has_bit(uint64_t word, int64_t bit) { return word >> bit & 1; }
/// Those before a bit.
__device__ uint64_t bits_before(int64_t bit) {
  return bit < word_bits ? (uint64_t{1} << bit) - 1 : ~uint64_t{0};
}

/// Whether a box is not selected, as one is that it overlaps so far. NaN would make its score NaN,
/// and so would an infinite overlap.
__device__ bool is_too_far(const SuppressionCall& call, float overlap) {
  return overlap >= call.threshold || !(overlap - overlap == 0);
}
__device__ bool removes(const SuppressionCall& call, const float* selected, const float* box) {
  return is_too_far(call, cpu::box_overlap(box, selected, SideProduct()));
}
/// The same of given overlaps, by the boxes' numbers.
__device__ bool removes(const SuppressionCall& call, int32_t selected, int32_t box) {
  return is_too_far(call, static_cast<const float*>(call.boxes)[box * call.count + selected]);
}

/// Whether none of the chunk is selected any more.
__device__ bool is_done(const SuppressionCall& call, const Chunk& chunk) {
  return *call.candidates <= chunk.first || *call.found >= call.most;
}

template <class T>
__global__ void rank_kernel(SuppressionCall call) {
  const auto* boxes = static_cast<const T*>(call.boxes);
  const auto* scores = static_cast<const T*>(call.scores);
  auto is_candidate = [&](int64_t rank) {
    return rank < call.count && widen(scores[call.order[rank]]) > call.score_threshold;
  };
  for (auto rank = first_item(); rank < call.count; rank += item_step()) {
    const auto* box = boxes + 4 * int64_t{call.order[rank]};
    for (int i = 0; i < 4 && !call.has_overlaps; ++i) call.ranked[4 * rank + i] = widen(box[i]);
    if (is_candidate(rank) && !is_candidate(rank + 1))
      *call.candidates = static_cast<int32_t>(rank + 1);
  }
}

/// Finds those of the chunk that boxes of the chunks before remove.
__global__ void compare_kernel(SuppressionCall call, Chunk chunk) {
  if (is_done(call, chunk)) return;
  int64_t selected = *call.found;
  for (auto item = first_item(); item < chunk.rows * compare_shares; item += item_step()) {
    auto row = item % chunk.rows, rank = chunk.first + row;
    auto is_removed = false;
    for (auto i = item / chunk.rows; i < selected && !is_removed; i += compare_shares)
      is_removed = call.has_overlaps ? removes(call, call.selected[i], call.order[rank])
                                     : removes(call, call.chosen + 4 * i, call.ranked + 4 * rank);
    if (is_removed) call.removed[row] = 1;
  }
}

/// A block of 64 threads compares 64 boxes with as many, of which none comes before the first.
__global__ void pairs_kernel(SuppressionCall call, Chunk chunk, int64_t blocks) {
  __shared__ float columns[4 * word_bits];
  if (is_done(call, chunk)) return;
  for (int64_t tile = blockIdx.x; tile < blocks * blocks; tile += gridDim.x) {
    auto of_row = tile / blocks, of_column = tile % blocks;
    if (of_column < of_row) continue;
    auto row = of_row * word_bits + threadIdx.x, first_column = of_column * word_bits;
    auto columns_left = chunk.rows - first_column;
    __syncthreads();  // after what was last read from there
    for (int i = 0; i < 4; ++i)
      if (threadIdx.x < columns_left)
        columns[4 * threadIdx.x + i] =
            call.ranked[4 * (chunk.first + first_column + threadIdx.x) + i];
    __syncthreads();
    if (row >= chunk.rows) continue;
    const auto* box = call.ranked + 4 * (chunk.first + row);
    const float own[4] = {box[0], box[1], box[2], box[3]};
    uint64_t word = 0;
    for (int i = 0; i < word_bits && i < columns_left; ++i)
      if (first_column + i > row && removes(call, own, columns + 4 * i)) word |= uint64_t{1} << i;
    call.removes[row * suppression_words + of_column] = word;
  }
}

/// As pairs_kernel(), of given overlaps: a thread sets a word.
__global__ void overlapping_pairs_kernel(SuppressionCall call, Chunk chunk, int64_t blocks) {
  if (is_done(call, chunk)) return;
  const auto* order = call.order + chunk.first;
  for (auto item = first_item(); item < chunk.rows * blocks; item += item_step()) {
    auto row = item % chunk.rows, of_column = item / chunk.rows;
    uint64_t word = 0;
    for (int i = 0; i < word_bits; ++i) {
      auto column = of_column * word_bits + i;
      if (column > row && column < chunk.rows && removes(call, order[row], order[column]))
        word |= uint64_t{1} << i;
    }
    call.removes[row * suppression_words + of_column] = word;
  }
}

/// Of 64 boxes, those that are selected: `removed` are not, nor those that selected ones remove.
__device__ uint64_t select_of_word(uint64_t removed, const uint64_t* removes, int64_t most) {
  uint64_t selected = 0;
  for (auto left = ~removed; left != 0 && most > 0; --most) {
    auto i = lowest_bit(left);
    selected |= uint64_t{1} << i;
    left &= ~(removes[i] | uint64_t{1} << i);
  }
  return selected;
}

/// One block selects the boxes of a chunk in their order, 64 by 64; thread i knows of 64 whether
/// they are removed.
__global__ void select_kernel(SuppressionCall call, Chunk chunk) {
  __shared__ uint64_t removed[suppression_words], of_word[word_bits], selected;
  if (is_done(call, chunk)) return;
  int64_t thread = threadIdx.x, found = *call.found, left = *call.candidates - chunk.first;
  auto rows = left < chunk.rows ? left : chunk.rows;
  uint64_t own = 0;
  for (int i = 0; i < word_bits; ++i)
    if (auto row = thread * word_bits + i; row >= rows || call.removed[row])
      own |= uint64_t{1} << i;
  removed[thread] = own;
  for (int64_t word = 0; word * word_bits < rows && found < call.most; ++word) {
    auto row = word * word_bits + thread;
    of_word[thread] = row < rows ? call.removes[row * suppression_words + word] : 0;
    __syncthreads();
    if (thread == 0) selected = select_of_word(removed[word], of_word, call.most - found);
    __syncthreads();
    if (has_bit(selected, thread)) {
      auto to = found + count_bits(selected & bits_before(thread)), rank = chunk.first + row;
      call.selected[to] = call.order[rank];
      for (int i = 0; i < 4 && !call.has_overlaps; ++i)
        call.chosen[4 * to + i] = call.ranked[4 * rank + i];
    }
#pragma unroll 8
    for (int i = 0; i < word_bits; ++i)
      if (thread > word && has_bit(selected, i))
        removed[thread] |= call.removes[(word * word_bits + i) * suppression_words + thread];
    found += count_bits(selected);
  }
  __syncthreads();  // after all have read how many were found before
  if (thread == 0) *call.found = static_cast<int32_t>(found);
  for (auto row = thread; row < suppression_chunk; row += blockDim.x) call.removed[row] = 0;
}

template <class T>
__global__ void selected_scores_kernel(SelectedScoresCall call) {
  for (auto i = first_item(); i < call.most && i < *call.found; i += item_step())
    static_cast<T*>(call.to)[i] = static_cast<const T*>(call.scores)[call.selected[i]];
}

template <class T>
void set_selected_scores(const SelectedScoresCall& call) {
  start_kernel(call.stream, blocks_for(call.most), block_threads, selected_scores_kernel<T>, call);
}

template <class T>
void suppress(const SuppressionCall& call) {
  auto start = [&](int64_t blocks, int threads, auto kernel, const auto&... arguments) {
    start_kernel(call.stream, static_cast<unsigned>(blocks), threads, kernel, call, arguments...);
  };
  start(blocks_for(call.count), block_threads, rank_kernel<T>);
  for (int64_t first = 0; first < call.count; first += suppression_chunk) {
    auto left = call.count - first;
    Chunk chunk{first, left < suppression_chunk ? left : suppression_chunk};
    auto blocks = (chunk.rows + word_bits - 1) / word_bits;
    if (first > 0)
      start(blocks_for(chunk.rows * compare_shares), block_threads, compare_kernel, chunk);
    if (call.has_overlaps)
      start(
          blocks_for(chunk.rows * blocks), block_threads, overlapping_pairs_kernel, chunk, blocks);
    else start(blocks_for(blocks * blocks, 1), word_bits, pairs_kernel, chunk, blocks);
    start(1, static_cast<int>(suppression_words), select_kernel, chunk);
  }
}

}  // namespace

LaunchSuppression find_suppression(Element element) {
  return choose<LaunchSuppression>(
      Elements<float, Half>{}, element, [](auto zero) { return suppress<decltype(zero)>; });
}

LaunchSelectedScores find_selected_scores(Element element) {
  return choose<LaunchSelectedScores>(Elements<float, Half>{}, element, [](auto zero) {
    return set_selected_scores<decltype(zero)>;
  });
}

}  // namespace troupe::cuda
