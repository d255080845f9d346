#include "troupe/devices/cuda/linalg/product_cache.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "troupe/devices/cuda/measure.hpp"
#include "troupe/graph/support/environment.hpp"

namespace troupe::cuda {
namespace {

constexpr size_t product_plans_max = 1024;
/// Algorithms that are measured, and for how large a product.
constexpr int measured_max = 8;
constexpr double measured_flops = 1e8;
/// The library has no algorithms for 2^16 products and more in one call. A power of 2, so that the
/// parts of more are as well aligned as all.
constexpr int64_t count_max = 1 << 15;

Status status_of(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  auto message = std::string("cuBLASLt could not ") + what + ": " + cublasLtGetStatusString(status);
  return status == CUBLAS_STATUS_ALLOC_FAILED ? resource_exhausted(message) : internal(message);
}

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::float64: return CUDA_R_64F;
    case DType::float16: return CUDA_R_16F;
    case DType::bfloat16: return CUDA_R_16BF;
    default: return CUDA_R_32F;
  }
}

}  // namespace

bool has_products(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 ||
         dtype == DType::bfloat16;
}

int alignment_of(std::initializer_list<const void*> memory, int most) {
  uintptr_t all = static_cast<uintptr_t>(most);
  for (const auto* one : memory) all |= reinterpret_cast<uintptr_t>(one);
  return static_cast<int>(all & -all);
}

struct ProductCache::Plan {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, out = nullptr;
  std::mutex mutex;
  std::vector<Algorithm> algorithms;  // at least one; one once they were measured
  bool is_double = false;

  Plan() = default;
  Plan(const Plan&) = delete;
  ~Plan() {
    if (product) cublasLtMatmulDescDestroy(product);
    for (auto* layout : {a, b, out})
      if (layout) cublasLtMatrixLayoutDestroy(layout);
  }
};

ProductCache::ProductCache(const Card& card)
    : created_(cublasLtCreate(&handle_)),
      workspace_max_((card.capability >= 90 ? size_t{32} : size_t{8}) << 20),
      allows_tf32_(variable(process_environment(), "TROUPE_TF32") == "1") {}

ProductCache::~ProductCache() {
  plans_.clear();
  if (handle_) cublasLtDestroy(handle_);
}

namespace {

struct LayoutSizes {
  int64_t rows, columns, stride;
};

/// The library's matrices are in column-major order, so a row is a column to it.
cublasStatus_t make_layout(
    cublasLtMatrixLayout_t& layout, const ProductShape& shape, DType dtype,
    const LayoutSizes& sizes) {
  auto status = cublasLtMatrixLayoutCreate(
      &layout, data_type(dtype), static_cast<uint64_t>(sizes.columns),
      static_cast<uint64_t>(sizes.rows), sizes.columns);
  if (status != CUBLAS_STATUS_SUCCESS || shape.count == 1) return status;
  auto count = static_cast<int32_t>(shape.count);
  status = cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count));
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &sizes.stride, sizeof(sizes.stride));
}

cublasStatus_t make_product(
    cublasLtMatmulDesc_t& product, const ProductShape& shape, bool allows_tf32) {
  auto is_double = shape.dtype == DType::float64;
  auto is_tf32 = shape.dtype == DType::float32 && allows_tf32;
  auto status = cublasLtMatmulDescCreate(
      &product,
      is_double ? CUBLAS_COMPUTE_64F
      : is_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                : CUBLAS_COMPUTE_32F,
      is_double ? CUDA_R_64F : CUDA_R_32F);
  // The product of columns is the transposed one of rows, whose operands change places.
  auto first = shape.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
       second = shape.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (status == CUBLAS_STATUS_SUCCESS)
    status =
        cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first));
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublasLtMatmulDescSetAttribute(
        product, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof(second));
  return status;
}

cublasStatus_t set_preferences(
    cublasLtMatmulPreference_t preference, size_t workspace, int alignment) {
  auto status = cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace));
  auto bytes = static_cast<uint32_t>(alignment);
  for (auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    if (status == CUBLAS_STATUS_SUCCESS)
      status = cublasLtMatmulPreferenceSetAttribute(preference, attribute, &bytes, sizeof(bytes));
  return status;
}

}  // namespace

