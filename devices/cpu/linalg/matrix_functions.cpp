#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/linalg/matrix_batch.hpp"

namespace troupe::cpu {
namespace {

/// The kernel of F::of(matrix), which makes a matrix of that size, or false. Of a matrix that is
/// not finite the result is NaN.
template <class F>
struct MatrixFunctionKernel {
  explicit MatrixFunctionKernel(const Node&) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    const auto& in = launch.input(0);
    auto out = launch.allocate(in.dtype(), in.shape());
    if (!out) return out.status();
    auto n = batch->rows;
    auto status = each_matrix(*batch, *out, [&](int64_t index) -> Status {
      auto matrix = matrix_of<T>(in, index, n, n);
      if (!matrix.allFinite())
        matrix.setConstant(Wide<T>(std::numeric_limits<double>::quiet_NaN()));
      else if (!F::of(matrix))
        return invalid_argument("the matrix has no logarithm that could be found");
      put_matrix<T>(*out, index, matrix);
      return {};
    });
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  }
};

struct Exponential {
  template <class S>
  static bool of(Dense<S>& matrix) {
    exponentiate(matrix);
    return true;
  }
};
struct SquareRoot {
  template <class S>
  static bool of(Dense<S>& matrix) {
    take_square_root(matrix);
    return true;
  }
};
struct Logarithm {
  static bool of(Dense<complex128>& matrix) { return take_logarithm(matrix); }
};

}  // namespace

void add_matrix_functions_kernels(KernelCatalog& catalog) {
  catalog.add("MatrixExponential", decomposition<MatrixFunctionKernel<Exponential>>());
  catalog.add("MatrixSquareRoot", decomposition<MatrixFunctionKernel<SquareRoot>>());
  catalog.add("MatrixLogarithm", decomposition<MatrixFunctionKernel<Logarithm>>(Complex{}));
}

}  // namespace troupe::cpu
