#pragma once

#include <utility>
#include <vector>

#include "troupe/actors/device/device_plan.hpp"
#include "troupe/devices/send_scope.hpp"

namespace troupe {

/// Tensors that are sent together: at the end of a handler or, on a thread of the device, when its
/// executor has other work. Those of one step for one device are batched in one message while they
/// are small.
class Outbox {
 public:
  struct Batch {
    DeviceActor to;
    Deliver message;
    size_t bytes;
  };

  void post(StepId step, const EdgeKey& key, const DevicePlan::Destination& to, Tensor value) {
    auto bytes = wire_bytes(value);
    for (auto& batch : batches_) {
      if (batch.to != to.actor || batch.message.step != step) continue;
      if (batch.bytes + bytes > batch_bytes_max) continue;
      batch.bytes += bytes;
      batch.message.edges.push_back(key);
      batch.message.tensors.push_back(std::move(value));
      return;
    }
    batches_.push_back(
        {to.actor, Deliver{step, {key}, {std::move(value)}, to.has_own_memory}, bytes});
  }

  /// As post(), on a thread where no handler of the device runs.
  static void post_on_thread(
      StepId step, const EdgeKey& key, const DevicePlan::Destination& to, Tensor value) {
    of_thread().post(step, key, to, std::move(value));
    if (auto* scope = SendScope::current()) scope->keep(flush_thread);
    else flush_thread();
  }

  bool empty() const { return batches_.empty(); }
  std::vector<Batch> take() { return std::exchange(batches_, {}); }

 private:
  static Outbox& of_thread() {
    thread_local Outbox outbox;
    return outbox;
  }
  static void flush_thread() {
    for (auto& batch : of_thread().take()) caf::anon_send(batch.to, std::move(batch.message));
  }

  /// The limit of a batch: small tensors in a larger one would wait for the rest of it.
  static constexpr size_t batch_bytes_max = size_t{64} << 10;

  std::vector<Batch> batches_;
};

}  // namespace troupe
