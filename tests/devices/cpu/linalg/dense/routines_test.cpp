#include <complex>
#include <vector>

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"
#include "troupe/devices/cpu/linalg/dense/instructions.hpp"
#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

using cpu::Dense;

/// Numbers that repeat with no size of a block, on the diagonal greater ones.
template <class S>
Dense<S> matrix_of_sizes(Eigen::Index rows, Eigen::Index columns) {
  Dense<S> matrix(rows, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i)
    if constexpr (Eigen::NumTraits<S>::IsComplex)
      matrix.data()[i] = S(std::sin(double(i)), std::cos(1.7 * double(i)));
    else matrix.data()[i] = std::sin(double(i));
  matrix.diagonal().array() += S(2);
  return matrix;
}

/// A self-adjoint one with eigenvalues above 0.
template <class S>
Dense<S> definite_matrix(Eigen::Index size) {
  auto a = matrix_of_sizes<S>(size, size);
  return (a * a.adjoint()).eval() + Dense<S>::Identity(size, size);
}

template <class S>
bool is_close(const Dense<S>& got, const Dense<S>& wanted) {
  return got.rows() == wanted.rows() && got.cols() == wanted.cols() &&
         (got - wanted).norm() <= 1e-11 * (1 + wanted.norm());
}

template <class S>
void check_triangles(Eigen::Index size) {
  auto a = matrix_of_sizes<S>(size, size), definite = definite_matrix<S>(size);
  auto rhs = matrix_of_sizes<S>(size, 5);
  auto lower = definite;
  BOOST_TEST(cpu::factor_cholesky(lower));
  BOOST_TEST(is_close<S>(lower * lower.adjoint(), definite));
  auto x = rhs;
  cpu::solve_triangular(lower, /*lower=*/true, x);
  BOOST_TEST(is_close<S>(lower * x, rhs));
  Dense<S> upper = lower.adjoint();
  x = rhs;
  cpu::solve_triangular(upper, /*lower=*/false, x);
  BOOST_TEST(is_close<S>(upper * x, rhs));
  x = rhs;
  BOOST_TEST(cpu::solve(a, x));
  BOOST_TEST(is_close<S>(a * x, rhs));
  BOOST_TEST(!cpu::solve(Dense<S>::Zero(size, size).eval(), x));
  auto pivots = cpu::find_pivots(a);
  Dense<S> unit = pivots.factors.template triangularView<Eigen::UnitLower>();
  Dense<S> rest = pivots.factors.template triangularView<Eigen::Upper>();
  Dense<S> product = unit * rest, exchanged(size, size);
  for (Eigen::Index i = 0; i < size; ++i) exchanged.row(i) = a.row(pivots.rows(i));
  BOOST_TEST(is_close<S>(product, exchanged));
  BOOST_TEST(std::abs(pivots.sign * rest.diagonal().prod() / a.determinant() - S(1)) < 1e-9);
}

template <class S>
void check_orthogonal(Eigen::Index rows, Eigen::Index columns) {
  auto a = matrix_of_sizes<S>(rows, columns);
  for (auto full : {false, true}) {
    auto qr = cpu::factor_qr(a, full);
    BOOST_TEST(is_close<S>(qr.q * qr.r, a));
    BOOST_TEST(is_close<S>(qr.q.adjoint() * qr.q, Dense<S>::Identity(qr.q.cols(), qr.q.cols())));
    BOOST_TEST(qr.r.template triangularView<Eigen::StrictlyLower>().toDenseMatrix().norm() == 0);
    auto svd = cpu::find_singular_values(a, full);
    auto count = svd.s.size();
    Dense<S> product = svd.u.leftCols(count) * svd.s.asDiagonal() * svd.v.leftCols(count).adjoint();
    BOOST_TEST(is_close<S>(product, a));
  }
}

template <class S>
void check_eigenvalues(Eigen::Index size) {
  auto a = definite_matrix<S>(size);
  Eigen::VectorXd values, alone;
  Dense<S> vectors;
  BOOST_TEST(cpu::find_eigenvalues<S>(a, values, &vectors));
  BOOST_TEST(is_close<S>(a * vectors, vectors * values.asDiagonal()));
  BOOST_TEST(cpu::find_eigenvalues<S>(a, alone, nullptr));
  BOOST_TEST((alone - values).norm() <= 1e-11 * values.norm());
}

template <class S>
void check_products(Eigen::Index rows, Eigen::Index inner, Eigen::Index columns) {
  auto a = matrix_of_sizes<S>(rows, inner), b = matrix_of_sizes<S>(inner, columns);
  BOOST_TEST(is_close<S>(cpu::multiply(a, b), a.lazyProduct(b)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dense_routines)

BOOST_AUTO_TEST_CASE(factors_of_all_instruction_sets_give_the_matrices_back) {
  with_each_target([] {
    for (Eigen::Index size : {1, 3, 8, 70}) {
      check_triangles<double>(size);
      check_triangles<complex128>(size);
      check_eigenvalues<double>(size);
      check_eigenvalues<complex128>(size);
      for (auto columns : {size, size + 5}) {
        check_orthogonal<double>(size, columns);
        check_orthogonal<double>(columns, size);
        check_orthogonal<complex128>(size, columns);
      }
      check_products<double>(size, size + 1, size + 7);
      check_products<complex128>(size + 7, size, size + 1);
    }
  });
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_where_a_matrix_lies) {
  constexpr Eigen::Index size = 13, elements = size * size;
  auto definite = definite_matrix<double>(size), any = matrix_of_sizes<double>(size, size);
  // The Cholesky factor, the columns that were made orthogonal, and a product, at an offset.
  auto compute = [&](Eigen::Index offset) {
    std::vector<double> memory(static_cast<size_t>(4 * elements + offset));
    auto* at = memory.data() + offset;
    std::copy_n(definite.data(), elements, at);
    std::copy_n(any.data(), elements, at + elements);
    std::copy_n(any.data(), elements, at + 2 * elements);
    cpu::routines::with_instructions([&]<cpu::routines::Instructions set>() {
      cpu::routines::factor_cholesky<set>(at, size);
      cpu::routines::orthogonalize<set>(at + elements, at + 2 * elements, size, size, 0.0);
      cpu::routines::multiply<set>(at, at + elements, at + 3 * elements, size, size, size);
    });
    return std::vector<double>(at, at + 4 * elements);
  };
  with_each_target([&] {
    auto results = compute(0);
    for (Eigen::Index offset = 1; offset < 8; ++offset) BOOST_TEST(compute(offset) == results);
  });
}

BOOST_AUTO_TEST_CASE(the_routines_are_those_of_the_processors_instructions) {
  using cpu::routines::Instructions;
  with_each_target([] {
    auto targets = hwy::SupportedTargets();
    auto wanted = targets == HWY_AVX3   ? Instructions::avx512
                  : targets == HWY_AVX2 ? Instructions::avx2
                                        : Instructions::any;
    auto used = cpu::routines::with_instructions([]<Instructions set>() { return set; });
    BOOST_TEST((used == wanted));
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
