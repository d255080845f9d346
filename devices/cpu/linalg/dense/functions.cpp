#include <array>
#include <limits>
#include <unsupported/Eigen/MatrixFunctions>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"

namespace troupe::cpu {
namespace {

/// A node and a weight of Gauss's quadrature over [0, 1], of 7 nodes.
struct QuadratureNode {
  double at, weight;
};
constexpr std::array<QuadratureNode, 7> quadrature_nodes = {{
    {0.025446043828620737, 0.064742483084434847},
    {0.129234407200302780, 0.139852695744638334},
    {0.297077424311301417, 0.190915025252559473},
    {0.5, 0.208979591836734694},
    {0.702922575688698583, 0.190915025252559473},
    {0.870765592799697220, 0.139852695744638334},
    {0.974553956171379263, 0.064742483084434847},
}};

}  // namespace

template <class S>
void exponentiate(Dense<S>& matrix) {
  matrix = matrix.exp().eval();
}

namespace {
/// Whether one of the real eigenvalues of a real Schur form is negative.
bool has_negative_eigenvalue(const Dense<double>& form) {
  for (Eigen::Index i = 0; i < form.rows(); ++i) {
    if (i + 1 < form.rows() && form(i + 1, i) != 0) ++i;  // a pair that is complex
    else if (form(i, i) < 0) return true;
  }
  return false;
}
}  // namespace

/// Eigen's function of real matrices requires that there is a real root.
template <>
void take_square_root(Dense<double>& matrix) {
  Eigen::RealSchur<Dense<double>> schur(matrix);
  if (schur.info() != Eigen::Success || has_negative_eigenvalue(schur.matrixT())) {
    matrix.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Dense<double> root = Dense<double>::Zero(matrix.rows(), matrix.cols());
  Eigen::matrix_sqrt_quasi_triangular(schur.matrixT(), root);
  matrix = schur.matrixU() * root * schur.matrixU().transpose();
}

template <>
void take_square_root(Dense<complex128>& matrix) {
  matrix = matrix.sqrt().eval();
}

/// By roots of the triangular Schur form until it is near to 1, where the integral of
/// x / (1 + t * x) over t in [0, 1] is exact to double precision with few nodes. Eigen's function
/// does not end where the roots do not come near to 1, as of a singular matrix.
bool take_logarithm(Dense<complex128>& matrix) {
  constexpr int roots_max = 100;
  constexpr double near = 0.26;
  Eigen::ComplexSchur<Dense<complex128>> schur(matrix);
  if (schur.info() != Eigen::Success) return false;
  Dense<complex128> triangle = schur.matrixT(),
                    root = Dense<complex128>::Zero(matrix.rows(), matrix.cols());
  auto identity = Dense<complex128>::Identity(matrix.rows(), matrix.cols()).eval();
  auto distance = [&] { return (triangle - identity).cwiseAbs().colwise().sum().maxCoeff(); };
  double factor = 1;
  for (int i = 0; !(distance() < near); ++i, factor *= 2) {
    if (i == roots_max || !triangle.allFinite()) return false;
    Eigen::matrix_sqrt_triangular(triangle, root);
    triangle = root.triangularView<Eigen::Upper>();
  }
  Dense<complex128> x = triangle - identity, sum = x;
  sum.setZero();
  for (const auto& node : quadrature_nodes) {
    Dense<complex128> shifted = identity + node.at * x;
    sum += node.weight * shifted.triangularView<Eigen::Upper>().solve(x);
  }
  matrix = factor * schur.matrixU() * sum * schur.matrixU().adjoint();
  return matrix.allFinite();
}

template void exponentiate(Dense<double>&);
template void exponentiate(Dense<complex128>&);

}  // namespace troupe::cpu
