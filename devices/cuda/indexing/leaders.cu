#include "troupe/devices/cuda/indexing/leaders.hpp"

#include "troupe/devices/cuda/indexing/flag_numbers.cuh"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

using HashedElements = Elements<
    float, double, Half, Brain, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
    uint64_t, Complex64, Complex128>;

/// Of fewer elements a thread makes the hash alone.
constexpr int64_t lanes_least = 32;

/// Of a 64-bit number, by its place among others (the mixer of G. Steele, D. Lea and C. Flood, Fast
/// splittable pseudorandom number generators, 2014).
__device__ uint64_t mix(uint64_t number, int64_t place) {
  auto z = number + static_cast<uint64_t>(place + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// Equal for equal numbers.
template <class A>
__device__ uint64_t bits_of(A value) {
  // The sum of -0 and 0 is 0.
  if constexpr (is_floating<A>) return bits_as<uint64_t>(static_cast<double>(value) + 0.0);
  else return static_cast<uint64_t>(value);
}
template <class R>
__device__ uint64_t bits_of(complex_numbers::Complex<R> value) {
  return mix(bits_of(value.real), 0) + bits_of(value.imag);
}

/// The part that element `k` of a slice has in its hash: their sum, in any order.
template <class T>
__device__ uint64_t hash_part(const LeadersCall& call, int64_t slice, int64_t k) {
  const auto& axis = call.axis;
  auto at = (k / axis.inner * axis.count + slice) * axis.inner + k % axis.inner;
  auto value = widen(static_cast<const T*>(call.x)[at]);
  // Slices with a NaN have hashes of their own, so that no run of equal ones is of many of them.
  return mix(value == value ? bits_of(value) : static_cast<uint64_t>(slice), k);
}

__device__ void set_hash(const LeadersCall& call, int64_t slice, uint64_t hash) {
#ifdef TROUPE_CUDA_HASHES
  hash %= TROUPE_CUDA_HASHES;
#endif
  call.hashes[slice] = hash;
}

template <class T>
__global__ void hash_kernel(LeadersCall call) {
  auto size = call.axis.outer * call.axis.inner;
  for (auto slice = first_item(); slice < call.axis.count; slice += item_step()) {
    uint64_t hash = 0;
    for (int64_t k = 0; k < size; ++k) hash += hash_part<T>(call, slice, k);
    set_hash(call, slice, hash);
  }
}

/// The threads of a row of a block share the elements of a slice.
template <class T>
__global__ void hash_in_lanes_kernel(LeadersCall call) {
  __shared__ uint64_t shared[warps_max];
  auto size = call.axis.outer * call.axis.inner;
  auto step = gridDim.x * int64_t{blockDim.y};
  // All threads of a block take part in each round, as they wait for each other.
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < call.axis.count; base += step) {
    auto slice = base + threadIdx.y;
    auto has_slice = slice < call.axis.count;
    uint64_t hash = 0;
    for (int64_t k = threadIdx.x; has_slice && k < size; k += blockDim.x)
      hash += hash_part<T>(call, slice, k);
    hash = join_lanes(hash, shared, [](uint64_t x, uint64_t y) { return x + y; });
    if (has_slice && threadIdx.x == 0) set_hash(call, slice, hash);
  }
}

__global__ void run_starts_kernel(LeadersCall call) {
  number_flags(call.begins, call.begins_before, call.axis.count, [&](int64_t i, int64_t run) {
    if (call.begins[i]) call.run_starts[run] = i;
  });
}

/// The first place of the run of hash `i`; `before`: runs that begin before it.
__device__ int64_t start_of_run(const LeadersCall& call, int64_t i, int64_t before) {
  return call.run_starts[call.begins[i] ? before : before - 1];
}

__global__ void lead_runs_kernel(LeadersCall call) {
  number_flags(call.begins, call.begins_before, call.axis.count, [&](int64_t i, int64_t before) {
    call.leaders[call.places[i]] = call.places[start_of_run(call, i, before)];
  });
}

/// Compares all elements with those of the first slice of the run.
template <class T>
__global__ void compare_kernel(LeadersCall call) {
  const auto& axis = call.axis;
  const auto* x = static_cast<const T*>(call.x);
  for (auto i = first_item(); i < axis.outer * axis.count * axis.inner; i += item_step()) {
    auto slice = i / axis.inner % axis.count;
    auto leader = int64_t{call.leaders[slice]};
    // Whatever thread writes, it writes the same.
    if (leader != slice && !(widen(x[i]) == widen(x[i + (leader - slice) * axis.inner])))
      call.differs[slice] = true;
  }
}

template <class T>
__device__ bool are_equal(const LeadersCall& call, int64_t slice, int64_t other) {
  const auto& axis = call.axis;
  const auto* x = static_cast<const T*>(call.x);
  for (int64_t k = 0; k < axis.outer * axis.inner; ++k) {
    auto piece = k / axis.inner * axis.count, rest = k % axis.inner;
    if (!(widen(x[(piece + slice) * axis.inner + rest]) ==
          widen(x[(piece + other) * axis.inner + rest])))
      return false;
  }
  return true;
}

/// Other slices may have the same hash by chance: a slice that differs from the first one of its
/// run is compared with those between them.
template <class T>
__global__ void settle_kernel(LeadersCall call) {
  number_flags(call.begins, call.begins_before, call.axis.count, [&](int64_t i, int64_t before) {
    auto slice = call.places[i], leader = call.leaders[slice];
    if (call.differs[slice]) {
      auto at = start_of_run(call, i, before) + 1;
      while (at < i && !are_equal<T>(call, slice, call.places[at])) ++at;
      leader = call.places[at];
      call.leaders[slice] = leader;
    }
    call.is_first[slice] = leader == slice;
  });
}

template <class T>
void launch_hash(const LeadersCall& call) {
  const auto& axis = call.axis;
  if (axis.size() < lanes_least)
    return start_kernel(
        call.stream, blocks_for(axis.count), block_threads, hash_kernel<T>, call);
  auto threads = lanes_for(axis.size());
  start_kernel(
      call.stream, blocks_for(axis.count, threads.y), threads, hash_in_lanes_kernel<T>, call);
}

template <class T>
void launch_lead(const LeadersCall& call) {
  auto flags = blocks_for(flag_blocks(call.axis.count), 1);
  start_kernel(call.stream, flags, block_threads, run_starts_kernel, call);
  start_kernel(call.stream, flags, block_threads, lead_runs_kernel, call);
  start_kernel(
      call.stream, blocks_for(call.axis.size() * call.axis.count), block_threads,
      compare_kernel<T>, call);
  start_kernel(call.stream, flags, block_threads, settle_kernel<T>, call);
}

__global__ void distinct_ranks_kernel(DistinctCall call) {
  number_flags(call.is_first, call.first_before, call.count, [&](int64_t i, int64_t rank) {
    call.ranks[i] = rank;
    if (call.is_first[i]) call.firsts[rank] = i;
  });
}

__global__ void distinct_which_kernel(DistinctCall call) {
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto rank = call.ranks[call.leaders[i]];
    set_int(call.which, call.is_long, i, rank);
    if (!call.counts) continue;
    if (call.is_long) atomicAdd(static_cast<unsigned long long*>(call.counts) + rank, 1ull);
    else atomicAdd(static_cast<int32_t*>(call.counts) + rank, 1);
  }
}

}  // namespace

LeadersKernels find_leaders_kernels(Element element) {
  if (element == Element::boolean) element = Element::uint8;
  using Launch = void (*)(const LeadersCall&);
  return {
      choose<Launch>(
          HashedElements{}, element, [](auto zero) { return launch_hash<decltype(zero)>; }),
      choose<Launch>(
          HashedElements{}, element, [](auto zero) { return launch_lead<decltype(zero)>; })};
}

void launch_distinct(const DistinctCall& call) {
  start_kernel(
      call.stream, blocks_for(flag_blocks(call.count), 1), block_threads, distinct_ranks_kernel,
      call);
  start_kernel(call.stream, blocks_for(call.count), block_threads, distinct_which_kernel, call);
}

}  // namespace troupe::cuda
