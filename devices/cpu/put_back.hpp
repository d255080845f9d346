#pragma once

#include <cstdint>
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
///
/// The resource may have nothing more to give to others meanwhile. A step that fails may have
/// kernels that still run, and puts back only after them: once it is known to fail, `await_return`
/// tells the resource that something will be put back, and what it returns is kept until then.
template <class PutBack, class AwaitReturn>
void put_back_unless_done(
    const Launch& launch, uint64_t bytes, PutBack put_back, AwaitReturn await_return) {
  class Hook final : public EndHook {
   public:
    Hook(PutBack put_back, AwaitReturn await_return)
        : put_back_(std::move(put_back)), await_return_(std::move(await_return)) {}
    void failing(const Status& error) override {
      if (is_put_back(error)) returning_ = await_return_();
    }
    void ended(const Status& end) override {
      if (is_put_back(end)) put_back_();
    }

   private:
    PutBack put_back_;
    AwaitReturn await_return_;
    std::shared_ptr<void> returning_;
  };
  if (launch.at() != FrameIteration()) return;
  auto hook = std::make_shared<Hook>(std::move(put_back), std::move(await_return));
  launch.step_resources().when_ended(hook, bytes, launch.item());
}

}  // namespace troupe::cpu
