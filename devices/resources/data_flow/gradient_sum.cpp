#include "troupe/devices/resources/data_flow/gradient_sum.hpp"

#include <algorithm>

#include "troupe/devices/resources/data_flow/gradient_loops.hpp"

namespace troupe {
namespace {

class DenseGradientSum final : public GradientSum {
 public:
  using GradientSum::GradientSum;

  std::unique_ptr<GradientSum> make_empty() const override {
    return std::make_unique<DenseGradientSum>(options());
  }

  Status check(const Tensors& gradient) const override {
    const auto& shape = gradient[0].shape();
    auto mismatch = [&](const Shape& expected) {
      return invalid_argument(
          "Shape mismatch: expected " + expected.to_string() + ", got " + shape.to_string());
    };
    if (count_ > 0 && sum_.shape() != shape) return mismatch(sum_.shape());
    if (!options().shape.is_compatible_with(shape)) return mismatch(options().shape);
    return {};
  }

  Status add(Tensors gradient, Allocator& allocator) override {
    auto& added = gradient[0];
    if (count_ == 0) {
      auto sum = gradient_loops::kept(std::move(added), allocator);
      if (!sum) return sum.status();
      sum_ = *std::move(sum);
    } else {
      auto sum = gradient_loops::writable(sum_, allocator);
      if (!sum) return sum.status();
      gradient_loops::add(*sum, added);
      sum_ = *std::move(sum);
    }
    ++count_;
    return {};
  }

  uint64_t bytes() const override { return count_ > 0 ? sum_.bytes() : 0; }

  Result<Tensors> result(Allocator& allocator) override {
    if (!options().is_mean || count_ == 1) return Tensors{std::move(sum_)};
    auto mean = gradient_loops::writable(sum_, allocator);
    if (!mean) return mean.status();
    gradient_loops::divide(*mean, 0, mean->elements(), count_);
    return Tensors{*std::move(mean)};
  }

 private:
  Tensor sum_;
};

}  // namespace

std::unique_ptr<GradientSum> make_dense_gradient_sum(const GradientSum::Options& options) {
  return std::make_unique<DenseGradientSum>(options);
}

Result<std::unique_ptr<GradientSum>> make_gradient_sum(const GradientSum::Options& options) {
  if (!std::ranges::count(floating(), options.dtype))
    return unimplemented(
        std::string("there are no accumulators of ") + to_string(options.dtype) +
        ": gradients are float16, bfloat16, float32 or float64");
  return options.is_sparse ? make_sparse_gradient_sum(options) : make_dense_gradient_sum(options);
}

}  // namespace troupe
