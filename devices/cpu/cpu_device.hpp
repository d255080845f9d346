#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "troupe/devices/device.hpp"

namespace troupe {

struct CpuOptions {
  int threads = 0;            // of its arena; 0: one per core
  uint64_t memory_limit = 0;  // bytes; 0: the machine's memory
  /// Large tensors lie in memory that other processes of this host can map. A child of fork()
  /// cannot use them.
  bool shares_memory = false;
};

/// The processor as CPU:0. Kernels run on one oneTBB arena; tensors are in a pool that counts and
/// limits the bytes in use. The destructor waits for enqueued work.
std::unique_ptr<Device> make_cpu_device(const CpuOptions& options = {});
/// The processor as several devices, CPU:0 and on, which share the threads and the pool.
std::vector<std::unique_ptr<Device>> make_cpu_devices(int count, const CpuOptions& options = {});

}  // namespace troupe
