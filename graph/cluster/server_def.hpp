#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/cluster/task_config.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Which task of which cluster a server is, as far as flags, the environment or the program specify
/// it.
struct ServerDef {
  ClusterSpec cluster;      // empty: not given
  std::string job;          // empty: not given
  std::optional<int> task;  // its index in its job
  /// "troupe", or "grpc" for the same; empty: not given.
  std::string protocol;

  /// This definition, with its open fields taken from `fallback`. A task index is taken only for
  /// the job that it was given with.
  ServerDef or_else(const ServerDef& fallback) const;

  /// The task that it names. The job may be left out if the cluster has only one, the index if the
  /// job has only one task. InvalidArgument says what is missing, or names the jobs, or the
  /// indices, that there are.
  Result<TaskConfig> resolve() const;
};

/// InvalidArgument, which begins with `key`, unless it is a protocol that servers speak.
Status check_protocol(std::string_view protocol, const std::string& key);

}  // namespace troupe
