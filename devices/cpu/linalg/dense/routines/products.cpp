#include "troupe/devices/cpu/linalg/dense/routines/compiled.hpp"

namespace troupe::cpu::routines {
namespace {

template <int Order, class T>
auto operand(const T* data, int64_t rows, int64_t columns, int64_t stride) {
  using Ordered = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>;
  return Eigen::Map<const Ordered, 0, Eigen::OuterStride<>>(
      data, rows, columns, Eigen::OuterStride<>(stride));
}

template <int OrderA, int OrderB, class T>
void multiply_ordered(const Product<T>& p) {
  using Ordered = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Ordered, 0, Eigen::OuterStride<>> out(
      p.out, p.rows, p.columns, Eigen::OuterStride<>(p.out_stride));
  out.noalias() = operand<OrderA>(p.a, p.rows, p.inner, p.a_stride) *
                  operand<OrderB>(p.b, p.inner, p.columns, p.b_stride);
}

}  // namespace

template <Instructions, class T>
void multiply(const Product<T>& p) {
  constexpr auto rows = Eigen::RowMajor, columns = Eigen::ColMajor;
  if (p.transpose_a && p.transpose_b) multiply_ordered<columns, columns>(p);
  else if (p.transpose_a) multiply_ordered<columns, rows>(p);
  else if (p.transpose_b) multiply_ordered<rows, columns>(p);
  else multiply_ordered<rows, rows>(p);
}

template <Instructions, class S>
void multiply(const S* a, const S* b, S* out, int64_t rows, int64_t inner, int64_t columns) {
  auto left = aligned_copy(a, rows, inner), right = aligned_copy(b, inner, columns);
  Matrix<S> product(rows, columns);
  // By columns a matrix lies as its transpose by rows: so this is transposed(b) * transposed(a).
  multiply<compiled>(Product<S>{
      .rows = columns,
      .inner = inner,
      .columns = rows,
      .transpose_a = false,
      .transpose_b = false,
      .a = right.data(),
      .b = left.data(),
      .out = product.data(),
      .a_stride = inner,
      .b_stride = rows,
      .out_stride = rows});
  mapped(out, rows, columns) = product;
}

template void multiply<compiled>(const Product<float>&);
template void multiply<compiled>(const Product<double>&);
template void multiply<compiled>(const Product<std::complex<float>>&);
template void multiply<compiled>(const Product<std::complex<double>>&);
template void multiply<compiled>(const double*, const double*, double*, int64_t, int64_t, int64_t);
template void multiply<compiled>(
    const std::complex<double>*, const std::complex<double>*, std::complex<double>*, int64_t,
    int64_t, int64_t);

}  // namespace troupe::cpu::routines
