#include "troupe/devices/cpu/linalg/dense/parts.hpp"
#include "troupe/devices/cpu/linalg/product.hpp"
#include "troupe/devices/cpu/vector/product.hpp"

namespace troupe::cpu {
namespace {

constexpr Eigen::Index small = 24;

/// Of a few columns of the right-hand side at once, copied so that vectors lie along their rows.
template <class S>
void solve_small_triangular(DensePart<const S> matrix, TriangularForm form, DensePart<S> rhs) {
  constexpr Eigen::Index width = 8;
  const auto n = matrix.rows();
  S x[small][width];
  for (Eigen::Index begin = 0; begin < rhs.cols(); begin += width) {
    const auto columns = std::min(width, rhs.cols() - begin);
    for (Eigen::Index k = 0; k < width; ++k)
      for (Eigen::Index i = 0; i < n; ++i) x[i][k] = k < columns ? rhs(i, begin + k) : S(0);
    for (Eigen::Index step = 0; step < n; ++step) {
      const auto i = form.lower ? step : n - 1 - step;
      if (!form.has_unit_diagonal)
        for (auto& element : x[i]) element /= matrix(i, i);
      const auto first = form.lower ? i + 1 : 0, last = form.lower ? n : i;
      for (auto row = first; row < last; ++row) {
        const auto factor = matrix(row, i);
        for (Eigen::Index k = 0; k < width; ++k) x[row][k] -= factor * x[i][k];
      }
    }
    for (Eigen::Index k = 0; k < columns; ++k)
      for (Eigen::Index i = 0; i < n; ++i) rhs(i, begin + k) = x[i][k];
  }
}

}  // namespace

template <class S>
void solve_triangular_part(DensePart<const S> matrix, TriangularForm form, DensePart<S> rhs) {
  const auto n = matrix.rows();
  if (n <= small) return solve_small_triangular<S>(matrix, form, rhs);
  const auto upper = n / 2, lower = n - upper;
  if (form.lower) {
    solve_triangular_part<S>(matrix.topLeftCorner(upper, upper), form, rhs.topRows(upper));
    subtract_product<S>(
        rhs.bottomRows(lower), matrix.bottomLeftCorner(lower, upper), rhs.topRows(upper));
    solve_triangular_part<S>(matrix.bottomRightCorner(lower, lower), form, rhs.bottomRows(lower));
  } else {
    solve_triangular_part<S>(matrix.bottomRightCorner(lower, lower), form, rhs.bottomRows(lower));
    subtract_product<S>(
        rhs.topRows(upper), matrix.topRightCorner(upper, lower), rhs.bottomRows(lower));
    solve_triangular_part<S>(matrix.topLeftCorner(upper, upper), form, rhs.topRows(upper));
  }
}

void subtract_product_of_doubles(
    DensePart<double> out, DensePart<const double> a, const double* b, int64_t b_row_stride,
    int64_t b_column_stride) {
  vector::subtract_product_loop()(
      {.rows = out.rows(),
       .inner = a.cols(),
       .columns = out.cols(),
       .a = a.data(),
       .b = b,
       .out = out.data(),
       .a_stride = a.outerStride(),
       .b_row_stride = b_row_stride,
       .b_column_stride = b_column_stride,
       .out_stride = out.outerStride()});
}

template <class S>
void solve_triangular(const Dense<S>& matrix, bool lower, Dense<S>& rhs) {
  const TriangularForm form{.lower = lower};
  each_columns(rhs.cols(), matrix.rows(), [&](int64_t begin, int64_t end) {
    solve_triangular_part<S>(matrix, form, rhs.middleCols(begin, end - begin));
  });
}

template <class S>
Dense<S> multiply(const Dense<S>& a, const Dense<S>& b) {
  Dense<S> out(a.rows(), b.cols());
  if (a.cols() == 0) out.setZero();
  if (out.size() == 0 || a.cols() == 0) return out;
  // By columns a matrix lies as its transpose by rows: so this is transposed(b) * transposed(a).
  multiply_by_eigen(Product<S>{
      .rows = b.cols(),
      .inner = a.cols(),
      .columns = a.rows(),
      .transpose_a = false,
      .transpose_b = false,
      .a = b.data(),
      .b = a.data(),
      .out = out.data(),
      .a_stride = b.rows(),
      .b_stride = a.rows(),
      .out_stride = out.rows()});
  return out;
}

template void solve_triangular_part<double>(
    DensePart<const double>, TriangularForm, DensePart<double>);
template void solve_triangular_part<complex128>(
    DensePart<const complex128>, TriangularForm, DensePart<complex128>);
template void solve_triangular(const Dense<double>&, bool, Dense<double>&);
template void solve_triangular(const Dense<complex128>&, bool, Dense<complex128>&);
template Dense<double> multiply(const Dense<double>&, const Dense<double>&);
template Dense<complex128> multiply(const Dense<complex128>&, const Dense<complex128>&);

}  // namespace troupe::cpu
