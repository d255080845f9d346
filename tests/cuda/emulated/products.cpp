// cuBLASLt for emulated cards: products of matrices in column-major order, by Eigen. It finds one
// algorithm for each, so that none is measured.
#include <cublasLt.h>

#include <Eigen/Core>
#include <cstring>
#include <vector>

#include "troupe/devices/cuda/measure.hpp"
#include "troupe/tests/cuda/emulated/floating.hpp"

namespace troupe::emulated {

struct MatmulDesc {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t of_a = CUBLAS_OP_N, of_b = CUBLAS_OP_N;
};

/// `stride`: from one column to the next; `batch_stride`: from one matrix to the next.
struct MatrixLayout {
  cudaDataType_t type;
  int64_t rows, columns, stride;
  int32_t count = 1;
  int64_t batch_stride = 0;
};

struct MatmulPreference {};

namespace {

cublasStatus_t set(void* to, size_t size, const void* value, size_t bytes) {
  if (bytes != size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

Floating floating_of(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F: return Floating::float64;
    case CUDA_R_16F: return Floating::float16;
    case CUDA_R_16BF: return Floating::bfloat16;
    default: return Floating::float32;
  }
}

/// One operand of a product, or its result, as [rows, columns] behind its operation.
struct Operand {
  const void* memory;
  MatrixLayout layout;
  cublasOperation_t operation;

  int64_t rows() const { return operation == CUBLAS_OP_T ? layout.columns : layout.rows; }
  int64_t columns() const { return operation == CUBLAS_OP_T ? layout.rows : layout.columns; }

  /// One of its matrices as it is multiplied.
  template <class T>
  Eigen::MatrixX<T> matrix(int64_t index) const {
    Eigen::MatrixX<T> all(layout.rows, layout.columns);
    auto begin = index * layout.batch_stride;
    for (int64_t column = 0; column < layout.columns; ++column)
      for (int64_t row = 0; row < layout.rows; ++row)
        all(row, column) = static_cast<T>(
            read(memory, floating_of(layout.type), begin + column * layout.stride + row));
    if (operation == CUBLAS_OP_T) all.transposeInPlace();
    return all;
  }
};

constexpr int32_t count_max = 65535;

/// Whether the library multiplies such matrices: also 16-bit floats to floats, and less than 2^16
/// at once.
bool fits(const Operand& a, const Operand& b, const MatrixLayout& d, cublasComputeType_t compute) {
  auto type = a.layout.type;
  auto is_double = compute == CUBLAS_COMPUTE_64F;
  auto is_half = type == CUDA_R_16F || type == CUDA_R_16BF;
  return type == b.layout.type && (d.type == type || (is_half && d.type == CUDA_R_32F)) &&
         is_double == (type == CUDA_R_64F) && a.rows() == d.rows && b.columns() == d.columns &&
         a.columns() == b.rows() && a.layout.count == d.count && b.layout.count == d.count &&
         d.count <= count_max && d.rows > 0 && d.columns > 0 && a.columns() > 0;
}

template <class T>
void multiply(const Operand& a, const Operand& b, void* to, const MatrixLayout& d) {
  for (int64_t index = 0; index < d.count; ++index) {
    Eigen::MatrixX<T> product = a.matrix<T>(index) * b.matrix<T>(index);
    for (int64_t column = 0; column < d.columns; ++column)
      for (int64_t row = 0; row < d.rows; ++row)
        write(
            to, floating_of(d.type), index * d.batch_stride + column * d.stride + row,
            static_cast<double>(product(row, column)));
  }
}

}  // namespace
}  // namespace troupe::emulated

using namespace troupe::emulated;

const char* cublasLtGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    default: return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasLtMatmulDescCreate(
    cublasLtMatmulDesc_t* product, cublasComputeType_t compute, cudaDataType_t scale) {
  *product = new MatmulDesc{compute, scale};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  delete product;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, const void* value,
    size_t bytes) {
  auto& operation = attribute == CUBLASLT_MATMUL_DESC_TRANSA ? product->of_a : product->of_b;
  return set(&operation, sizeof(operation), value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutCreate(
    cublasLtMatrixLayout_t* layout, cudaDataType_t type, uint64_t rows, uint64_t columns,
    int64_t stride) {
  if (stride < static_cast<int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  *layout =
      new MatrixLayout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), stride};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void* value,
    size_t bytes) {
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    return set(&layout->count, sizeof(layout->count), value, bytes);
  return set(&layout->batch_stride, sizeof(layout->batch_stride), value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new MatmulPreference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t, int most, cublasLtMatmulHeuristicResult_t* found, int* count) {
  Operand of_a{nullptr, *a, product->of_a}, of_b{nullptr, *b, product->of_b};
  auto is_found = most > 0 && fits(of_a, of_b, *d, product->compute);
  *count = is_found ? 1 : 0;
  if (is_found) found[0] = {.algo = {}, .workspaceSize = 0, .state = CUBLAS_STATUS_SUCCESS};
  return is_found ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t, cublasLtMatmulDesc_t product, const void*, const void* a,
    cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout, const void*,
    const void*, cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t d_layout,
    const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t stream) {
  Operand of_a{a, *a_layout, product->of_a}, of_b{b, *b_layout, product->of_b};
  if (!fits(of_a, of_b, *d_layout, product->compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
  auto multiplied = d_layout->type == CUDA_R_64F ? multiply<double> : multiply<float>;
  stream->put([of_a, of_b, d, to = *d_layout, multiplied] { multiplied(of_a, of_b, d, to); });
  return CUBLAS_STATUS_SUCCESS;
}

namespace troupe::cuda {

bool measures_algorithms() { return false; }
bool is_captured(const Launch& launch) { return stream_of(launch)->is_captured(); }
size_t find_fastest(const Launch&, size_t, const std::function<Status(size_t)>&) { return 0; }

}  // namespace troupe::cuda
