#include "troupe/devices/cuda/linalg/dense/pivots.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/linalg/dense/scalars.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

constexpr int threads = matrix_columns * matrix_rows;

__device__ int block_thread() { return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); }

/// Of one matrix, column by column: what a column contributes is subtracted from those behind it.
template <class T>
__device__ bool factor_cholesky(T* matrix, int size, T* column) {
  for (int k = 0; k < size; ++k) {
    auto pivot = real_part(matrix[k * size + k]);
    if (pivot <= 0) return false;  // all threads have read it
    auto root = sqrt(pivot);
    for (int i = k + 1 + block_thread(); i < size; i += threads)
      column[i] = divided(matrix[i * size + k], root);
    __syncthreads();
    if (block_thread() == 0) matrix[k * size + k] = T(root);
    for (int i = k + 1 + static_cast<int>(threadIdx.y); i < size; i += matrix_rows) {
      if (threadIdx.x == 0) matrix[i * size + k] = column[i];
      for (int j = k + 1 + static_cast<int>(threadIdx.x); j <= i; j += matrix_columns)
        matrix[i * size + j] = matrix[i * size + j] - column[i] * conjugate(column[j]);
    }
    __syncthreads();
  }
  return true;
}

template <class T>
__global__ void cholesky_kernel(T* matrices, int32_t* faults, int64_t count, int size) {
  __shared__ T column[block_matrix_max];
  for (int64_t index = blockIdx.x; index < count; index += gridDim.x) {
    bool is_made = factor_cholesky(matrices + index * size * size, size, column);
    if (block_thread() == 0) faults[index] = !is_made;
  }
}

/// The row from `k` on with the greatest number in column k: the first of several. The lanes of a
/// warp call it.
template <class T>
__device__ int find_pivot(const T* matrix, int size, int k) {
  Real<T> greatest = -1;
  int place = k;
  for (int i = k + static_cast<int>(threadIdx.x); i < size; i += matrix_columns) {
    auto found = size_of_number(matrix[i * size + k]);
    if (found > greatest) {
      greatest = found;
      place = i;
    }
  }
  for (int distance = matrix_columns / 2; distance > 0; distance /= 2) {
    auto other = __shfl_xor_sync(0xffffffff, greatest, distance);
    auto other_place = __shfl_xor_sync(0xffffffff, place, distance);
    if (other > greatest || (other == greatest && other_place < place)) {
      greatest = other;
      place = other_place;
    }
  }
  return place;
}

/// Of one matrix; `column` and `pivot_row` are shared by the block's threads.
template <class T>
__device__ void factor_pivots(
    T* matrix, int32_t* rows, int32_t* sign, int size, T* column, int& pivot_row) {
  auto thread = block_thread();
  for (int i = thread; i < size; i += threads) rows[i] = i;
  if (thread == 0) *sign = 1;
  for (int k = 0; k < size; ++k) {
    if (threadIdx.y == 0) {
      auto found = find_pivot(matrix, size, k);
      if (threadIdx.x == 0) pivot_row = found;
    }
    __syncthreads();
    auto pivot = pivot_row;
    if (pivot != k) {
      for (int j = thread; j < size; j += threads) {
        auto moved = matrix[k * size + j];
        matrix[k * size + j] = matrix[pivot * size + j];
        matrix[pivot * size + j] = moved;
      }
      if (thread == 0) {
        auto moved = rows[k];
        rows[k] = rows[pivot];
        rows[pivot] = moved;
        *sign = -*sign;
      }
      __syncthreads();
    }
    auto divisor = matrix[k * size + k];
    // Where it is 0, so is all below it.
    for (int i = k + 1 + thread; i < size; i += threads)
      column[i] = divisor == T(0) ? T(0) : matrix[i * size + k] / divisor;
    __syncthreads();
    for (int i = k + 1 + static_cast<int>(threadIdx.y); i < size; i += matrix_rows) {
      if (threadIdx.x == 0) matrix[i * size + k] = column[i];
      for (int j = k + 1 + static_cast<int>(threadIdx.x); j < size; j += matrix_columns)
        matrix[i * size + j] = matrix[i * size + j] - column[i] * matrix[k * size + j];
    }
    __syncthreads();
  }
}

template <class T>
__global__ void pivots_kernel(PivotMemory memory, int64_t count, int size) {
  __shared__ T column[block_matrix_max];
  __shared__ int pivot_row;
  for (int64_t index = blockIdx.x; index < count; index += gridDim.x)
    factor_pivots(
        static_cast<T*>(memory.factors) + index * size * size, memory.rows + index * size,
        memory.signs + index, size, column, pivot_row);
}

