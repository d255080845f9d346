#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "troupe/devices/kernel.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe::cpu {

/// Whether a step that ends so puts back what it has taken: see put_back_unless_done().
inline bool is_put_back(const Status& end) {
  auto code = end.code();
  return code == Code::cancelled || code == Code::deadline_exceeded || code == Code::aborted ||
         code == Code::unavailable || code == Code::out_of_range;
}

/// Has `put_back`, which keeps so many bytes, called if the step does not end as it should, on this
/// device or elsewhere, for a reason that has nothing to do with what the launch has taken out of a
/// resource. An error of a node may come of what was taken: it would come again and again. But
/// OutOfRange says that something else has ended, such as another queue. Of a loop's iterations,
/// which may be any number, nothing is kept.
inline void put_back_unless_done(
    const Launch& launch, uint64_t bytes, std::function<void()> put_back) {
  if (launch.at() != FrameIteration()) return;
  auto hook = [put_back = std::move(put_back)](const Status& status) {
    if (is_put_back(status)) put_back();
  };
  launch.step_resources().when_ended(std::move(hook), bytes, launch.item());
}

/// As above, of a resource that may have nothing more to give to others meanwhile. A step that
/// fails may have kernels that still run, and puts back only after them: once it is known to fail,
/// `await_return` tells the resource that something will be put back, and what it returns is kept
/// until that is done.
inline void put_back_unless_done(
    const Launch& launch, uint64_t bytes, std::function<void()> put_back,
    std::function<std::shared_ptr<void>()> await_return) {
  struct Taken {
    std::function<void()> put_back;
    std::shared_ptr<void> returning;
  };
  auto taken = std::make_shared<Taken>(Taken{std::move(put_back), nullptr});
  put_back_unless_done(launch, bytes, [taken] { taken->put_back(); });
  auto failing = [pending = std::weak_ptr(taken),
                  await_return = std::move(await_return)](const Status& error) {
    auto taken = pending.lock();
    if (taken && is_put_back(error)) taken->returning = await_return();
  };
  launch.step_resources().when_failing(std::move(failing));
}

}  // namespace troupe::cpu
