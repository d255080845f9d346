#pragma once

#include <string>

#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/resources/data_flow/awaited_resource.hpp"

namespace troupe::cpu {

/// The use of a resource by a launch. The launch lives as long as there is a copy of `done`.
template <class R>
struct LaunchedUse {
  R& resource;
  std::shared_ptr<Resource> owner;
  std::string cancelled_text;
  Kernel::Done done;

  /// To be called with what a call of the resource returned, which is to call done(): a step that
  /// ends gives that call up.
  void wait(Launch& launch, uint64_t call) const {
    launch.on_cancel([owner = owner, waiting = &resource, call, text = cancelled_text] {
      waiting->give_up(call, cancelled(text));
    });
  }
};

/// A kernel that waits at the resource of class R whose handle is that input, counted from the end
/// if it is negative. `begin(launch, use)` calls the resource so that use.done is called once. A
/// step that ends gives the call up with the error Cancelled and the text `cancelled_text`; a
/// resource that is gone meanwhile is an error, too.
template <class R, class Begin>
Kernel waiting_kernel(int handle, std::string awaits, std::string cancelled_text, Begin begin) {
  auto start = [=](Launch& launch, Kernel::Done done) {
    auto index = handle < 0 ? launch.input_count() + handle : handle;
    auto resource = resource_input<R>(launch, index);
    if (!resource) return done(resource.status());
    // The launch has no inputs any more once done() was called, maybe by another thread.
    auto input = launch.input(index);
    auto owner = input.template value<ResourceHandle>().resource;
    auto end = [input, done = std::move(done)](Status status) {
      const auto& used = input.template value<ResourceHandle>();
      done(used.resource->is_dropped() ? gone(used) : std::move(status));
    };
    begin(launch, LaunchedUse<R>{**resource, owner, cancelled_text, std::move(end)});
  };
  return Kernel{.start = std::move(start), .awaits = std::move(awaits)};
}

/// A `begin` for a kernel that puts something into the resource.
template <class R, class Begin>
auto changing(Begin begin) {
  return [begin](Launch& launch, LaunchedUse<R> use) {
    use.done = [&launch, done = std::move(use.done)](Status status) {
      if (status.ok()) launch.note_change();
      done(std::move(status));
    };
    begin(launch, std::move(use));
  };
}

/// A kernel that need not wait: use(launch, resource) with the resource of class R whose handle is
/// that input, counted from the end if it is negative.
template <class R, class Use>
Kernel resource_kernel(int handle, Use use) {
  return Kernel{.compute = [handle, use](Launch& launch) -> Status {
    auto index = handle < 0 ? launch.input_count() + handle : handle;
    auto resource = resource_input<R>(launch, index);
    if (!resource) return resource.status();
    auto status = use(launch, **resource);
    if ((*resource)->is_dropped())
      return gone(launch.input(index).template value<ResourceHandle>());
    return status;
  }};
}

/// A kernel whose output is the number that count(resource) returns.
template <class R>
Kernel counting_kernel(int handle, int32_t (R::*count)() const) {
  return resource_kernel<R>(handle, [count](Launch& launch, R& resource) {
    auto size = launch.allocate(DType::int32, {});
    if (size) {
      *size->mutable_data<int32_t>() = (resource.*count)();
      launch.set(0, *std::move(size));
    }
    return size.status();
  });
}

/// The inputs from `first` to before `end`, leaving the launch without them.
inline Tensors take_inputs(Launch& launch, int first, int end) {
  Tensors taken;
  for (int i = first; i < end; ++i) taken.push_back(launch.take_input(i));
  return taken;
}

inline void set_outputs(Launch& launch, int first, Tensors values) {
  for (auto& value : values) launch.set(first++, std::move(value));
}

}  // namespace troupe::cpu
