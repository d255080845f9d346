#include "troupe/devices/cpu/state/resource_input.hpp"

namespace troupe::cpu {

std::string describe(const ResourceHandle& handle, const char* kind) {
  auto text = std::string(kind) + " '" + handle.name + "'";
  if (!handle.container.empty()) text += " of container '" + handle.container + "'";
  return text;
}

Status gone(const ResourceHandle& handle) {
  return aborted(describe(handle, handle.resource->kind()) + " is gone: its container was reset");
}

}  // namespace troupe::cpu
