#pragma once

#include <cuda_runtime.h>

namespace cub {

/// As CUB's, for blocks of one row: who uses the storage again waits for the block before.
template <class T, int threads>
class BlockScan {
 public:
  struct TempStorage {
    T values[threads];
  };

  explicit BlockScan(TempStorage& storage) : values_(storage.values) {}

  template <class Join>
  void ExclusiveScan(T value, T& result, T first, Join join, T& all) {
    values_[threadIdx.x] = value;
    __syncthreads();
    result = first;
    for (unsigned i = 0; i < threadIdx.x; ++i) result = join(result, values_[i]);
    all = values_[0];  // without the first value
    for (unsigned i = 1; i < threads; ++i) all = join(all, values_[i]);
  }

 private:
  T* values_;
};

}  // namespace cub
