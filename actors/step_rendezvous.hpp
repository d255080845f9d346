#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "troupe/actors/messages.hpp"
#include "troupe/devices/step_port.hpp"

namespace troupe {

/// Where the tensors of one step on one device meet those who wait for them, in either order; also
/// holds the step's feeds and fetches there. Lives as long as the step. Thread-safe.
///
/// RV-1: a tensor is given to its receiver at most once.
/// RV-2: every receiver is answered: with the tensor, or with the error of fail().
class StepRendezvous final : public StepPort {
 public:
  /// How a tensor leaves the device; called on the thread of the kernel that sends.
  using Push = std::function<Status(EdgeId, Tensor)>;

  /// A tensor from another device; may come before the step was started. False if one came already.
  bool arrive(EdgeId edge, Tensor value);
  /// Bytes of the tensors that nobody has asked for yet.
  size_t waiting_bytes() const;

  /// Edges that are asked for, and whose tensor is not there yet.
  std::vector<EdgeId> awaited() const;

  /// The step starts: from now on the port is complete.
  void start(Tensors feeds, size_t fetch_count, Push push);
  Tensors take_fetches() { return std::move(fetches_); }

  Tensor feed(int index) override { return feeds_[static_cast<size_t>(index)]; }
  void fetch(int index, Tensor value) override {
    fetches_[static_cast<size_t>(index)] = std::move(value);
  }
  Status send(EdgeId edge, Tensor value) override { return push_(edge, std::move(value)); }
  void receive(EdgeId edge, std::function<void(Result<Tensor>)> arrived) override;
  void fail(const Status& status) override;

 private:
  struct Meeting {
    std::optional<Tensor> value;
    std::function<void(Result<Tensor>)> receiver;
    bool over = false;
  };

  Tensors feeds_;
  Tensors fetches_;
  Push push_;
  mutable std::mutex mutex_;
  std::unordered_map<EdgeId, Meeting> meetings_;
  size_t waiting_bytes_ = 0;
  Status failed_;
};

}  // namespace troupe
