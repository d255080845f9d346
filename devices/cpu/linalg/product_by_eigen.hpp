#pragma once

#include <Eigen/Core>

#include "troupe/devices/cpu/linalg/product.hpp"

namespace troupe::cpu {

template <int Order, class T>
auto matrix(const T* data, int64_t rows, int64_t columns, int64_t stride) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>;
  return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(
      data, rows, columns, Eigen::OuterStride<>(stride));
}

template <int OrderA, int OrderB, class T>
void multiply_by_eigen(const Product<T>& p) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> out(
      p.out, p.rows, p.columns, Eigen::OuterStride<>(p.out_stride));
  out.noalias() = matrix<OrderA>(p.a, p.rows, p.inner, p.a_stride) *
                  matrix<OrderB>(p.b, p.inner, p.columns, p.b_stride);
}

template <class T>
void multiply_by_eigen(const Product<T>& p) {
  constexpr auto rows = Eigen::RowMajor, columns = Eigen::ColMajor;
  if (p.transpose_a && p.transpose_b) multiply_by_eigen<columns, columns>(p);
  else if (p.transpose_a) multiply_by_eigen<columns, rows>(p);
  else if (p.transpose_b) multiply_by_eigen<rows, columns>(p);
  else multiply_by_eigen<rows, rows>(p);
}

}  // namespace troupe::cpu
