#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/index/rows.hpp"

namespace troupe::cuda {

/// The places of a sparse tensor's entries: `slices.count` vectors of `slices.depth` indices.
struct EntryPlaces {
  const void* indices;
  bool has_long_indices;
  NamedSlices slices;
};

/// What may be wrong with places: the number of the first that does not lie in the tensor, and of
/// the first that does not come after the one before; -1 where there is none. Behind them lie their
/// indices, and those before the second one: so many in all.
inline int64_t check_answer_size(int depth) { return 2 + 3 * int64_t{depth}; }
struct CheckPlacesCall {
  int64_t* answer;  // both numbers are -1 before
  EntryPlaces places;
  cudaStream_t stream;
};
void launch_check_places(const CheckPlacesCall& call);

/// Sets each key to the number of rows of the product that are behind the one to which an entry of
/// the sparse matrix adds, or to -1 where one of its indices does not lie in the matrix. Keys of
/// entries in their usual order descend.
struct ProductKeysCall {
  int32_t* keys;
  int32_t* unsorted;  // 0 before; set where keys do not descend
  EntryPlaces places;
  int64_t rows;
  bool is_adjoint;
  cudaStream_t stream;
};
void launch_product_keys(const ProductKeysCall& call);

/// The product of a sparse and a dense matrix. The entries are sorted by descending keys, and
/// `order` has their numbers: a sum follows it.
struct SparseProductCall {
  void* out;  // [rows, columns]
  EntryPlaces places;
  const void* values;
  const void* b;  // [inner, columns], or [columns, inner] where it is adjoint
  int64_t rows, inner, columns;
  bool is_a_adjoint, is_b_adjoint;
  const int32_t* keys;
  const int32_t* order;
  int32_t* begins;  // memory for a number of each row, and one more
  cudaStream_t stream;
};
using LaunchSparseProduct = void (*)(const SparseProductCall& call);
/// Null where there is none.
LaunchSparseProduct find_sparse_product(Element element);

}  // namespace troupe::cuda
