#pragma once

#include <cstring>
#include <string>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe::cpu {

/// "variable 'w' of container 'jobs'", for errors.
std::string describe(const ResourceHandle& handle, const char* kind);

/// Aborted: that resource is gone.
Status gone(const ResourceHandle& handle);

/// To be called when the launch has changed the resource whose handle is that input.
void note_change(const Launch& launch, int index);

/// The resource whose handle is that input, of the kind of the class R.
template <class R>
Result<R*> resource_input(const Launch& launch, int index) {
  const auto& handle = launch.input(index).value<ResourceHandle>();
  auto* resource = handle.resource.get();
  if (!resource)
    return failed_precondition(describe(handle, R::kind_name) + " is not bound to a container");
  const auto* kind = resource->kind();
  if (kind != R::kind_name && std::strcmp(kind, R::kind_name) != 0)
    return invalid_argument(
        "'" + handle.name + "' is a " + kind + ", but a " + R::kind_name + " is needed");
  return static_cast<R*>(resource);
}

}  // namespace troupe::cpu
