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
    result = all = first;
    for (unsigned i = 0; i < threads; ++i) {
      if (i == threadIdx.x) result = all;
      all = join(all, values_[i]);
    }
  }

 private:
  T* values_;
};

}  // namespace cub
