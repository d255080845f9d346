#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "troupe/actors/session/step_compiler.hpp"

namespace troupe {

/// The steps of a session that are compiled or being compiled, by their signatures. When there are
/// too many, the least recently used one is dropped. Belongs to the session actor.
///
/// CS-1: each `ready` is called once: when the step can run, or with the error of its compilation.
/// CS-2: a failed compilation is not remembered.
/// CS-3: a compilation that lost a race for a resource is tried again, a few times.
/// CS-4: a transient step, which uses a resource that does not exist, is not remembered.
class StepCache {
 public:
  /// More steps than these are dropped, not counting those of callables: each holds a plan on its
  /// devices.
  static constexpr size_t steps_max = 4096;

  using SharedGraph = StepCompiler::SharedGraph;
  using Step = std::shared_ptr<CompiledStep>;
  using Ready = std::function<void(const Step&, const Status&)>;

  /// The settings and the costs must outlive it.
  void begin(
      SessionProtocol::pointer self, const TaskActor& task, const SessionSettings& settings,
      const SessionCosts& costs);

  /// The compiled step; null if there is none, or its compilation has not ended.
  Step find(const StepSignature& signature) const;
  /// Compiles the step for a call, unless it is compiled already. May call `ready` at once.
  void compile(const SharedGraph& graph, StepSignature signature, CallId call, Ready ready);
  /// Places and cuts a step, and remembers nothing of it.
  void explain(const SharedGraph& graph, StepSignature signature, Done<StepExplanation> done) {
    compiler_.explain(graph, std::move(signature), std::move(done));
  }
  /// Calls the `ready` of a waiting call with an error. False: the call does not wait.
  bool cancel_wait(CallId call, const Status& why);
  /// The tasks or devices that the compilation of a waiting call waits for; none if it does not
  /// wait.
  std::set<std::string> awaited_by(CallId call) const;
  /// The steps that calls wait for.
  std::vector<Step> compiling() const;

  /// One of those containers that a step uses or has used, if any does: a step that hears of a
  /// reset from a resource is dropped before the session hears of it.
  std::optional<std::string> used_of(const ContainerChoice& containers) const;
  /// Drops the compiled steps that share a device with a stale one: whatever made that one stale (a
  /// container was reset, the device has restarted) concerns them, too.
  void drop_all_on_devices_of(const CompiledStep& stale);
  /// Drops a step that is compiled; the next call of its signature compiles it again.
  void drop(const Step& step);
  void peer_lost(const PeerLost& lost, const Status& why);
  /// Cancels all waiting calls, and ends the session on its devices.
  void close(const Status& why);
  void cancel_all_waits(const Status& why);

 private:
  void try_to_compile(const SharedGraph& graph, const Step& step, int tries_left);
  void drop_plans(const Step& step);
  void become_ready(const Step& step);
  void fail(const Step& step, const Status& status);
  void drop_least_used();

  SessionProtocol::pointer self_ = nullptr;
  const SessionSettings* settings_ = nullptr;
  StepCompiler compiler_;
  std::unordered_map<StepSignature, Step, StepSignatureHash> steps_;
  std::map<std::string, CompiledStep::DevicePartition> devices_;  // that have plans, by name
  std::set<std::string> used_containers_;                         // by steps that were ready
  PlanId next_plan_ = 1;
};

}  // namespace troupe
