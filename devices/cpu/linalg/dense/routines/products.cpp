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

template void multiply<compiled>(const Product<float>&);
template void multiply<compiled>(const Product<double>&);
template void multiply<compiled>(const Product<std::complex<float>>&);
template void multiply<compiled>(const Product<std::complex<double>>&);

}  // namespace troupe::cpu::routines
