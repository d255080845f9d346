#pragma once

#include <string>
#include <string_view>

#include "troupe/graph/cluster_spec.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// Which task of which cluster this process is.
struct TaskConfig {
  ClusterSpec cluster;
  std::string job;
  int task = 0;
};

/// What TF_CONFIG says, as TensorFlow and Kubeflow set it: "cluster" (or Kubeflow's
/// "sparseCluster"), "task": {"type", "index"}, "environment". Other keys are ignored. An error
/// names the key, quotes its value and says what was expected.
struct TfConfig {
  ClusterSpec cluster;
  std::string job;  // empty: not given
  int task = -1;    // -1: not given
  std::string environment;

  static Result<TfConfig> parse(std::string_view json);
};

/// Combines the command line with TF_CONFIG: what `flags` give wins. The job may be left out where
/// the cluster has one, the index where the job has one task. Fails unless the result names a task
/// of the cluster.
Result<TaskConfig> resolve_task(const TfConfig& flags, const TfConfig& environment);

}  // namespace troupe
