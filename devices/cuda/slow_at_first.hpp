#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// A kernel whose first launch takes long, as it loads a library, compiles, or measures. It says so
/// as its cost, and the executor leaves that launch to the device's threads: no actor waits for it.
inline Kernel slow_at_first(KernelCatalog::Compute compute) {
  constexpr int64_t first_ns = 10'000'000, other_ns = 3000;
  auto has_run = std::make_shared<std::atomic<bool>>(false);
  return {
      .compute =
          [compute = std::move(compute), has_run](Launch& launch) {
            auto status = compute(launch);
            has_run->store(true, std::memory_order_relaxed);
            return status;
          },
      .cost_ns =
          [has_run](const Launch&) {
            return has_run->load(std::memory_order_relaxed) ? other_ns : first_ns;
          }};
}

}  // namespace troupe::cuda
