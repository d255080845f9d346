#pragma once

#include <utility>
#include <vector>

#include "troupe/actors/device/device_actor.hpp"

namespace troupe {

/// Tensors that are sent at the end of a handler. Those of one step for one device are batched in
/// one message while they are small.
class Outbox {
 public:
  struct Batch {
    DeviceActor to;
    Deliver message;
    size_t bytes;
  };

  void post(StepId step, const EdgeKey& key, const DeviceActor& to, Tensor value) {
    auto bytes = wire_bytes(value);
    for (auto& batch : batches_) {
      if (batch.to != to || batch.message.step != step) continue;
      if (batch.bytes + bytes > batch_bytes_max) continue;
      batch.bytes += bytes;
      batch.message.edges.push_back(key);
      batch.message.tensors.push_back(std::move(value));
      return;
    }
    batches_.push_back({to, Deliver{step, {key}, {std::move(value)}}, bytes});
  }

  bool empty() const { return batches_.empty(); }
  std::vector<Batch> take() { return std::exchange(batches_, {}); }

 private:
  /// A larger one would keep the small tensors in it waiting.
  static constexpr size_t batch_bytes_max = size_t{64} << 10;

  std::vector<Batch> batches_;
};

}  // namespace troupe
