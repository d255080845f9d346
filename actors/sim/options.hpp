#pragma once

#include <memory>

#include "troupe/actors/sim/random.hpp"
#include "troupe/actors/sim/world/network_options.hpp"
#include "troupe/devices/kernel.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::sim {

/// The ops and kernels of a cluster. Immutable, so that clusters can share them.
struct Catalogs {
  std::shared_ptr<const OpCatalog> ops;
  std::shared_ptr<const KernelCatalog> kernels;

  /// With all ops and CPU kernels.
  static Catalogs make();
};

struct Options {
  NetworkOptions network;
  uint64_t memory_limit = uint64_t{1} << 30;  // bytes, of each task's device
  /// Devices GPU:0 and on of each task, beside its CPU:0: asynchronous ones with memory of their
  /// own (devices/simulated/simulated_accelerator.hpp), which have the same memory limit each.
  int accelerators = 0;
  std::chrono::milliseconds connect_timeout{1000};
  std::chrono::milliseconds heartbeat_limit{2000};
  /// Each timer is late by up to this.
  std::chrono::nanoseconds timer_delay_max{0};
  Catalogs catalogs = {};  // Catalogs::make() by default
};

}  // namespace troupe::sim
