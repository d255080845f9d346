#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Which of the machine's devices a task has, and their options.
struct LocalDeviceOptions {
  /// "CPU:0", or "CPU" for all of the type; empty: all devices.
  std::vector<std::string> visible;
  /// How many devices of a type the task has: {"CPU", 2} makes CPU:0 and CPU:1, which share threads
  /// and memory; {"GPU", 0} is accepted on a machine without one.
  std::map<std::string, int> count;
  CpuOptions cpu;
};

/// InvalidArgument if they ask for devices that the machine lacks; it lists those that there are.
Status check(const LocalDeviceOptions& options);

/// The devices for options that passed check(). At least one, as a master needs a default device
/// for nodes without a constraint.
std::vector<std::shared_ptr<Device>> make_local_devices(const LocalDeviceOptions& options);

}  // namespace troupe
