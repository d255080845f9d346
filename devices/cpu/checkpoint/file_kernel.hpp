#pragma once

#include <functional>
#include <string>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// A kernel that waits for the disk must not run on the thread that starts the step.
inline Kernel file_kernel(std::function<Status(Launch&)> compute) {
  constexpr int64_t disk_ns = 10'000'000;
  return {
      .compute = std::move(compute), .start = {}, .cost_ns = [](const Launch&) { return disk_ns; }};
}

inline Result<std::string> string_input(const Launch& launch, int index) {
  const auto& tensor = launch.input(index);
  if (tensor.shape().is_scalar()) return tensor.value<std::string>();
  return invalid_argument(
      "input " + std::to_string(index) + " must be one string, not of shape " +
      tensor.shape().to_string());
}

}  // namespace troupe::cpu
