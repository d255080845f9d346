#include "troupe/devices/cuda/indexing/unique.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/indexing/flag_numbers.cuh"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// NaN equals nothing.
template <class T>
__global__ void runs_kernel(UniqueCall call) {
  const auto* sorted = static_cast<const T*>(call.sorted);
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto begins = i == 0 || !(widen(sorted[i]) == widen(sorted[i - 1]));
    call.begins[i] = begins;
    call.is_first[call.places[i]] = begins;
  }
}

__global__ void starts_kernel(UniqueNumbersCall call) {
  const auto& unique = call.unique;
  number_flags(unique.begins, call.begins_before, unique.count, [&](int64_t i, int64_t run) {
    if (unique.begins[i]) call.run_starts[run] = i;
    if (i == 0) call.run_starts[call.begins_before[flag_blocks(unique.count)]] = unique.count;
  });
}

__global__ void ranks_kernel(UniqueNumbersCall call) {
  number_flags(
      call.unique.is_first, call.first_before, call.unique.count,
      [&](int64_t i, int64_t rank) { call.first_ranks[i] = rank; });
}

/// The rank of the first element of a run.
__device__ int64_t rank_of_run(const UniqueNumbersCall& call, int64_t run) {
  return call.first_ranks[call.unique.places[call.run_starts[run]]];
}

__global__ void which_kernel(UniqueNumbersCall call) {
  const auto& unique = call.unique;
  number_flags(unique.begins, call.begins_before, unique.count, [&](int64_t i, int64_t before) {
    auto run = unique.begins[i] ? before : before - 1;
    set_int(call.which, call.is_long, unique.places[i], rank_of_run(call, run));
  });
}

template <class C>
__global__ void values_kernel(UniqueValuesCall call) {
  const auto& unique = call.numbers.unique;
  for (auto i = first_item(); i < unique.count; i += item_step())
    if (unique.is_first[i])
      static_cast<C*>(call.values)[call.numbers.first_ranks[i]] =
          static_cast<const C*>(unique.x)[i];
}

__global__ void counts_kernel(UniqueValuesCall call) {
  const auto& numbers = call.numbers;
  auto runs = numbers.begins_before[flag_blocks(numbers.unique.count)];
  for (auto run = first_item(); run < runs; run += item_step())
    set_int(
        call.counts, numbers.is_long, rank_of_run(numbers, run),
        numbers.run_starts[run + 1] - numbers.run_starts[run]);
}

template <class T>
void launch_runs(const UniqueCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, runs_kernel<T>, call);
}

}  // namespace

LaunchFindRuns find_runs(Element element) {
  return choose<LaunchFindRuns>(
      RealElements{}, element, [](auto zero) { return launch_runs<decltype(zero)>; });
}

void launch_unique_numbers(const UniqueNumbersCall& call) {
  auto blocks = blocks_for(flag_blocks(call.unique.count), 1);
  for (auto kernel : {starts_kernel, ranks_kernel, which_kernel})
    start_kernel(call.unique.stream, blocks, block_threads, kernel, call);
}

void launch_unique_values(const UniqueValuesCall& call) {
  const auto& unique = call.numbers.unique;
  auto blocks = blocks_for(unique.count);
  with_cell(call.size, [&](auto cell) {
    start_kernel(unique.stream, blocks, block_threads, values_kernel<decltype(cell)>, call);
  });
  if (call.counts) start_kernel(unique.stream, blocks, block_threads, counts_kernel, call);
}

}  // namespace troupe::cuda
