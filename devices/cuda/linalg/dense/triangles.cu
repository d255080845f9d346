#include "troupe/devices/cuda/linalg/dense/triangles.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/linalg/dense/scalars.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

constexpr int tile = matrix_columns;
constexpr int thread_rows = tile / matrix_rows;  // of a tile, that a thread takes

/// The matrix of a system with its unknowns in the order in which they are found, so that it is
/// always a lower triangle.
template <class T>
struct Triangle {
  const T* matrix;
  int64_t size;
  bool is_lower, is_adjoint;

  /// Where an unknown is in `x`.
  __device__ int64_t place(int64_t i) const { return is_lower != is_adjoint ? i : size - 1 - i; }
  __device__ T at(int64_t i, int64_t j) const {
    auto row = place(i), column = place(j);
    return is_adjoint ? conjugate(matrix[column * size + row]) : matrix[row * size + column];
  }
};

/// A tile of a triangle, with 0 for what lies outside of it: neighbours in memory are read by
/// neighbouring threads.
template <class T>
__device__ void load_tile(
    T (&to)[tile][tile + 1], const Triangle<T>& triangle, int64_t row, int64_t column) {
  for (int r = 0; r < thread_rows; ++r) {
    auto one = static_cast<int>(threadIdx.x),
         other = static_cast<int>(threadIdx.y) + r * matrix_rows;
    auto down = triangle.is_adjoint ? one : other, across = triangle.is_adjoint ? other : one;
    auto is_inside = row + down < triangle.size && column + across <= row + down;
    to[down][across] = is_inside ? triangle.at(row + down, column + across) : T(0);
  }
}

/// The unknowns of one column that a tile on the diagonal has, one after the other.
template <class T>
__device__ void substitute(
    const T (&matrix)[tile][tile + 1], T (&x)[tile][tile], int count, bool has_ones) {
  auto column = threadIdx.x;
  for (int i = 0; i < count; ++i) {
    auto rest = x[i][column];
    for (int k = 0; k < i; ++k) rest = rest - matrix[i][k] * x[k][column];
    x[i][column] = has_ones ? rest : rest / matrix[i][i];
  }
}

/// A block finds 32 columns of a solution, 32 rows at a time: what the rows before them contribute
/// is subtracted tile by tile.
template <class T>
__global__ void solve_triangles_kernel(TriangleSystems call, int64_t blocks_across) {
  __shared__ T of_matrix[tile][tile + 1];
  __shared__ T of_x[tile][tile];
  for (int64_t block = blockIdx.x; block < call.count * blocks_across; block += gridDim.x) {
    auto index = block / blocks_across, column = block % blocks_across * tile + threadIdx.x;
    auto is_column = column < call.columns;
    Triangle<T> triangle{
        static_cast<const T*>(call.matrices) + index * call.size * call.size, call.size,
        call.is_lower, call.is_adjoint};
    auto* x = static_cast<T*>(call.x) + index * call.size * call.columns + column;
    auto known = [&](int64_t i) {
      return is_column && i < call.size ? x[triangle.place(i) * call.columns] : T(0);
    };
    for (int64_t begin = 0; begin < call.size; begin += tile) {
      T rest[thread_rows];
      auto row = [](int r) { return static_cast<int>(threadIdx.y) + r * matrix_rows; };
      for (int r = 0; r < thread_rows; ++r) rest[r] = known(begin + row(r));
      for (int64_t before = 0; before < begin; before += tile) {
        __syncthreads();  // after what was read of the last tiles, and written to x
        load_tile(of_matrix, triangle, begin, before);
        for (int r = 0; r < thread_rows; ++r) of_x[row(r)][threadIdx.x] = known(before + row(r));
        __syncthreads();
        for (int k = 0; k < tile; ++k)
          for (int r = 0; r < thread_rows; ++r)
            rest[r] = rest[r] - of_matrix[row(r)][k] * of_x[k][threadIdx.x];
      }
      __syncthreads();
      load_tile(of_matrix, triangle, begin, begin);
      for (int r = 0; r < thread_rows; ++r) of_x[row(r)][threadIdx.x] = rest[r];
      __syncthreads();
      auto count = call.size - begin < tile ? call.size - begin : tile;
      if (threadIdx.y == 0) substitute(of_matrix, of_x, static_cast<int>(count), call.has_ones);
      __syncthreads();
      for (int r = 0; r < thread_rows; ++r)
        if (is_column && row(r) < count)
          x[triangle.place(begin + row(r)) * call.columns] = of_x[row(r)][threadIdx.x];
    }
    __syncthreads();  // before the tiles of the next block
  }
}

