#include "troupe/devices/cuda/sparse/sparse_dense.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ int64_t index_at(const EntryPlaces& places, int64_t entry, int axis) {
  auto at = entry * places.slices.depth + axis;
  return places.has_long_indices ? static_cast<const int64_t*>(places.indices)[at]
                                 : static_cast<const int32_t*>(places.indices)[at];
}

__device__ bool lies_inside(const EntryPlaces& places, int64_t entry) {
  for (int axis = 0; axis < places.slices.depth; ++axis) {
    auto index = index_at(places, entry, axis);
    if (index < 0 || index >= places.slices.sizes[axis]) return false;
  }
  return true;
}

/// Whether an entry, which is not the first one, comes after the one before.
__device__ bool is_behind(const EntryPlaces& places, int64_t entry) {
  for (int axis = 0; axis < places.slices.depth; ++axis) {
    auto before = index_at(places, entry - 1, axis), index = index_at(places, entry, axis);
    if (before != index) return before < index;
  }
  return false;
}

/// Of numbers without a sign, -1 is the greatest.
__device__ void note_first(int64_t* first, int64_t entry) {
  atomicMin(reinterpret_cast<unsigned long long*>(first), static_cast<unsigned long long>(entry));
}

__global__ void check_places_kernel(CheckPlacesCall call) {
  for (auto i = first_item(); i < call.places.slices.count; i += item_step()) {
    if (!lies_inside(call.places, i)) note_first(&call.answer[0], i);
    if (i > 0 && !is_behind(call.places, i)) note_first(&call.answer[1], i);
  }
}

/// One thread adds the indices of what was found.
__global__ void show_places_kernel(CheckPlacesCall call) {
  auto depth = call.places.slices.depth;
  auto outside = call.answer[0], unordered = call.answer[1];
  auto* to = call.answer + 2;
  for (int axis = 0; axis < depth; ++axis) {
    to[axis] = outside >= 0 ? index_at(call.places, outside, axis) : 0;
    to[depth + axis] = unordered >= 0 ? index_at(call.places, unordered, axis) : 0;
    to[2 * depth + axis] = unordered >= 0 ? index_at(call.places, unordered - 1, axis) : 0;
  }
}

__global__ void product_keys_kernel(ProductKeysCall call) {
  auto key_of = [&](int64_t entry) {
    auto row = index_at(call.places, entry, call.is_adjoint ? 1 : 0);
    return lies_inside(call.places, entry) ? static_cast<int32_t>(call.rows - 1 - row) : -1;
  };
  for (auto i = first_item(); i < call.places.slices.count; i += item_step()) {
    call.keys[i] = key_of(i);
    if (i > 0 && key_of(i - 1) < call.keys[i]) *call.unsorted = 1;
  }
}

/// Sets begins[i] to the number of entries whose keys are greater than i - 1: those of a key lie
/// from begins[key + 1] on to before begins[key].
__global__ void begins_kernel(SparseProductCall call) {
  for (auto i = first_item(); i <= call.rows; i += item_step()) {
    int64_t begin = 0, left = call.places.slices.count;
    while (left > 0) {
      auto half = left / 2;
      auto goes_on = call.keys[begin + half] >= i;
      begin = goes_on ? begin + half + 1 : begin;
      left = goes_on ? left - half - 1 : half;
    }
    call.begins[i] = static_cast<int32_t>(begin);
  }
}

template <class A>
__device__ A conjugate_if(A value, bool is_conjugated) {
  if constexpr (is_complex<A>) return is_conjugated ? conj(value) : value;
  else return value;
}

/// A thread adds up an element of the product, entry by entry; neighbours have neighbouring
/// columns.
template <class T>
__global__ void product_kernel(SparseProductCall call) {
  using A = Wide<T>;
  const auto* values = static_cast<const T*>(call.values);
  const auto* b = static_cast<const T*>(call.b);
  for (auto i = first_item(); i < call.rows * call.columns; i += item_step()) {
    auto key = call.rows - 1 - i / call.columns, column = i % call.columns;
    auto sum = FoldSum::none<A>();
    for (auto at = call.begins[key + 1]; at < call.begins[key]; ++at) {
      auto entry = call.order[at];
      auto k = index_at(call.places, entry, call.is_a_adjoint ? 0 : 1);
      auto from = call.is_b_adjoint ? column * call.inner + k : k * call.columns + column;
      sum = FoldSum::join(
          sum, FoldProduct::join(
                   conjugate_if(widen(values[entry]), call.is_a_adjoint),
                   conjugate_if(widen(b[from]), call.is_b_adjoint)));
    }
    static_cast<T*>(call.out)[i] = Narrow<T>::of(sum);
  }
}

template <class T>
void product(const SparseProductCall& call) {
  start_kernel(call.stream, blocks_for(call.rows + 1), block_threads, begins_kernel, call);
  start_kernel(
      call.stream, blocks_for(call.rows * call.columns), block_threads, product_kernel<T>, call);
}

}  // namespace

void launch_check_places(const CheckPlacesCall& call) {
  start_kernel(
      call.stream, blocks_for(call.places.slices.count), block_threads, check_places_kernel, call);
  start_kernel(call.stream, 1, 1, show_places_kernel, call);
}

void launch_product_keys(const ProductKeysCall& call) {
  start_kernel(
      call.stream, blocks_for(call.places.slices.count), block_threads, product_keys_kernel, call);
}

LaunchSparseProduct find_sparse_product(Element element) {
  return choose<LaunchSparseProduct>(
      NumericElements{}, element, [](auto zero) { return product<decltype(zero)>; });
}

}  // namespace troupe::cuda
