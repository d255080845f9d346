#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "troupe/graph/cluster_spec.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/task_config.hpp"

namespace troupe {

/// Which task of which cluster a server is to be, as far as flags, an environment or a program say.
struct ServerDef {
  ClusterSpec cluster;      // empty: not given
  std::string job;          // empty: not given
  std::optional<int> task;  // its index in its job
  /// "troupe", or "grpc" for the same; empty: not given.
  std::string protocol;

  /// This one, with what it leaves open taken from `fallback`. An index says nothing about another
  /// job than the one that it was given for.
  ServerDef or_else(const ServerDef& fallback) const;

  /// The task of the cluster that it names. The job may be left out where the cluster has one, the
  /// index where the job has one task. InvalidArgument says what is missing, or names the jobs, or
  /// the indices, that there are.
  Result<TaskConfig> resolve() const;
};

/// InvalidArgument, which begins with `key`, unless it is a protocol that servers speak.
Status check_protocol(std::string_view protocol, const std::string& key);

}  // namespace troupe
