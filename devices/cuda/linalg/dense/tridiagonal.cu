#include "troupe/devices/cuda/linalg/dense/tridiagonal.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/linalg/dense/scalars.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class T>
__device__ T times(T x, T y) {
  if constexpr (is_complex<T>) return x * y;
  else return rounded_product(x, y);
}

template <class W, class T>
__device__ W number_as(T x) {
  if constexpr (is_complex<T>)
    return {static_cast<Real<W>>(x.real), static_cast<Real<W>>(x.imag)};
  else return static_cast<W>(x);
}

template <class T>
__global__ void products_kernel(TridiagonalProducts call) {
  const auto *above = static_cast<const T*>(call.above), *main = static_cast<const T*>(call.main),
             *below = static_cast<const T*>(call.below), *x = static_cast<const T*>(call.rhs);
  auto elements = call.count * call.size * call.columns;
  for (auto i = first_item(); i < elements; i += item_step()) {
    auto row = i / call.columns, in_matrix = row % call.size;
    auto sum = times(main[row], x[i]);
    if (in_matrix > 0) sum = sum + times(below[row], x[i - call.columns]);
    if (in_matrix + 1 < call.size) sum = sum + times(above[row], x[i + call.columns]);
    static_cast<T*>(call.out)[i] = sum;
  }
}

/// What elimination makes of a row: an equation with the unknowns of it and of two behind, and what
/// of the right-hand side is subtracted from that of the next row.
template <class W>
struct EliminatedRow {
  W main, above, second, factor;
  int32_t is_exchanged;  // with the next row, before that
};

template <class T>
struct Room {
  using W = WideNumber<T>;
  EliminatedRow<W>* rows;  // of all matrices
  W* x;

  TROUPE_BOTH Room(void* memory, int64_t row_count)
      : rows(static_cast<EliminatedRow<W>*>(memory)), x(reinterpret_cast<W*>(rows + row_count)) {}
  static size_t bytes(int64_t row_count, int64_t columns) {
    return static_cast<size_t>(row_count) *
           (sizeof(EliminatedRow<W>) + static_cast<size_t>(columns) * sizeof(W));
  }
};

template <class A>
__device__ void exchange(A& x, A& y) {
  auto kept = x;
  x = y;
  y = kept;
}

/// A thread eliminates the elements below the main diagonal of a matrix: each row needs the one
/// before it. What follows of a row is kept in registers.
template <class T>
__global__ void eliminate_kernel(TridiagonalSystems call) {
  using W = WideNumber<T>;
  Room<T> room(call.room, call.count * call.size);
  auto n = call.size;
  for (auto index = first_item(); index < call.count; index += item_step()) {
    const auto *above = static_cast<const T*>(call.diagonals) + index * 3 * n, *main = above + n,
               *below = main + n;
    auto is_last = [n](int64_t i) { return i + 1 == n; };
    // What lies outside of the matrix must not come in when rows are exchanged.
    auto above_at = [&](int64_t i) { return is_last(i) ? W(0) : number_as<W>(above[i]); };
    EliminatedRow<W> row{number_as<W>(main[0]), above_at(0), W(0), W(0), 0};
    int32_t fault = 0;
    for (int64_t i = 0; i < n; ++i) {
      EliminatedRow<W> next{W(0), W(0), W(0), W(0), 0};
      if (!is_last(i)) {
        next.main = number_as<W>(main[i + 1]);
        next.above = above_at(i + 1);
        auto under = number_as<W>(below[i + 1]);
        if (call.pivots && size_of_number(row.main) < size_of_number(under)) {
          exchange(row.main, under);
          exchange(row.above, next.main);
          exchange(row.second, next.above);
          row.is_exchanged = 1;
        }
        row.factor = under / row.main;
        next.main = next.main - times(row.factor, row.above);
        next.above = next.above - times(row.factor, row.second);
      }
      fault |= row.main == W(0);
      room.rows[index * n + i] = row;
      row = next;
    }
    call.faults[index] = fault;
  }
}

/// A thread finds a column of a solution: from the first row on what is left of the right-hand
/// side, and then from the last one on the unknowns.
template <class T>
__global__ void substitute_kernel(TridiagonalSystems call) {
  using W = WideNumber<T>;
  Room<T> room(call.room, call.count * call.size);
  auto n = call.size, columns = call.columns;
  for (auto item = first_item(); item < call.count * columns; item += item_step()) {
    auto index = item / columns, first = index * n * columns + item % columns;
    // So that elements are read ahead of those that are written.
    const EliminatedRow<W>* __restrict__ rows = room.rows + index * n;
    const T* __restrict__ rhs = static_cast<const T*>(call.rhs) + first;
    T* __restrict__ x = static_cast<T*>(call.x) + first;
    W* __restrict__ wide = room.x + first;
    auto rest = number_as<W>(rhs[0]);
    for (int64_t i = 0; i < n; ++i) {
      auto next = i + 1 < n ? number_as<W>(rhs[(i + 1) * columns]) : W(0);
      if (rows[i].is_exchanged) exchange(rest, next);
      wide[i * columns] = rest;
      rest = next - times(rows[i].factor, rest);
    }
    auto behind = W(0), second = W(0);
    for (auto i = n; i-- > 0;) {
      auto found = wide[i * columns];
      if (i + 1 < n) found = found - times(rows[i].above, behind);
      if (i + 2 < n) found = found - times(rows[i].second, second);
      found = found / rows[i].main;
      x[i * columns] = number_as<T>(found);
      second = behind;
      behind = found;
    }
  }
}

template <class T>
void multiply(const TridiagonalProducts& call) {
  start_kernel(
      call.stream, blocks_for(call.count * call.size * call.columns), block_threads,
      products_kernel<T>, call);
}

template <class T>
void solve(const TridiagonalSystems& call) {
  // Small blocks: few threads with much to do are spread over the card.
  constexpr int threads = 32;
  start_kernel(
      call.stream, blocks_for(call.count, threads), threads, eliminate_kernel<T>, call);
  start_kernel(
      call.stream, blocks_for(call.count * call.columns, threads), threads, substitute_kernel<T>,
      call);
}

}  // namespace

void launch_tridiagonal_products(Element element, const TridiagonalProducts& call) {
  choose<void (*)(const TridiagonalProducts&)>(DecomposableElements{}, element, [](auto zero) {
    return multiply<decltype(zero)>;
  })(call);
}

size_t tridiagonal_room_bytes(Element element, int64_t count, int64_t size, int64_t columns) {
  return choose<size_t (*)(int64_t, int64_t)>(DecomposableElements{}, element, [](auto zero) {
    return Room<decltype(zero)>::bytes;
  })(count * size, columns);
}

void launch_solve_tridiagonal(Element element, const TridiagonalSystems& call) {
  choose<void (*)(const TridiagonalSystems&)>(DecomposableElements{}, element, [](auto zero) {
    return solve<decltype(zero)>;
  })(call);
}

}  // namespace troupe::cuda
