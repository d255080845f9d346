#pragma once

#include <string>
#include <string_view>

#include "troupe/graph/cluster/server_def.hpp"
#include "troupe/graph/support/environment.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What TF_CONFIG says, as TensorFlow and Kubeflow set it: "cluster" (or Kubeflow's
/// "sparseCluster"), "task": {"type", "index"}, "rpc_layer", "environment". Other keys are ignored.
/// An error names the key, quotes its value and says what was expected.
struct TfConfig {
  ServerDef server;
  std::string environment;  // "cloud", "local", ...; empty: not given

  static Result<TfConfig> parse(std::string_view json);
  /// Of the variable TF_CONFIG; one that is missing or empty gives nothing.
  static Result<TfConfig> read(const Environment& environment);
};

/// The role of this process in a cluster in which all processes run the same program.
///
/// The chief is the task of the job "chief" (or of "master", as it was called before), or worker 0
/// where the cluster has neither. An evaluator is no task of the cluster: it trains nothing, has no
/// server, and there is one. Without a cluster, the process is alone and is its own chief.
struct Role {
  TaskConfig task;  // its cluster is empty where there is none
  bool is_chief = false;
  bool is_evaluator = false;
  bool is_ps = false;
  int num_ps = 0;
  int num_workers = 1;  // the chief is one of them

  /// InvalidArgument names the key of TF_CONFIG that no such program can follow.
  static Result<Role> of(const TfConfig& config);
};

}  // namespace troupe
