#include "troupe/devices/cuda/linalg/dense/reflections.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/linalg/dense/matrix_copy.hpp"
#include "troupe/devices/cuda/linalg/dense/scalars.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

constexpr int threads = matrix_columns * matrix_rows;

/// A reflection that starts in a row: below it, its vector is that of column `start` of `matrix`.
template <class T>
struct Reflection {
  const T* matrix;
  int64_t columns;  // of it
  int64_t start;
  T factor;

  __device__ T at(int64_t row) const { return row == start ? T(1) : matrix[row * columns + start]; }
};

/// Reflects a column of a matrix of [rows, columns], one for each of a block's threads in a row;
/// those of a column share its rows. `sums` is shared. All threads of the block call it, also for
/// columns behind the last, which they leave.
template <class T>
__device__ void reflect(
    T* matrix, int64_t rows, int64_t columns, int64_t column, const Reflection<T>& reflection,
    T (&sums)[matrix_rows][matrix_columns]) {
  T sum(0);
  auto first = reflection.start + threadIdx.y;
  for (auto i = first; column < columns && i < rows; i += matrix_rows)
    sum = sum + conjugate(reflection.at(i)) * matrix[i * columns + column];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = sums[0][threadIdx.x];
  for (int i = 1; i < matrix_rows; ++i) sum = sum + sums[i][threadIdx.x];
  sum = sum * reflection.factor;
  for (auto i = first; column < columns && i < rows; i += matrix_rows)
    matrix[i * columns + column] = matrix[i * columns + column] - reflection.at(i) * sum;
  __syncthreads();
}

/// The sum of what the lanes of a warp have.
__device__ double add_lanes(double value) {
  for (int distance = matrix_columns / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

/// What is left of numbers whose squares are not above this has no direction.
constexpr double least_square = complex_numbers::Range<double>::least;

/// Makes the reflection that leaves of column k nothing below row k, and of row k a real number.
/// Returns its factor to all threads; `shared` is. In double precision: of matrices without full
/// rank the last columns are so small that floats of their size have few digits.
template <class T>
__device__ T
find_reflection(T* matrix, int64_t rows, int64_t columns, int64_t k, WideNumber<T> (&shared)[2]) {
  using Wide = WideNumber<T>;
  if (threadIdx.y == 0) {
    double below = 0;
    for (auto i = k + 1 + threadIdx.x; i < rows; i += matrix_columns)
      below += square_of_size(matrix[i * columns + k]);
    below = add_lanes(below);
    auto first = Narrow<Wide>::of(matrix[k * columns + k]);
    auto beside = imaginary_part(first);
    auto is_none = below <= least_square && beside * beside <= least_square;
    auto length = ::sqrt(square_of_size(first) + below);
    auto end = real_part(first) >= 0 ? -length : length;
    if (threadIdx.x == 0) {
      shared[0] = is_none ? Wide(0) : divided(Wide(end) - first, end);
      shared[1] = is_none ? Wide(1) : first - Wide(end);
    }
    __syncwarp();  // all lanes have read the first number
    if (threadIdx.x == 0 && !is_none) matrix[k * columns + k] = T(static_cast<Real<T>>(end));
  }
  __syncthreads();
  auto factor = Narrow<T>::of(shared[0]);
  for (auto i = k + 1 + threadIdx.y * matrix_columns + threadIdx.x; i < rows; i += threads)
    matrix[i * columns + k] = Narrow<T>::of(Narrow<Wide>::of(matrix[i * columns + k]) / shared[1]);
  __syncthreads();
  return factor;
}

template <class T>
__global__ void find_reflections_kernel(Reflections all) {
  __shared__ T sums[matrix_rows][matrix_columns];
  __shared__ WideNumber<T> shared[2];
  auto reflections = all.rows < all.columns ? all.rows : all.columns;
  for (int64_t index = blockIdx.x; index < all.count; index += gridDim.x) {
    auto* matrix = static_cast<T*>(all.matrices) + index * all.rows * all.columns;
    for (int64_t k = 0; k < reflections; ++k) {
      auto factor = find_reflection(matrix, all.rows, all.columns, k, shared);
      if (threadIdx.x == 0 && threadIdx.y == 0)
        static_cast<T*>(all.factors)[index * reflections + k] = factor;
      Reflection<T> adjoint{matrix, all.columns, k, conjugate(factor)};
      for (auto begin = k + 1; begin < all.columns; begin += matrix_columns)
        reflect(matrix, all.rows, all.columns, begin + threadIdx.x, adjoint, sums);
    }
  }
}

/// The last reflection comes first. `to` has the identity.
template <class T>
__global__ void multiply_reflections_kernel(
    T* to, int64_t columns, int64_t blocks_across, Reflections all) {
  __shared__ T sums[matrix_rows][matrix_columns];
  auto reflections = all.rows < all.columns ? all.rows : all.columns;
  for (int64_t block = blockIdx.x; block < all.count * blocks_across; block += gridDim.x) {
    auto index = block / blocks_across, column = block % blocks_across * matrix_columns;
    const auto* factors = static_cast<const T*>(all.factors) + index * reflections;
    for (auto k = reflections - 1; k >= 0; --k) {
      // Before column k there is still the identity, of which row k and those below it have
      // nothing.
      if (column + matrix_columns <= k) continue;
      Reflection<T> reflection{
          static_cast<const T*>(all.matrices) + index * all.rows * all.columns, all.columns, k,
          factors[k]};
      reflect(
          to + index * all.rows * columns, all.rows, columns, column + threadIdx.x, reflection,
          sums);
    }
  }
}

template <class T>
void find_reflections(const Reflections& reflections, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(reflections.count, 1), dim3(matrix_columns, matrix_rows),
      find_reflections_kernel<T>, reflections);
}

template <class T>
void multiply_reflections(
    void* to, int64_t columns, const Reflections& reflections, cudaStream_t stream) {
  auto across = (columns + matrix_columns - 1) / matrix_columns;
  start_kernel(
      stream, blocks_for(reflections.count * across, 1), dim3(matrix_columns, matrix_rows),
      multiply_reflections_kernel<T>, static_cast<T*>(to), columns, across, reflections);
}

}  // namespace

void launch_find_reflections(Element element, const Reflections& reflections, cudaStream_t stream) {
  choose<decltype(&find_reflections<float>)>(DecomposableElements{}, element, [](auto zero) {
    return find_reflections<decltype(zero)>;
  })(reflections, stream);
}

void launch_multiply_reflections(
    Element element, void* to, int64_t columns, const Reflections& reflections,
    cudaStream_t stream) {
  launch_identities(element, to, reflections.count, reflections.rows, columns, stream);
  choose<decltype(&multiply_reflections<float>)>(DecomposableElements{}, element, [](auto zero) {
    return multiply_reflections<decltype(zero)>;
  })(to, columns, reflections, stream);
}

}  // namespace troupe::cuda
