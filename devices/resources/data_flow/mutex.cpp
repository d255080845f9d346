#include "troupe/devices/resources/data_flow/mutex.hpp"

#include <tuple>

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {

std::string MutexResource::state() const {
  std::lock_guard lock(mutex_);
  return is_locked_ ? "held by a step" : "free";
}

uint64_t MutexResource::lock(Done done) {
  auto attempt = [this]() -> std::optional<Status> {
    if (is_locked_) return {};
    is_locked_ = true;
    return Status();
  };
  return call(0, std::move(attempt), std::move(done));
}

void MutexResource::unlock() {
  // It fails only where the mutex was dropped, and nobody waits for it any more.
  std::ignore = change([this] {
    is_locked_ = false;
    return Status();
  });
}

void add_mutex_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = MutexResource::kind_name,
       .handle_op = "MutexV2",
       .make = [](const Node&) -> Result<std::shared_ptr<Resource>> {
         return std::shared_ptr<Resource>(std::make_shared<MutexResource>());
       },
       .check = [](const Resource&, const Node&) { return Status(); }});
}

}  // namespace troupe
