#pragma once

#include "troupe/devices/cpu/data_flow/waiting_kernel.hpp"
#include "troupe/devices/cpu/queue/batch.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {

/// More is copied by a thread of the device.
constexpr uint64_t staged_at_once_bytes = 256 * 1024;

/// Calls put(tensors) with the tensors in memory that is not lent, as it is kept for later steps:
/// now, or on a thread of the device. Ends the use where there is no memory for them.
template <class R, class Put>
void put_kept(Launch& launch, Tensors tensors, const LaunchedUse<R>& use, Put put) {
  auto bytes = lent_bytes(tensors);
  auto work = [&device = launch.device(), tensors = std::move(tensors), use, put]() mutable {
    auto kept = in_kept_memory(std::move(tensors), device.allocator());
    if (kept) put(*std::move(kept));
    else use.done(kept.status());
  };
  if (bytes > staged_at_once_bytes) launch.device().enqueue(std::move(work));
  else work();
}

}  // namespace troupe::cpu
