#include "troupe/devices/memory/copy_kernels.hpp"

#include <optional>
#include <utility>

#include "troupe/devices/device.hpp"

namespace troupe {

Kernel make_copy_in() {
  auto take = [](Launch& launch, Result<Tensor> copy) {
    if (copy) launch.set(0, *std::move(copy));
    return copy.status();
  };
  return {
      .start =
          [take](Launch& launch, Kernel::Done done) {
            launch.device().copy_in_async(
                launch.take_input(0), [&launch, take, done = std::move(done)](Result<Tensor> copy) {
                  done(take(launch, std::move(copy)));
                });
          },
      .try_now = [take](Launch& launch) -> std::optional<Status> {
        if (launch.device().is_long_copy(launch.input(0))) return {};
        return take(launch, launch.device().copy_in(launch.input(0)));
      },
      .awaits = "a copy from the host's memory to the device's"};
}

Kernel make_copy_to_host() {
  return {
      .start =
          [](Launch& launch, Kernel::Done done) {
            launch.device().copy_to_host(
                launch.take_input(0), [&launch, done = std::move(done)](Result<Tensor> copy) {
                  if (copy) launch.set(0, *std::move(copy));
                  done(copy.status());
                });
          },
      .awaits = "a copy from the device's memory to the host's"};
}

}  // namespace troupe
