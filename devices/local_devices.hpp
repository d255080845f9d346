#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// Which of the machine's devices a task has, and what of them.
struct LocalDeviceOptions {
  /// "CPU:0", or "CPU" for all of the type; empty: all that there are.
  std::vector<std::string> visible;
  /// How many devices of a type it has: {"CPU", 2} shows the processor as CPU:0 and CPU:1, which
  /// share its threads and memory; {"GPU", 0} is no error where there is none.
  std::map<std::string, int> count;
  CpuOptions cpu;
};

/// InvalidArgument where they ask for what the machine has not; it lists what there is.
Status check(const LocalDeviceOptions& options);

/// The devices that options which passed the check ask for: at least one, as a master needs a place
/// for what is not pinned.
std::vector<std::shared_ptr<Device>> make_local_devices(const LocalDeviceOptions& options);

}  // namespace troupe
