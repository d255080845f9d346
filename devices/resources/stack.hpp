#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// A stack of tensors of one dtype, in host or device memory. Thread-safe.
/// (TensorFlow: StackV2 and its companions.)
class StackResource final : public Resource {
 public:
  /// `size_max` elements at most; unlimited if it is negative.
  StackResource(DType dtype, int64_t size_max) : dtype_(dtype), size_max_(size_max) {}

  const char* kind() const override { return "stack"; }
  DType dtype() const { return dtype_; }

  void drop() override {
    std::lock_guard lock(mutex_);
    dropped_ = true;
    elements_.clear();
  }
  bool is_dropped() const override {
    std::lock_guard lock(mutex_);
    return dropped_;
  }
  Description describe() const override {
    std::lock_guard lock(mutex_);
    Description description{.dtype = dtype_};
    for (const auto& element : elements_) description.bytes += element.bytes();
    return description;
  }

  /// InvalidArgument if it is full or closed, or if the dtype differs.
  Status push(Tensor element) {
    std::lock_guard lock(mutex_);
    if (dropped_) return invalid_argument("the stack is closed");
    if (element.dtype() != dtype_)
      return invalid_argument(
          std::string("the stack holds ") + to_string(dtype_) + ", not " +
          to_string(element.dtype()));
    if (size_max_ >= 0 && static_cast<int64_t>(elements_.size()) >= size_max_)
      return invalid_argument(
          "the stack is full: it holds at most " + std::to_string(size_max_) + " elements");
    elements_.push_back(std::move(element));
    return {};
  }

  /// InvalidArgument if it is empty or closed.
  Result<Tensor> pop() {
    std::lock_guard lock(mutex_);
    if (elements_.empty())
      return invalid_argument(dropped_ ? "the stack is closed" : "the stack is empty");
    auto element = std::move(elements_.back());
    elements_.pop_back();
    return element;
  }

 private:
  const DType dtype_;
  const int64_t size_max_;
  mutable std::mutex mutex_;
  std::vector<Tensor> elements_;
  bool dropped_ = false;
};

}  // namespace troupe
