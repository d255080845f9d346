#pragma once

#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "troupe/actors/asked_step.hpp"
#include "troupe/actors/compiled_steps.hpp"
#include "troupe/actors/explanation.hpp"

namespace troupe {

/// The steps of a session that run on devices. Belongs to the session actor.
///
/// RS-1: each step that was launched is answered once: by the fetches, or by the first error, after
///       which the other devices were told to cancel.
class RunningSteps {
 public:
  using Answer = std::function<void(const AskedStep&, Result<Tensors>)>;
  /// Told of steps that a device does not know any more.
  using Stale = std::function<void(const CompiledStep&)>;

  void begin(
      SessionMailbox::pointer self, const SessionSettings& settings, Answer answer, Stale stale);

  /// Feeds must be checked.
  void launch(const std::shared_ptr<CompiledStep>& compiled, AskedStep&& asked);
  /// More feeds of a partial step, by number; unset are those that do not come now. May be empty.
  void feed(CallId call, Tensors feeds);

  void part_done(StepDone& done);
  void part_traced(StepTraced& traced);
  void fetched(Deliver& message);
  void lose(const PeerLost& lost, const Status& why);

  /// Ends the step of a call; false where none runs.
  bool cancel(CallId call, const Status& why);
  void cancel_all(const Status& why);
  void close(const Status& why);
  void end_all(const Status& why);

  bool empty() const { return running_.empty(); }
  /// The devices for whose answers the step of a call waits.
  std::set<std::string> awaited_by(CallId call) const;
  void explain(const std::shared_ptr<Explanation>& explanation) const;

 private:
  struct Running {
    AskedStep asked;
    std::shared_ptr<CompiledStep> compiled;
    std::vector<bool> part_done;
    size_t waits_for = 0;
    Tensors answers;
    Status error;
    World::Time began{0};
    std::shared_ptr<RunMetadata> metadata;  // null where nobody asked for it
  };

  StepId id_of(uint64_t step) const { return {settings_->id, step}; }
  Running* find(StepId step);
  void start_parts(uint64_t number, Running& now);
  static Status check_fetches(const Running& now, const StepDone& done);
  static void keep_fetches(Running& now, StepDone& done);
  void end_part(uint64_t number, size_t index, const Status& status);
  void cancel_parts(uint64_t number, const Status& why);
  void finish(uint64_t number);

  SessionMailbox::pointer self_ = nullptr;
  const SessionSettings* settings_ = nullptr;
  Answer answer_;
  Stale stale_;
  std::unordered_map<uint64_t, Running> running_;
  std::unordered_map<CallId, uint64_t> step_of_call_;
  uint64_t next_step_ = 1;
};

}  // namespace troupe
