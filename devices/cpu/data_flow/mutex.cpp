#include "troupe/devices/resources/data_flow/mutex.hpp"

#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data_flow/waiting_kernel.hpp"

namespace troupe::cpu {
namespace {

Result<Kernel> make_mutex_lock(const Node&) {
  auto begin = [](Launch& launch, const LaunchedUse<MutexResource>& use) {
    auto locked = [&launch, owner = use.owner, done = use.done](Status status) {
      if (status.ok()) launch.set(0, Tensor::scalar<Variant>(std::make_shared<HeldMutex>(owner)));
      done(std::move(status));
    };
    use.wait(launch, use.resource.lock(std::move(locked)));
  };
  return waiting_kernel<MutexResource>(
      0, "a mutex that another step holds", "Lock acquisition cancelled.", begin);
}

/// The lock is freed with the input, which nobody else may hold.
Status consume_mutex_lock(Launch& launch) {
  const auto& held = launch.input(0);
  if (!held.shape().is_scalar())
    return invalid_argument(
        "a held mutex must be a scalar, but has the shape " + held.shape().to_string());
  const auto& value = held.value<Variant>();
  if (!dynamic_cast<const HeldMutex*>(value.get()))
    return invalid_argument(
        std::string("a held mutex is needed, not ") + (value ? value->type_name() : "nothing"));
  if (!held.is_sole_owner() || value.use_count() != 1)
    return invalid_argument("something else uses the held mutex, which it would keep from others");
  return {};
}

}  // namespace

void add_mutex_kernels(KernelCatalog& catalog) {
  catalog.add("MutexLock", make_mutex_lock);
  catalog.add_compute("ConsumeMutexLock", consume_mutex_lock);
}

}  // namespace troupe::cpu
