#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "troupe/actors/session/expired_run.hpp"
#include "troupe/actors/session/step_cache.hpp"
#include "troupe/actors/session/step_request.hpp"
#include "troupe/actors/session/waiting_steps_answer.hpp"

namespace troupe {

/// The running steps of a session. Starts their partitions on the devices and collects the results.
/// Belongs to the session actor.
///
/// RS-1: each started step is answered once: with the fetches, or with the first error, after the
///       other devices were told to cancel.
class RunningSteps {
 public:
  using Answer = std::function<void(const StepRequest&, Result<Tensors>)>;
  /// Called with the compiled step when a device has no such plan any more, or cannot run it.
  using Stale = std::function<void(const CompiledStep&)>;
  /// Called with what a step that ended well was traced as.
  using Traced = std::function<void(const std::shared_ptr<CompiledStep>&, const RunMetadata&)>;

  /// More TraceNextSteps than these do not wait at once.
  static constexpr size_t trace_requests_max = 64;

  void begin(
      SessionProtocol::pointer self, const SessionSettings& settings, Answer answer, Stale stale,
      Traced traced);

  /// Starts a step. The feeds must have been checked.
  void start(const std::shared_ptr<CompiledStep>& compiled, StepRequest&& request);
  /// Sends feeds of a partial step, by their index; those not fed now are unset. May be empty.
  void feed(CallId call, Tensors feeds);
  /// Has the next step that starts record what the options ask for, and answers with that.
  void trace_next(const TraceNextStep& call);

  void partition_done(StepDone& done);
  void partition_traced(StepTraced& traced);
  void fetches_arrived(Deliver& message);
  void peer_lost(const PeerLost& lost, const Status& why);

  /// Cancels the step of a call. False: none runs.
  bool cancel(CallId call, const Status& why);
  /// Asks the devices what the step of a call, whose deadline has passed, waits for. Calls `end`
  /// soon, maybe at once, with the error and what they answered.
  void expire(CallId call, Status error, std::function<void(const Status& why)> end);
  void cancel_all(const Status& why);
  void close(const Status& why);
  void end_all(const Status& why);

  bool empty() const { return running_.empty(); }
  /// The devices that the step of a call waits for.
  std::set<std::string> awaited_by(CallId call) const;
  void list_waiting_steps(const std::shared_ptr<WaitingStepsAnswer>& answer) const;

 private:
  struct Running {
    StepRequest request;
    std::shared_ptr<CompiledStep> compiled;
    std::vector<bool> partition_done;
    std::vector<uint32_t> held;  // partitions that are done, and wait for the end of the step
    size_t pending = 0;
    Tensors answers;
    Status error;
    bool is_stale = false;  // a device has no such plan any more, or cannot run it
    World::Time started{0};
    std::shared_ptr<RunMetadata> metadata;  // null unless requested
    bool is_traced = false;
    bool sends_graphs = false;
    std::vector<std::shared_ptr<TraceNextStep>> traces;  // that want the metadata, too
  };

  StepId id_of(uint64_t number) const { return {settings_->id, number}; }
  Running* find(StepId id);
  void prepare_metadata(Running& step);
  void give_metadata(Running& step);
  void start_partitions(uint64_t number, Running& step);
  static Status check_fetches(const Running& step, const StepDone& done);
  static void keep_fetches(Running& step, StepDone& done);
  void end_partition(uint64_t number, size_t index, const Status& status);
  void cancel_partitions(uint64_t number, const Status& why);
  void commit_partitions(uint64_t number, const Running& step);
  void finish(uint64_t number);

  SessionProtocol::pointer self_ = nullptr;
  const SessionSettings* settings_ = nullptr;
  Answer answer_;
  Stale stale_;
  Traced traced_;
  std::map<uint64_t, Running> running_;
  std::unordered_map<CallId, uint64_t> step_of_call_;
  uint64_t next_step_ = 1;
  std::vector<std::shared_ptr<TraceNextStep>> trace_requests_;  // for the next step
  std::shared_ptr<void> alive_ = std::make_shared<char>();      // for answers that come too late
};

}  // namespace troupe
