#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/world/world.hpp"
#include "troupe/devices/step_port.hpp"

namespace troupe {

/// Where the steps of a plan come from.
struct StepOrigin {
  std::string master;                         // the task of the session
  std::shared_ptr<World> world;               // of the device
  std::shared_ptr<SessionTensors> kept = {};  // by the session, on the device
  caf::weak_actor_ptr device = {};            // whose timers these are
};

/// The table in which the tensors of one step that arrive on a device are matched with the kernels
/// that receive them, in either order. Also holds the step's feeds and fetches on the device.
/// Exists as long as the step. Thread-safe.
///
/// RV-1: a tensor is given to its receiver at most once.
/// RV-2: every receiver is called: with the tensor, or with the error of fail().
class StepRendezvous final : public StepPort {
 public:
  /// What a waiting value takes besides its elements: its entry and the header of its tensor.
  static constexpr size_t bytes_each = 512;

  /// Sends a tensor to another device; called on the thread of the sending kernel.
  using Push = std::function<Status(const EdgeKey&, Tensor)>;
  /// Whether a tensor may be sent as it lies in the device's memory; from any thread.
  using Lends = std::function<bool(const EdgeKey&, const Tensor&)>;
  /// Runs work soon, but not inside the call; from any thread.
  using PostWork = std::function<void(std::function<void()>)>;

  /// Adds a value from another device, unset if it is dead; also before the step is started. False:
  /// the edge has had one in that iteration.
  bool arrive(const EdgeKey& key, Tensor value);
  /// Memory of the values that no kernel has received yet.
  size_t waiting_bytes() const;

  /// Called when the step starts, before its kernels use the port.
  void start(Tensors feeds, size_t fetch_count, Push push, PostWork post, Lends lends = {});
  /// Sets which step it is, for name() and now(). `origin` must live as long as `push` does.
  void set_origin(StepId step, const StepOrigin& origin) {
    step_ = step;
    origin_ = &origin;
  }
  Tensors take_fetches() {
    std::lock_guard lock(mutex_);
    return std::move(fetches_);
  }

  Tensor feed(int index) override { return feeds_[static_cast<size_t>(index)]; }
  void fetch(int index, Tensor value) override {
    std::lock_guard lock(mutex_);
    fetches_[static_cast<size_t>(index)] = std::move(value);
  }
  bool lends(const EdgeKey& key, const Tensor& value) override {
    return lends_ && lends_(key, value);
  }
  Status send(const EdgeKey& key, Tensor value) override { return push_(key, std::move(value)); }
  std::optional<Result<Tensor>> try_receive(const EdgeKey& key) override;
  void receive(const EdgeKey& key, Arrived arrived) override;
  void fail(const Status& status) override;
  void defer_end_hooks(EndHooks hooks) override { end_hooks_ = std::move(hooks); }
  /// What the plan has left when it had ended well.
  EndHooks take_end_hooks() { return std::exchange(end_hooks_, {}); }
  SessionTensors* session_tensors() override { return origin_ ? origin_->kept.get() : nullptr; }
  void post(std::function<void()> work) override { post_(std::move(work)); }
  std::chrono::nanoseconds now() const override;
  Timer timer() const override;
  std::string name() const override;

 private:
  struct Entry {
    std::optional<Tensor> value;
    Arrived receiver;
    bool consumed = false;
  };

  Tensors feeds_;
  Tensors fetches_;
  Push push_;
  PostWork post_;
  Lends lends_;
  StepId step_;
  const StepOrigin* origin_ = nullptr;
  mutable std::mutex mutex_;
  std::map<EdgeKey, Entry> entries_;
  size_t waiting_bytes_ = 0;
  Status failed_;
  EndHooks end_hooks_;
};

}  // namespace troupe
