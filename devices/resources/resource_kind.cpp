#include "troupe/devices/resources/resource_kind.hpp"

#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {

Status ResourceKind::check_declared(
    const Resource& resource, const ResourceName& resource_name, const Node& handle) const {
  auto wrong = [&](const std::string& why) {
    return invalid_argument(
        std::string(resource.kind()) + " '" + resource_name.name + "' of container '" +
        container_of(handle) + "' " + why + "; reset the container or choose another name");
  };
  if (resource.kind() != name) return wrong("is no " + name + ", as the graph declares it");
  auto status = check(resource, handle);
  return status.ok() || says_what_differs ? status : wrong(status.message());
}

void ResourceKindCatalog::add(ResourceKind kind) {
  CHECK(bool(kind.make) != bool(kind.make_in) && kind.check);
  auto op = kind.handle_op;
  CHECK(
      kinds_.emplace(std::move(op), std::make_shared<const ResourceKind>(std::move(kind))).second);
}

Result<ResourceKindCatalog::Kind> ResourceKindCatalog::find(std::string_view handle_op) const {
  auto found = kinds_.find(handle_op);
  if (found != kinds_.end()) return found->second;
  return unimplemented("this kind of device has no resources of op " + std::string(handle_op));
}

}  // namespace troupe
