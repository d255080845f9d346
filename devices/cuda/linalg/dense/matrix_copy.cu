#include "troupe/devices/cuda/linalg/dense/matrix_copy.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/linalg/dense/scalars.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ bool is_in(MatrixPart part, int64_t row, int64_t column) {
  return part == MatrixPart::whole || (part == MatrixPart::lower ? column <= row : column >= row);
}

template <class T>
__global__ void matrix_copy_kernel(MatrixCopy call, int64_t elements) {
  auto size = call.rows * call.columns;
  for (auto at = first_item(); at < elements; at += item_step()) {
    auto index = at / size, i = at % size / call.columns, j = at % call.columns;
    T value;
    if (!is_in(call.part, i, j)) {
      value = T(0);
    } else if (call.faults && call.faults[index] != 0) {
      value = T(static_cast<Real<T>>(call.instead));
    } else {
      auto place = index * call.matrix + i * call.row + j * call.column;
      value = call.are_reals ? T(static_cast<const Real<T>*>(call.from)[place])
                             : static_cast<const T*>(call.from)[place];
      if (call.conjugates) value = conjugate(value);
    }
    static_cast<T*>(call.to)[at] = value;
  }
}

template <class T>
__global__ void identities_kernel(T* to, int64_t elements, int64_t rows, int64_t columns) {
  for (auto at = first_item(); at < elements; at += item_step())
    to[at] = T(at / columns % rows == at % columns ? 1 : 0);
}

template <class T>
__global__ void not_finite_matrices_kernel(
    int32_t* faults, const T* matrices, int64_t count, int64_t rows, int64_t columns,
    MatrixPart part) {
  for (int64_t index = blockIdx.x; index < count; index += gridDim.x) {
    const auto* matrix = matrices + index * rows * columns;
    bool is_found = false;
    for (int64_t at = threadIdx.x; at < rows * columns; at += blockDim.x)
      is_found =
          is_found || (is_in(part, at / columns, at % columns) && !is_finite_number(matrix[at]));
    int any = __syncthreads_or(is_found);
    if (threadIdx.x == 0) faults[index] = any != 0;
  }
}

__global__ void join_faults_kernel(int32_t* faults, const int32_t* others, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step())
    if (others[i] != 0) faults[i] = 1;
}

__global__ void drop_faults_kernel(int32_t* faults, const int32_t* of, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step())
    if (of[i] != 0) faults[i] = 0;
}

template <class T>
void copy_matrices(const MatrixCopy& call) {
  auto elements = call.count * call.rows * call.columns;
  start_kernel(
      call.stream, blocks_for(elements), block_threads, matrix_copy_kernel<T>, call, elements);
}

template <class T>
void set_identities(void* to, int64_t count, int64_t rows, int64_t columns, cudaStream_t stream) {
  auto elements = count * rows * columns;
  start_kernel(
      stream, blocks_for(elements), block_threads, identities_kernel<T>, static_cast<T*>(to),
      elements, rows, columns);
}

template <class T>
void find_not_finite_matrices(
    int32_t* faults, const void* matrices, int64_t count, int64_t rows, int64_t columns,
    MatrixPart part, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count, 1), block_threads, not_finite_matrices_kernel<T>, faults,
      static_cast<const T*>(matrices), count, rows, columns, part);
}

}  // namespace

void launch_matrix_copy(Element element, const MatrixCopy& call) {
  choose<void (*)(const MatrixCopy&)>(DecomposableElements{}, element, [](auto zero) {
    return copy_matrices<decltype(zero)>;
  })(call);
}

void launch_identities(
    Element element, void* to, int64_t count, int64_t rows, int64_t columns, cudaStream_t stream) {
  choose<decltype(&set_identities<float>)>(DecomposableElements{}, element, [](auto zero) {
    return set_identities<decltype(zero)>;
  })(to, count, rows, columns, stream);
}

void launch_find_not_finite_matrices(
    Element element, int32_t* faults, const void* matrices, int64_t count, int64_t rows,
    int64_t columns, MatrixPart part, cudaStream_t stream) {
  choose<decltype(&find_not_finite_matrices<float>)>(
      DecomposableElements{}, element, [](auto zero) {
        return find_not_finite_matrices<decltype(zero)>;
      })(faults, matrices, count, rows, columns, part, stream);
}

void launch_join_faults(
    int32_t* faults, const int32_t* others, int64_t count, cudaStream_t stream) {
  start_kernel(stream, blocks_for(count), block_threads, join_faults_kernel, faults, others, count);
}

void launch_drop_faults(int32_t* faults, const int32_t* of, int64_t count, cudaStream_t stream) {
  start_kernel(stream, blocks_for(count), block_threads, drop_faults_kernel, faults, of, count);
}

}  // namespace troupe::cuda
