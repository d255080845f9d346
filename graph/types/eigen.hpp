#pragma once

#include <Eigen/Core>

#include "troupe/graph/types/tensor.hpp"

namespace troupe {

// Tensors as Eigen's matrices and back. As with Tensor::data(), T must be the dtype's C++ type. The
// maps are views: the tensor must outlive them, and elements may be written only where Tensor
// allows it.

template <class T>
using RowMajorMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ColumnVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// The elements of a tensor of rank 2.
template <class T>
Eigen::Map<const RowMajorMatrix<T>> as_matrix(const Tensor& tensor) {
  CHECK(tensor.shape().rank() == 2);
  return {tensor.data<T>(), tensor.shape()[0], tensor.shape()[1]};
}
template <class T>
Eigen::Map<RowMajorMatrix<T>> as_mutable_matrix(Tensor& tensor) {
  CHECK(tensor.shape().rank() == 2);
  return {tensor.mutable_data<T>(), tensor.shape()[0], tensor.shape()[1]};
}

/// All elements of a tensor of any rank, in row-major order.
template <class T>
Eigen::Map<const ColumnVector<T>> as_vector(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.elements()};
}
template <class T>
Eigen::Map<ColumnVector<T>> as_mutable_vector(Tensor& tensor) {
  return {tensor.mutable_data<T>(), tensor.elements()};
}

// Deleted: the view would outlive the temporary tensor.
template <class T>
Eigen::Map<const RowMajorMatrix<T>> as_matrix(Tensor&& tensor) = delete;
template <class T>
Eigen::Map<const ColumnVector<T>> as_vector(Tensor&& tensor) = delete;

/// The value of a matrix, array or expression: of rank 1 where its type is a row or a column, else
/// of rank 2.
template <class Derived>
Tensor to_tensor(const Eigen::DenseBase<Derived>& expression) {
  using T = typename Derived::Scalar;
  static_assert(dtype_of<T>() != DType::invalid, "no dtype has elements of that type");
  constexpr bool is_vector = Derived::IsVectorAtCompileTime;
  auto shape = is_vector ? Shape{expression.size()} : Shape{expression.rows(), expression.cols()};
  auto tensor = Tensor::allocate(dtype_of<T>(), shape);
  CHECK(tensor.ok());
  auto* elements = tensor->template mutable_data<T>();
  // Assignment between arrays and matrices is refused by Eigen, so both sides are arrays.
  using Elements = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Elements>(elements, expression.rows(), expression.cols()) =
      expression.derived().array();
  return *std::move(tensor);
}

}  // namespace troupe
