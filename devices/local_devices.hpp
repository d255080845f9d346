#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// How a task uses the machine's GPUs, which other tasks may use, too.
struct GpuOptions {
  /// The cards that are GPU:0 and on, by their numbers among those of the machine; empty: all.
  std::vector<int> cards = {};
  /// What part of each card's memory the task may have; 0: all but some for its driver.
  double memory_fraction = 0;
  /// And at most so many bytes of it; 0: no other limit.
  uint64_t memory_limit = 0;
  /// Takes that memory at the start, so that no other task can, instead of when it is needed.
  bool reserves_memory = false;
  /// Captures the work of pieces of graphs and replays it (accelerator/captured_piece.hpp).
  bool captures_graphs = true;
};

/// Which of the machine's devices a task has, and their options.
struct LocalDeviceOptions {
  /// "CPU:0", or "CPU" for all of the type; empty: all devices. The CPU is always there: it is the
  /// host of the others.
  std::vector<std::string> visible;
  /// How many devices of a type the task has: {"CPU", 2} makes CPU:0 and CPU:1, which share threads
  /// and memory; {"GPU", 1} is the first of the GPUs, {"GPU", 0} none, also where there are none.
  std::map<std::string, int> count;
  CpuOptions cpu;
  GpuOptions gpu = {};
  /// Told why a GPU of a machine with NVIDIA's driver is not used.
  std::function<void(const std::string&)> log = {};
  /// Told what is of interest only to who looks for it: why a GPU runs a piece of a graph node by
  /// node. From any thread.
  std::function<void(const std::string&)> detail = {};
};

/// InvalidArgument if they ask for devices that the machine lacks; it lists those that there are,
/// and says why there is no GPU.
Status check(const LocalDeviceOptions& options);

/// The devices for options that passed check(): GPUs, then CPUs, of which there is one at least.
/// The first one is the default device of a master. Fails where a GPU was asked for and cannot be
/// used, or has not the memory that is to be reserved; others that cannot are left out.
Result<std::vector<std::shared_ptr<Device>>> make_local_devices(const LocalDeviceOptions& options);

/// The first of them that computes in the host's memory; null where none does.
std::shared_ptr<Device> find_host_device(const std::vector<std::shared_ptr<Device>>& devices);

}  // namespace troupe
