#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What a runner runs: nodes of a session's graph, by name.
struct RunnerSpec {
  /// The runner belongs to that container, which must be shared by the cluster: its name is that of
  /// no other resource there, and a reset of the container stops it.
  std::string container = {};
  /// Each is run again and again, one step after the other; one that is named twice, by two steps
  /// at once. At least one, and at most enqueue_ops_max.
  std::vector<std::string> enqueue_ops;
  /// Is run once all of them have ended in order: it closes their queue. Empty: nothing is.
  std::string close_op = {};
  /// Is run when one of them has failed, or the runner is stopped: it closes their queue, too, and
  /// cancels its enqueues. Empty: nothing is.
  std::string cancel_op = {};
  /// The errors that mean that the input of an enqueue has ended, or that its queue was closed.
  std::vector<Code> end_codes = {Code::out_of_range, Code::cancelled};

  static constexpr size_t enqueue_ops_max = 64;
};

enum class RunnerState : uint8_t {
  running,
  paused,  // it starts no steps; one that it had started may still run
  ended,   // until it is stopped it is listed
};
inline constexpr RunnerState last_runner_state = RunnerState::ended;

/// "running".
inline const char* to_string(RunnerState state) {
  constexpr const char* names[] = {"running", "paused", "ended"};
  return names[static_cast<size_t>(state)];
}

/// A runner, as listed for a client.
struct ListedRunner {
  ResourceName name;
  std::string task;  // the master of its steps
  RunnerState state = RunnerState::running;
  std::chrono::milliseconds age{0};  // since it is in that state
  uint64_t steps = 0;                // that have ended well
  uint64_t failures = 0;             // steps that have failed, but for those that ended its input
  Status last_error;                 // of the last of these
  Status status;                     // of one that has ended: why; ok after the end of its input

  bool operator==(const ListedRunner&) const = default;
};

/// The runners of all tasks that answer before the deadline, and for each other task an error that
/// names it.
struct RunnerList {
  std::vector<ListedRunner> runners;
  std::vector<Status> missing;

  bool operator==(const RunnerList&) const = default;
};

/// What a client asks of a runner.
enum class RunnerAction : uint8_t { pause, resume, stop };
inline constexpr RunnerAction last_runner_action = RunnerAction::stop;

}  // namespace troupe
