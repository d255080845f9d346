#include "troupe/devices/cpu/state/resource_input.hpp"

#include "troupe/devices/step_resources.hpp"

namespace troupe::cpu {

std::string describe(const ResourceHandle& handle, const char* kind) {
  auto text = std::string(kind) + " '" + handle.name + "'";
  if (!handle.container.empty()) text += " of container '" + handle.container + "'";
  return text;
}

Status gone(const ResourceHandle& handle) {
  return aborted(describe(handle, handle.resource->kind()) + " is gone: its container was reset");
}

void note_change(const Launch& launch, int index) {
  if (!StepResources::is_own(launch.input(index).value<ResourceHandle>())) launch.note_change();
}

}  // namespace troupe::cpu
