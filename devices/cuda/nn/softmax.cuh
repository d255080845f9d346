#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"

namespace troupe::cuda {

/// Elements that a thread reads and writes at once.
template <class T>
struct alignas(16) RowVector {
  static constexpr int size = 16 / sizeof(T);
  T at[size];
};

/// The elements of a row as vectors, which begin at multiples of 16 bytes: of the first and of the
/// last one only a part may lie in the row. Where rows are `whole`, none does so, and each read and
/// write is one instruction.
template <class T>
struct VectorRow {
  static constexpr int size = RowVector<T>::size;

  const T* elements;
  int64_t count, first;  // first: the place of vector 0's first element, 0 or less

  __device__ VectorRow(const T* elements, int64_t count)
      : elements(elements),
        count(count),
        first(-static_cast<int64_t>(reinterpret_cast<uintptr_t>(elements) / sizeof(T) % size)) {}

  __device__ int64_t begin(int64_t vector) const { return first + vector * size; }
  __device__ int64_t vectors() const { return (count - first + size - 1) / size; }
  __device__ bool has(int64_t at) const { return at >= 0 && at < count; }
  __device__ bool has_all(int64_t begin) const { return begin >= 0 && begin + size <= count; }

  /// The values of a vector; those outside of the row are less than all others.
  template <class A>
  __device__ void read(int64_t vector, A (&values)[size]) const {
    auto at = begin(vector);
    if (has_all(at)) return read_all(at, values);
    for (int i = 0; i < size; ++i)
      values[i] = has(at + i) ? widen(elements[at + i]) : Extremes<A>::least();
  }
  template <class A>
  __device__ void read_whole(int64_t vector, A (&values)[size]) const {
    for (auto& value : values) value = Extremes<A>::least();
    if (vector * size < count) read_all(vector * size, values);
  }

  /// Writes values to the same places of another row. `is_aligned`: whether that one's vectors lie
  /// as those of this one.
  template <class A>
  __device__ void write(T* to, bool is_aligned, int64_t vector, const A (&values)[size]) const {
    auto at = begin(vector);
    if (is_aligned && has_all(at)) return write_all(to + at, values);
    for (int i = 0; i < size; ++i)
      if (has(at + i)) to[at + i] = Narrow<T>::of(values[i]);
  }
  template <class A>
  __device__ void write_whole(T* to, int64_t vector, const A (&values)[size]) const {
    if (vector * size < count) write_all(to + vector * size, values);
  }

 private:
  template <class A>
  __device__ void read_all(int64_t at, A (&values)[size]) const {
    auto read = *reinterpret_cast<const RowVector<T>*>(elements + at);
    for (int i = 0; i < size; ++i) values[i] = widen(read.at[i]);
  }
  template <class A>
  __device__ static void write_all(T* to, const A (&values)[size]) {
    RowVector<T> written;
    for (int i = 0; i < size; ++i) written.at[i] = Narrow<T>::of(values[i]);
    *reinterpret_cast<RowVector<T>*>(to) = written;
  }
};

/// How the vectors of rows lie that are read, and of those that are written.
struct RowAlignment {
  bool is_alike, is_whole;

  template <class T>
  static RowAlignment of(const T* from, const T* to, int64_t classes) {
    constexpr auto bytes = sizeof(RowVector<T>);
    auto place = reinterpret_cast<uintptr_t>(from) % bytes;
    auto is_alike = place == reinterpret_cast<uintptr_t>(to) % bytes;
    return {is_alike, is_alike && place == 0 && classes % RowVector<T>::size == 0};
  }
};

/// The greater one; of NaN and another number the other one.
template <class A>
__device__ A greater_of(A x, A y) {
  return x > y || y != y ? x : y;
}
inline __device__ float greater_of(float x, float y) { return fmaxf(x, y); }

/// What the threads of a row know of it: the greatest logit, and the sum of e^(logit - greatest). A
/// row with NaN may have any greatest logit, as its sum is NaN.
template <class A>
struct RowSum {
  A greatest = Extremes<A>::least(), sum = 0;

  /// Adds values at once, in one pass over the row: when a greater one comes, the sum so far is
  /// made one of powers relative to it.
  template <int N>
  __device__ void add(const A (&values)[N]) {
    auto most = values[0];
    for (int i = 1; i < N; ++i) most = greater_of(most, values[i]);
    if (most > greatest) {
      sum *= exp(greatest - most);
      greatest = most;
    }
    // Where there are infinitely small ones alone so far, their powers are 0.
    auto by = greatest == Extremes<A>::least() ? A(0) : greatest;
    for (int i = 0; i < N; ++i) sum += exp(values[i] - by);
  }

  /// Of the whole row. All threads of the block take part.
  __device__ void join(A* shared) {
    auto own = greatest;
    greatest = join_lanes(own, shared, [](A x, A y) { return greater_of(x, y); });
    if (own != greatest) sum *= exp(own - greatest);
    sum = join_lanes(sum, shared, [](A x, A y) { return x + y; });
  }
};

/// That of a row, which it reads once.
template <class T, class A>
__device__ RowSum<A> sum_row(const VectorRow<T>& row, A* shared) {
  RowSum<A> sum;
  A values[VectorRow<T>::size];
  for (int64_t i = threadIdx.x; i < row.vectors(); i += blockDim.x) {
    row.read(i, values);
    sum.add(values);
  }
  sum.join(shared);
  return sum;
}

}  // namespace troupe::cuda
