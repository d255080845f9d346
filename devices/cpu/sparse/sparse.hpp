#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// The places of a sparse tensor's entries: `count` rows of `rank` indices each, in a tensor of
/// those sizes, which need not be one that dense tensors can have.
class SparsePlaces {
 public:
  /// Of a tensor of shape [count, rank] and one of [rank], int32 or int64. Fails unless they fit
  /// each other and no size is negative.
  static Result<SparsePlaces> of(const Tensor& indices, const Tensor& shape);
  /// The same, with as many values; the indices must lie in the shape.
  static Result<SparsePlaces> of(const Tensor& indices, const Tensor& values, const Tensor& shape);

  // The same of what lies where a kernel cannot read it, but for the bounds of indices: the sizes.
  static Result<std::vector<int64_t>> sizes_of(const Shape& indices, const Tensor& shape);
  static Result<std::vector<int64_t>> sizes_of(
      const Shape& indices, const Shape& values, const Tensor& shape);

  int64_t count() const { return count_; }
  int rank() const { return static_cast<int>(sizes_.size()); }
  const std::vector<int64_t>& sizes() const { return sizes_; }
  std::span<const int64_t> operator[](int64_t entry) const {
    return {data() + entry * rank(), sizes_.size()};
  }

  /// Fails, naming the first that does not, unless all indices lie in the shape.
  Status check_bounds() const;
  /// The sizes as those of a dense tensor.
  Result<Shape> dense_shape() const { return Shape::make(sizes_); }
  /// The entries' numbers in the order of their indices, row by row; those at one place stay in
  /// the order in which they were given.
  std::vector<int64_t> order() const;

 private:
  const int64_t* data() const {
    return copies_.empty() ? indices_.data<int64_t>() : copies_.data();
  }

  Tensor indices_;
  std::vector<int64_t> copies_;  // of int32 indices
  std::vector<int64_t> sizes_;
  int64_t count_ = 0;
};

/// "[1,2]"
std::string show_index(std::span<const int64_t> index);

/// That an entry's index does not lie in a shape, or does not come after the one before.
Status lies_outside(std::span<const int64_t> index, int64_t entry, std::span<const int64_t> sizes);
Status is_not_behind(
    std::span<const int64_t> index, int64_t entry, std::span<const int64_t> before);

/// Sets output `output` to those rows of a matrix or vector of values, which may be repeated.
Status set_chosen(
    Launch& launch, int output, const Tensor& values, std::span<const int64_t> chosen);
/// Sets output `output` to an int64 tensor of those values, of shape [rows, columns].
Status set_indices(
    Launch& launch, int output, int64_t rows, int64_t columns, std::span<const int64_t> values);

// The parts of the sparse family, each in the file of its name.
void add_sparse_dense_kernels(KernelCatalog& catalog);   // with dense tensors: sums, products
void add_sparse_rows_kernels(KernelCatalog& catalog);    // SparseFillEmptyRows and its gradient
void add_edit_distance_kernels(KernelCatalog& catalog);  // EditDistance

}  // namespace troupe::cpu