__global__ void exchanges_kernel(
    PivotMemory memory, const int64_t* exchanges, int64_t count, int64_t size) {
  for (auto index = first_item(); index < count; index += item_step()) {
    auto* rows = memory.rows + index * size;
    int32_t sign = 1;
    for (int64_t i = 0; i < size; ++i) rows[i] = static_cast<int32_t>(i);
    for (int64_t i = 0; i < size; ++i) {
      auto other = exchanges[index * size + i] - 1;
      if (other == i) continue;
      auto moved = rows[i];
      rows[i] = rows[other];
      rows[other] = moved;
      sign = -sign;
    }
    memory.signs[index] = sign;
  }
}

template <class T>
__global__ void take_rows_kernel(
    T* to, const T* from, const int32_t* rows, int64_t elements, int64_t size, int64_t columns) {
  for (auto at = first_item(); at < elements; at += item_step()) {
    auto row = at / columns, column = at % columns, taken = int64_t{rows[row]};
    if (from) to[at] = from[(row / size * size + taken) * columns + column];
    else to[at] = T(taken == column ? 1 : 0);
  }
}

template <class T>
__global__ void determinants_kernel(
    T* determinants, T* logarithms, PivotMemory memory, int64_t count, int64_t size) {
  using Wide = WideNumber<T>;
  for (auto index = first_item(); index < count; index += item_step()) {
    const auto* factors = static_cast<const T*>(memory.factors) + index * size * size;
    Wide product(memory.signs ? memory.signs[index] : 1);  // none: matrices are empty
    double logarithm = 0;
    for (int64_t i = 0; i < size; ++i) {
      auto pivot = Narrow<Wide>::of(factors[i * (size + 1)]);
      if (logarithms) {
        auto magnitude = size_of_number(pivot);
        logarithm += ::log(magnitude);
        if (magnitude != 0) pivot = divided(pivot, magnitude);
      }
      product = product * pivot;
    }
    determinants[index] = Narrow<T>::of(product);
    if (logarithms) logarithms[index] = T(static_cast<Real<T>>(logarithm));
  }
}

template <class T>
void find_cholesky(
    void* matrices, int32_t* faults, int64_t count, int64_t size, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count, 1), dim3(matrix_columns, matrix_rows), cholesky_kernel<T>,
      static_cast<T*>(matrices), faults, count, static_cast<int>(size));
}

template <class T>
void find_pivots(const PivotMemory& memory, int64_t count, int64_t size, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count, 1), dim3(matrix_columns, matrix_rows), pivots_kernel<T>, memory,
      count, static_cast<int>(size));
}

template <class T>
void take_rows(
    void* to, const void* from, const int32_t* rows, int64_t count, int64_t size, int64_t columns,
    cudaStream_t stream) {
  auto elements = count * size * columns;
  start_kernel(
      stream, blocks_for(elements), block_threads, take_rows_kernel<T>, static_cast<T*>(to),
      static_cast<const T*>(from), rows, elements, size, columns);
}

template <class T>
void find_determinants(
    void* determinants, void* logarithms, const PivotMemory& memory, int64_t count, int64_t size,
    cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count), block_threads, determinants_kernel<T>,
      static_cast<T*>(determinants), static_cast<T*>(logarithms), memory, count, size);
}

}  // namespace

void launch_cholesky(
    Element element, void* matrices, int32_t* faults, int64_t count, int64_t size,
    cudaStream_t stream) {
  choose<decltype(&find_cholesky<float>)>(DecomposableElements{}, element, [](auto zero) {
    return find_cholesky<decltype(zero)>;
  })(matrices, faults, count, size, stream);
}

void launch_find_pivots(
    Element element, const PivotMemory& memory, int64_t count, int64_t size, cudaStream_t stream) {
  choose<decltype(&find_pivots<float>)>(DecomposableElements{}, element, [](auto zero) {
    return find_pivots<decltype(zero)>;
  })(memory, count, size, stream);
}

void launch_follow_exchanges(
    const PivotMemory& memory, const int64_t* exchanges, int64_t count, int64_t size,
    cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count), block_threads, exchanges_kernel, memory, exchanges, count, size);
}

void launch_take_rows(
    Element element, void* to, const void* from, const int32_t* rows, int64_t count, int64_t size,
    int64_t columns, cudaStream_t stream) {
  choose<decltype(&take_rows<float>)>(DecomposableElements{}, element, [](auto zero) {
    return take_rows<decltype(zero)>;
  })(to, from, rows, count, size, columns, stream);
}

void launch_determinants(
    Element element, void* determinants, void* logarithms, const PivotMemory& memory, int64_t count,
    int64_t size, cudaStream_t stream) {
  choose<decltype(&find_determinants<float>)>(DecomposableElements{}, element, [](auto zero) {
    return find_determinants<decltype(zero)>;
  })(determinants, logarithms, memory, count, size, stream);
}

}  // namespace troupe::cuda
