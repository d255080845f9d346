#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// How much a step tells of itself beside its values.
enum class Trace : uint8_t { none, full };

/// Of one step.
struct RunOptions {
  /// The step fails with DeadlineExceeded after that time; 0: after the session's
  /// operation_timeout, or it may take as long as it takes.
  std::chrono::milliseconds timeout{0};
  /// full: when each node ran, see RunMetadata. Such a step takes longer.
  Trace trace = Trace::none;
  /// The graph that each device ran is part of the metadata.
  bool output_partition_graphs = false;

  bool wants_metadata() const { return trace != Trace::none || output_partition_graphs; }
};

/// Of one session, for all its life.
struct SessionOptions {
  /// For each call that has no timeout of its own, opening the session included; 0: none.
  std::chrono::milliseconds operation_timeout{0};
  /// The master's log says of each node, when it is first used, on which device it runs.
  bool log_device_placement = false;
  /// The session uses no devices but those of its master and those that match one of these
  /// ("/job:ps", "/job:worker/task:1"); none: all devices of the cluster.
  std::vector<std::string> device_filters;
  /// The session's variables are its own, and end with it.
  bool isolate_state = false;

  // What only a server can be told, when it starts. A session that asks for it is warned.
  int threads = 0;
  uint64_t memory_limit = 0;
};

/// What of those options has no effect, in words: what only a server can honour.
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
