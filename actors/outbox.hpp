#pragma once

#include <utility>
#include <vector>

#include "troupe/actors/device_actor.hpp"

namespace troupe {

/// Tensors that wait to be sent together: those of one step for one device share a message, as far
/// as it has room.
class Outbox {
 public:
  struct Parcel {
    DeviceActor to;
    Deliver message;
    size_t bytes;
  };

  void post(StepId step, EdgeId edge, const DeviceActor& to, Tensor value) {
    auto bytes = wire_bytes(value);
    for (auto& parcel : parcels_) {
      if (parcel.to != to || parcel.message.step != step) continue;
      if (parcel.bytes + bytes > max_message_bytes) continue;
      parcel.bytes += bytes;
      parcel.message.edges.push_back(edge);
      parcel.message.tensors.push_back(std::move(value));
      return;
    }
    parcels_.push_back({to, Deliver{step, {edge}, {std::move(value)}}, bytes});
  }

  bool empty() const { return parcels_.empty(); }
  std::vector<Parcel> take() { return std::exchange(parcels_, {}); }

 private:
  std::vector<Parcel> parcels_;
};

}  // namespace troupe
