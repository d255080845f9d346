#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// What a step records besides its values.
enum class Trace : uint8_t { none, full };

/// Options of one step.
struct RunOptions {
  /// The step fails with DeadlineExceeded after that time; 0: after the session's
  /// operation_timeout, or it may take as long as it takes.
  std::chrono::milliseconds timeout{0};
  /// full: when each node ran, see RunMetadata. Such a step takes longer.
  Trace trace = Trace::none;
  /// Adds each device's partition of the graph to the metadata.
  bool output_partition_graphs = false;

  bool wants_metadata() const { return trace != Trace::none || output_partition_graphs; }
};

/// Options of one session.
struct SessionOptions {
  /// For each call that has no timeout of its own, opening the session included; 0: none.
  std::chrono::milliseconds operation_timeout{0};
  /// The master logs the device of each node when the node is first used.
  bool log_device_placement = false;
  /// The session uses no devices but those of its master and those that match one of these
  /// ("/job:ps", "/job:worker/task:1"); none: all devices of the cluster.
  std::vector<std::string> device_filters;
  /// The session has variables of its own, which are freed with it.
  bool isolate_state = false;
  /// Devices compute adjacent element-wise nodes in one pass over memory
  /// (passes/fuse_elementwise.hpp).
  bool fuses_elementwise = true;
  /// The master optimizes the graph of each step (optimize/optimize.hpp), with all passes but those
  /// that are named here. Results keep their bits; nodes that are merged or computed beforehand are
  /// in no trace.
  bool optimizes = true;
  std::vector<std::string> disabled_passes;
  /// Nodes on GPUs compute in float16 where that is fast and safe, also where nothing else is
  /// optimized (optimize/mixed_precision.hpp). Results are less exact.
  bool mixes_precision = false;

  /// A node that asks for a type or a number of device that its task lacks, or that has no kernel
  /// for its op, runs on another device of the task.
  bool soft_placement = false;
  /// Where nodes go that no constraint and no resource pins to a task. "": to the master's task.
  /// "cost": to any task that the filters leave, so that the step as it is predicted is short
  /// (place/list_scheduling.hpp). Costs are what earlier steps of the session have shown that were
  /// traced, and else a model (place/step_costs.hpp). The session traces the first steps of each
  /// signature for that, and then places their nodes once more. Variables without a constraint stay
  /// with the master.
  std::string placement;

  // These take effect only in the options of a server. A session that sets them gets a warning.
  int threads = 0;
  uint64_t memory_limit = 0;
};

/// The value of SessionOptions::placement that places by cost.
inline constexpr const char* placement_by_cost = "cost";

/// A message for each option that is set and has no effect in a session.
inline std::vector<std::string> warnings_of(const SessionOptions& options) {
  std::vector<std::string> warnings;
  if (options.threads != 0)
    warnings.emplace_back("threads has no effect in a session: start the node with --threads");
  if (options.memory_limit != 0)
    warnings.emplace_back(
        "memory_limit has no effect in a session: start the node with --memory-limit");
  return warnings;
}

}  // namespace troupe