template <class T>
__global__ void zeros_on_diagonals_kernel(
    int32_t* faults, const T* matrices, int64_t count, int64_t size) {
  for (int64_t index = blockIdx.x; index < count; index += gridDim.x) {
    const auto* matrix = matrices + index * size * size;
    bool is_found = false;
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x)
      is_found = is_found || matrix[i * (size + 1)] == T(0);
    int any = __syncthreads_or(is_found);
    if (threadIdx.x == 0) faults[index] = any != 0;
  }
}

template <class T>
__global__ void symmetric_parts_kernel(T* to, const T* matrices, int64_t elements, int64_t size) {
  for (auto at = first_item(); at < elements; at += item_step()) {
    auto row = at / size % size, column = at % size, first = at - row * size - column;
    to[at] = (matrices[at] + matrices[first + column * size + row]) / 2;
  }
}

template <class T>
__global__ void halve_diagonals_kernel(T* matrices, int64_t elements, int64_t size) {
  for (auto at = first_item(); at < elements; at += item_step()) {
    auto row = at / size % size, column = at % size;
    if (column == row) matrices[at] /= 2;
    if (column > row) matrices[at] = 0;
  }
}

__global__ void add_to_diagonals_kernel(
    double* matrices, double number, int64_t count, int64_t size) {
  for (auto i = first_item(); i < count * size; i += item_step())
    matrices[i / size * size * size + i % size * (size + 1)] += number;
}

template <class T>
void solve_triangles(const TriangleSystems& call) {
  auto across = (call.columns + tile - 1) / tile;
  start_kernel(
      call.stream, blocks_for(call.count * across, 1), dim3(tile, matrix_rows),
      solve_triangles_kernel<T>, call, across);
}

template <class T>
void find_zeros(
    int32_t* faults, const void* matrices, int64_t count, int64_t size, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count, 1), block_threads, zeros_on_diagonals_kernel<T>, faults,
      static_cast<const T*>(matrices), count, size);
}

}  // namespace

void launch_solve_triangles(Element element, const TriangleSystems& call) {
  choose<void (*)(const TriangleSystems&)>(DecomposableElements{}, element, [](auto zero) {
    return solve_triangles<decltype(zero)>;
  })(call);
}

void launch_find_zeros_on_diagonals(
    Element element, int32_t* faults, const void* matrices, int64_t count, int64_t size,
    cudaStream_t stream) {
  choose<decltype(&find_zeros<float>)>(DecomposableElements{}, element, [](auto zero) {
    return find_zeros<decltype(zero)>;
  })(faults, matrices, count, size, stream);
}

void launch_symmetric_parts(
    Element element, void* to, const void* matrices, int64_t count, int64_t size,
    cudaStream_t stream) {
  auto elements = count * size * size;
  auto launch = [&](auto zero) {
    using T = decltype(zero);
    start_kernel(
        stream, blocks_for(elements), block_threads, symmetric_parts_kernel<T>, static_cast<T*>(to),
        static_cast<const T*>(matrices), elements, size);
  };
  if (element == Element::float64) launch(double());
  else launch(float());
}

void launch_halve_diagonals(
    Element element, void* matrices, int64_t count, int64_t size, cudaStream_t stream) {
  auto elements = count * size * size;
  auto launch = [&](auto zero) {
    using T = decltype(zero);
    start_kernel(
        stream, blocks_for(elements), block_threads, halve_diagonals_kernel<T>,
        static_cast<T*>(matrices), elements, size);
  };
  if (element == Element::float64) launch(double());
  else launch(float());
}

void launch_add_to_diagonals(
    void* matrices, double number, int64_t count, int64_t size, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count * size), block_threads, add_to_diagonals_kernel,
      static_cast<double*>(matrices), number, count, size);
}

}  // namespace troupe::cuda
