#pragma once

#include <initializer_list>
#include <vector>

#include "troupe/devices/cpu/nn/cells.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

/// What the kernels of cells of recurrent networks share.
namespace troupe::cuda {

/// A matrix in the card's memory without gaps, row by row.
struct RecurrentMatrix {
  const void* elements;
  int64_t rows, columns;
};

/// What the sums of products are rounded to: elements of the dtype, or what these are computed as.
enum class ProductResult : uint8_t { element, wide };

/// Products of matrices of the dtype, put on the stream of a launch. Matrices may be empty.
class RecurrentProducts {
 public:
  RecurrentProducts(const Launch& launch, DType dtype) : launch_(launch), dtype_(dtype) {}

  /// Writes a b.
  Status multiply(
      const RecurrentMatrix& a, const RecurrentMatrix& b, void* out, ProductResult result) const;
  /// Writes a b', where ' transposes: what goes back through a product with b.
  Status multiply_back(
      const RecurrentMatrix& a, const RecurrentMatrix& b, void* out, ProductResult result) const;
  /// Writes a' b: the derivatives of the second factor of a product.
  Status multiply_for_weights(const RecurrentMatrix& a, const RecurrentMatrix& b, void* out) const;

 private:
  struct Sizes {
    int64_t rows, inner, columns;
    bool transpose_a, transpose_b;
  };
  Status multiply(
      const Sizes& sizes, const void* a, const void* b, void* out, ProductResult result) const;

  const Launch& launch_;
  const DType dtype_;
};

/// The dtype that elements of another are computed as.
inline DType wide_dtype(DType dtype) {
  return dtype == DType::float64 ? DType::float64 : DType::float32;
}

/// The outputs of a launch, to be written, which have the shapes of the arguments.
Result<Tensors> allocate_recurrent(
    const Launch& launch, DType dtype, const ops::CellSizes& sizes,
    const std::vector<ops::CellArgument>& outputs);
/// Sets them, once all kernels are started.
Status set_recurrent(Launch& launch, Tensors outputs, const char* what);

/// Memory of a launch for what is used within it. The first error stays, and all that is allocated
/// then is null.
class RecurrentScratch {
 public:
  explicit RecurrentScratch(const Launch& launch) : launch_(launch) {}

  void* allocate(DType dtype, std::initializer_list<int64_t> sizes);
  const Status& status() const { return status_; }
  /// What was allocated last.
  const Tensor& last() const { return tensors_.back(); }

 private:
  const Launch& launch_;
  Tensors tensors_;
  Status status_;
};

}  // namespace troupe::cuda
