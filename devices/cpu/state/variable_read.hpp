#pragma once

#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {

/// Calls use(launch, value) if the variable of input 0 has a value of that dtype.
template <class F>
Status use_value(Launch& launch, DType dtype, Tensor value, const F& use) {
  if (!value.is_set()) return no_value(launch, 0);
  if (value.dtype() != dtype)
    return invalid_argument(
        std::string("the variable is ") + to_string(value.dtype()) + ", but is read as " +
        to_string(dtype));
  return use(launch, std::move(value));
}

/// A kernel that calls use(launch, value) with the value of the variable of input 0, whose elements
/// it shares. It waits, without a thread, while an update writes over them.
template <class F>
Kernel reading_kernel(DType dtype, F use) {
  auto start = [dtype, use](Launch& launch, Kernel::Done done) {
    auto variable = variable_input(launch, 0);
    if (!variable) return done(variable.status());
    // The launch has no inputs any more once done() was called, maybe by another thread.
    auto owner = launch.input(0).value<ResourceHandle>().resource;
    auto read = [&launch, dtype, use, done = std::move(done)](Result<Tensor> value) {
      done(value ? use_value(launch, dtype, *std::move(value), use) : value.status());
    };
    auto reader = (*variable)->read_when_updated(std::move(read));
    launch.on_cancel([owner, variable = *variable, reader] { variable->give_up(reader); });
  };
  auto try_now = [dtype, use](Launch& launch) -> std::optional<Status> {
    auto variable = variable_input(launch, 0);
    if (!variable) return variable.status();
    auto value = (*variable)->read();
    if (!value) return {};
    return use_value(launch, dtype, *std::move(value), use);
  };
  return Kernel{
      .start = std::move(start),
      .try_now = std::move(try_now),
      .awaits = "the update of its variable"};
}

}  // namespace troupe::cpu
