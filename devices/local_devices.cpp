#include "troupe/devices/local_devices.hpp"

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/check.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

// There are no GPU kernels, so CPUs are the only devices of a machine.
constexpr auto type = "CPU";
constexpr auto available_devices = "; this machine has: CPU:0";
constexpr int devices_max = 64;

/// "CPU" or "CPU:0", in any case, as in the names of devices.
Status check_visible(const std::string& text) {
  auto name = DeviceName::parse("/device:" + text);
  if (!name || !name->type)
    return invalid_argument("the device " + quote(text) + " is not written as CPU:0");
  if (*name->type == type && name->index.value_or(0) == 0) return {};
  return invalid_argument("there is no device " + quote(text) + available_devices);
}

Status check_count(const std::string& counted, int count) {
  auto asked = counted + "=" + std::to_string(count);
  // A count of 0 disables a type, as in TensorFlow, even one that the machine lacks.
  if (counted != type && count == 0) return {};
  if (counted != type)
    return invalid_argument("there are not as many devices as " + quote(asked) + available_devices);
  if (count >= 1 && count <= devices_max) return {};
  return invalid_argument(
      quote(asked) + ": a task has from 1 to " + std::to_string(devices_max) + " CPU devices");
}

}  // namespace

Status check(const LocalDeviceOptions& options) {
  for (const auto& name : options.visible)
    if (auto status = check_visible(name); !status.ok()) return status;
  for (const auto& [counted, count] : options.count)
    if (auto status = check_count(counted, count); !status.ok()) return status;
  return {};
}

std::vector<std::shared_ptr<Device>> make_local_devices(const LocalDeviceOptions& options) {
  CHECK(check(options).ok());
  auto count = options.count.find(type);
  std::vector<std::shared_ptr<Device>> devices;
  for (auto& device :
       make_cpu_devices(count == options.count.end() ? 1 : count->second, options.cpu))
    devices.push_back(std::move(device));
  return devices;
}

}  // namespace troupe
