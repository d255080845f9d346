#pragma once

#include <memory>

#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// What the gradients of an accumulator add up to. Its owner lets one thread at a time use it.
class GradientSum {
 public:
  /// What an accumulator declares of its gradients.
  struct Options {
    DType dtype = DType::float32;
    Shape shape = Shape::unknown_rank();
    bool is_mean = true;  // the mean of the gradients is taken, not their sum
    bool is_sparse = false;

    bool operator==(const Options&) const = default;
  };

  explicit GradientSum(Options options) : options_(std::move(options)) {}
  virtual ~GradientSum() = default;

  const Options& options() const { return options_; }
  virtual std::unique_ptr<GradientSum> make_empty() const = 0;

  /// InvalidArgument unless the gradient fits what is declared and those before it. Its tensors are
  /// those of the op that applies it: a dense one is {values}, a sparse one {indices, values,
  /// shape}; shape is unset if it is not known.
  virtual Status check(const Tensors& gradient) const = 0;
  /// Adds one that was checked. Where it fails, nothing was added.
  virtual Status add(Tensors gradient, Allocator& allocator) = 0;
  /// How many were added.
  int32_t count() const { return count_; }
  virtual uint64_t bytes() const = 0;

  /// The sum or mean, in the tensors of the op that takes it. To be called once.
  virtual Result<Tensors> result(Allocator& allocator) = 0;

 protected:
  int32_t count_ = 0;

 private:
  const Options options_;
};

/// Unimplemented for other dtypes than float16, bfloat16, float32 and float64.
Result<std::unique_ptr<GradientSum>> make_gradient_sum(const GradientSum::Options& options);

// The two forms, of a dtype that there is.
std::unique_ptr<GradientSum> make_dense_gradient_sum(const GradientSum::Options& options);
std::unique_ptr<GradientSum> make_sparse_gradient_sum(const GradientSum::Options& options);

}  // namespace troupe
