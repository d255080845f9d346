#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// Room for a kernel's outputs without an allocation, as nearly all have few.
class LaunchOutputs {
 public:
  explicit LaunchOutputs(int count) : count_(static_cast<size_t>(count)) {
    if (count_ > few_max) many_ = std::make_unique<Tensor[]>(count_);
    else std::uninitialized_default_construct_n(data(), count_);
  }
  LaunchOutputs(const LaunchOutputs&) = delete;
  ~LaunchOutputs() {
    if (!many_) std::destroy_n(data(), count_);
  }
  std::span<Tensor> span() { return {data(), count_}; }

 private:
  static constexpr size_t few_max = 4;

  Tensor* data() { return many_ ? many_.get() : reinterpret_cast<Tensor*>(few_); }

  size_t count_;
  std::unique_ptr<Tensor[]> many_;
  alignas(Tensor) std::byte few_[few_max * sizeof(Tensor)];
};

}  // namespace troupe
