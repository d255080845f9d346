#pragma once

#include <cublasLt.h>

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>

#include "troupe/devices/cuda/launch.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Products of matrices of one size, in row-major order: [rows, inner] by [inner, columns], each
/// operand stored so or, transposed, the other way round. Of several, those of an operand lie so
/// many elements apart; 0 repeats one.
struct ProductShape {
  DType dtype;
  int64_t rows, inner, columns;
  bool transpose_a, transpose_b;
  int64_t count = 1, a_stride = 0, b_stride = 0;
  bool is_widened = false;  // of 16-bit floats: the products are float32
  int alignment = 0;        // of all three in bytes: a power of 2; found by multiply()

  auto operator<=>(const ProductShape&) const = default;
};

struct ProductMemory {
  const void* a;
  const void* b;
  void* out;
};

/// The library's algorithm for products of a shape: the fastest, as measured when they were first
/// made.
/// The cache of a card; thread-safe.
class ProductCache {
 public:
  explicit ProductCache(const Card& card);
  ~ProductCache();
  ProductCache(const ProductCache&) = delete;

  /// Puts the products on the launch's stream. Nothing may be empty.
  Status multiply(const Launch& launch, const ProductShape& shape, const ProductMemory& memory);

 private:
  struct Plan;
  struct Algorithm {
    cublasLtMatmulAlgo_t choice;
    size_t workspace;
  };

  Result<std::shared_ptr<Plan>> plan_for(const ProductShape& shape);
  Result<std::shared_ptr<Plan>> make_plan(const ProductShape& shape) const;
  Status multiply_at_once(const Launch& launch, ProductShape shape, const ProductMemory& memory);
  Status put_product(
      const Launch& launch, const Plan& plan, const Algorithm& algorithm,
      const ProductMemory& memory) const;

  cublasLtHandle_t handle_ = nullptr;
  cublasStatus_t created_;
  const size_t workspace_max_;
  const bool allows_tf32_;
  std::mutex mutex_;
  std::map<ProductShape, std::shared_ptr<Plan>> plans_;
};

/// Of memory in bytes: a power of 2, at most that.
int alignment_of(std::initializer_list<const void*> memory, int most);

/// Whether products can be made of elements of the dtype.
bool has_products(DType dtype);

}  // namespace troupe::cuda