Result<std::shared_ptr<ProductCache::Plan>> ProductCache::make_plan(
    const ProductShape& shape) const {
  auto plan = std::make_shared<Plan>();
  plan->is_double = shape.dtype == DType::float64;
  LayoutSizes a{shape.rows, shape.inner, shape.a_stride},
      b{shape.inner, shape.columns, shape.b_stride},
      out{shape.rows, shape.columns, shape.rows * shape.columns};
  if (shape.transpose_a) std::swap(a.rows, a.columns);
  if (shape.transpose_b) std::swap(b.rows, b.columns);
  auto result = shape.is_widened ? DType::float32 : shape.dtype;
  auto status = make_product(plan->product, shape, allows_tf32_);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout(plan->a, shape, shape.dtype, a);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout(plan->b, shape, shape.dtype, b);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout(plan->out, shape, result, out);
  cublasLtMatmulPreference_t preference = nullptr;
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasLtMatmulPreferenceCreate(&preference);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = set_preferences(preference, workspace_max_, shape.alignment);
  std::array<cublasLtMatmulHeuristicResult_t, measured_max> found{};
  int count = 0;
  auto flops = 2.0 * static_cast<double>(shape.rows * shape.inner * shape.columns * shape.count);
  auto most = measures_algorithms() && flops >= measured_flops ? measured_max : 1;
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublasLtMatmulAlgoGetHeuristic(
        handle_, plan->product, plan->b, plan->a, plan->out, plan->out, preference, most,
        found.data(), &count);
  if (preference) cublasLtMatmulPreferenceDestroy(preference);
  if (status == CUBLAS_STATUS_SUCCESS && count == 0) status = CUBLAS_STATUS_NOT_SUPPORTED;
  if (auto failed = status_of(status, "plan a product"); !failed.ok()) return failed;
  for (int i = 0; i < count; ++i) {
    const auto& algorithm = found[static_cast<size_t>(i)];
    if (algorithm.state == CUBLAS_STATUS_SUCCESS)
      plan->algorithms.push_back({algorithm.algo, algorithm.workspaceSize});
  }
  if (plan->algorithms.empty()) return status_of(CUBLAS_STATUS_NOT_SUPPORTED, "plan a product");
  return plan;
}

Result<std::shared_ptr<ProductCache::Plan>> ProductCache::plan_for(const ProductShape& shape) {
  std::lock_guard lock(mutex_);
  if (auto status = status_of(created_, "start"); !status.ok()) return status;
  if (auto found = plans_.find(shape); found != plans_.end()) return found->second;
  auto plan = make_plan(shape);
  if (!plan) return plan;
  if (plans_.size() >= product_plans_max) plans_.clear();
  plans_.emplace(shape, *plan);
  return plan;
}

Status ProductCache::multiply(
    const Launch& launch, const ProductShape& shape, const ProductMemory& memory) {
  auto of_operand = static_cast<int64_t>(size_of(shape.dtype));
  auto of_result = static_cast<int64_t>(shape.is_widened ? sizeof(float) : size_of(shape.dtype));
  for (int64_t first = 0; first < shape.count; first += count_max) {
    auto part = shape;
    part.count = std::min(shape.count - first, count_max);
    auto status = multiply_at_once(
        launch, part,
        {static_cast<const std::byte*>(memory.a) + first * shape.a_stride * of_operand,
         static_cast<const std::byte*>(memory.b) + first * shape.b_stride * of_operand,
         static_cast<std::byte*>(memory.out) + first * shape.rows * shape.columns * of_result});
    if (!status.ok()) return status;
  }
  return {};
}

Status ProductCache::multiply_at_once(
    const Launch& launch, ProductShape shape, const ProductMemory& memory) {
  shape.alignment = alignment_of({memory.a, memory.b, memory.out}, 256);
  auto found = plan_for(shape);
  if (!found) return found.status();
  auto& plan = **found;
  auto put = [&](const Algorithm& algorithm) {
    return put_product(launch, plan, algorithm, memory);
  };
  std::unique_lock lock(plan.mutex);
  if (plan.algorithms.size() > 1 && !is_captured(launch)) {
    auto fastest = find_fastest(
        launch, plan.algorithms.size(), [&](size_t i) { return put(plan.algorithms[i]); });
    plan.algorithms = {plan.algorithms[fastest]};
  }
  auto algorithm = plan.algorithms.front();
  lock.unlock();
  return put(algorithm);
}

Status ProductCache::put_product(
    const Launch& launch, const Plan& plan, const Algorithm& algorithm,
    const ProductMemory& memory) const {
  Tensor workspace;
  if (algorithm.workspace > 0) {
    auto allocated = scratch(launch, algorithm.workspace);
    if (!allocated) return allocated.status();
    workspace = *std::move(allocated);
  }
  const float one = 1, zero = 0;
  const double double_one = 1, double_zero = 0;
  const void* alpha = plan.is_double ? static_cast<const void*>(&double_one) : &one;
  const void* beta = plan.is_double ? static_cast<const void*>(&double_zero) : &zero;
  return status_of(
      cublasLtMatmul(
          handle_, plan.product, alpha, memory.b, plan.b, memory.a, plan.a, beta, memory.out,
          plan.out, memory.out, plan.out, &algorithm.choice,
          algorithm.workspace > 0 ? workspace.mutable_raw() : nullptr, algorithm.workspace,
          stream_of(launch)),
      "multiply");
}

}  // namespace troupe::cuda
