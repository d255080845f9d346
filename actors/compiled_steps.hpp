#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "troupe/actors/step_compiler.hpp"

namespace troupe {

/// The steps of a session that are compiled, or on the way to it, by their signatures. Belongs to
/// the session actor.
///
/// CS-1: each ready() is called once: when the step can run, or with the error for which it cannot.
/// CS-2: a failed compilation is not remembered.
class CompiledSteps {
 public:
  using Step = std::shared_ptr<CompiledStep>;
  using Ready = std::function<void(const Step&, const Status&)>;

  void begin(
      SessionMailbox::pointer self, const TaskActor& task, const SessionSettings& settings,
      const Graph& graph);

  /// The step if it can run at once; else null.
  Step find(const StepSignature& signature) const;
  /// Has the step compiled for a call, where it is not yet. May call `ready` at once.
  void compile(StepSignature signature, CallId call, Ready ready);
  /// Tells a call that waits that it need not. False where it does not wait.
  bool end_wait(CallId call, const Status& why);
  /// For whose answers a call waits; none where it does not wait.
  std::set<std::string> awaited_by(CallId call) const;
  /// Those that calls wait for.
  std::vector<Step> waited_for() const;

  /// Whether one of them uses one of those containers.
  bool use(const ContainerChoice& containers) const;
  /// What the step was compiled for is gone (a container was reset): so it is for all steps there.
  void drop_all_on_devices_of(const CompiledStep& stale);
  void lose(const PeerLost& lost, const Status& why);
  /// Ends all waits, and all that the session has on devices.
  void close(const Status& why);
  void end_all_waits(const Status& why);

 private:
  void become_ready(const Step& step);
  void fail(const Step& step, const Status& status);
  void drop(const Step& step);
  void drop_least_used();

  SessionMailbox::pointer self_ = nullptr;
  const SessionSettings* settings_ = nullptr;
  const Graph* graph_ = nullptr;
  StepCompiler compiler_;
  std::map<StepSignature, Step> steps_;
  std::map<std::string, CompiledStep::Part> devices_;  // that hold plans, by name
  PlanId next_plan_ = 1;
};

}  // namespace troupe
