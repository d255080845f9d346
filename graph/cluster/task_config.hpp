#pragma once

#include <string>

#include "troupe/graph/cluster/cluster_spec.hpp"

namespace troupe {

/// Which task of which cluster this process, or a server in it, is.
struct TaskConfig {
  ClusterSpec cluster;
  std::string job;
  int task = 0;

  bool operator==(const TaskConfig&) const = default;
};

}  // namespace troupe
