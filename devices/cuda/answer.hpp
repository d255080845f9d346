#pragma once

#include <functional>
#include <utility>

#include "troupe/devices/device.hpp"

namespace troupe::cuda {

/// Calls next(the tensor's copy on the host), from any thread, once what the card has been given so
/// far is done; `done` then says what next() returned, or how the card failed. For kernels that
/// cannot tell what comes next before the card has computed it: how large a result is, or whether
/// there is an error. Until then they are not done, and wait for nothing.
inline void when_known(
    Launch& launch, const Tensor& on_card, Kernel::Done done,
    std::function<Status(const Tensor& on_host)> next) {
  launch.device().copy_to_host(
      on_card, [done = std::move(done), next = std::move(next)](Result<Tensor> copy) {
        done(copy ? next(*copy) : copy.status());
      });
}

}  // namespace troupe::cuda
