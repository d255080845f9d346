#pragma once

#include <cstdint>

#include "troupe/graph/types/status.hpp"

namespace troupe::cpu {

/// A block of the product of [rows, inner] and [inner, columns], each operand in row-major order
/// or, transposed, in column-major order.
template <class T>
struct Product {
  int64_t rows, inner, columns;
  bool transpose_a, transpose_b;
  const T* a;
  const T* b;
  T* out;
  int64_t a_stride, b_stride, out_stride;

  double flops() const { return 2.0 * double(rows) * double(inner) * double(columns); }

  Product rows_in(int64_t begin, int64_t end) const {
    auto part = *this;
    part.rows = end - begin;
    part.a += transpose_a ? begin : begin * a_stride;
    part.out += begin * out_stride;
    return part;
  }
  Product columns_in(int64_t begin, int64_t end) const {
    auto part = *this;
    part.columns = end - begin;
    part.b += transpose_b ? begin * b_stride : begin;
    part.out += begin;
    return part;
  }
};

/// For float, double and complex numbers, in one thread; the inner size is not 0.
template <class T>
void multiply_by_eigen(const Product<T>& p);

/// For float and double, of any sizes: in parts on several threads where that is worth it.
template <class T>
Status multiply_matrices(const Product<T>& p);

}  // namespace troupe::cpu
