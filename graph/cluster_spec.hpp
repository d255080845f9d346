#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/status.hpp"

namespace troupe {

/// Where a node serves.
struct Address {
  static constexpr int default_port = 2222;

  std::string host;
  int port = default_port;

  /// "host:port", "host" (the default port), "[::1]:port"; with or without a scheme "troupe://" or
  /// "grpc://". InvalidArgument quotes the text and says what is wrong.
  static Result<Address> parse(std::string_view text);
  std::string to_string() const;  // "host:port"
  auto operator<=>(const Address&) const = default;
};

/// The tasks of a cluster: job -> task index -> address. Indices may have gaps. A value.
class ClusterSpec {
 public:
  using Tasks = std::map<int, Address>;

  ClusterSpec() = default;
  explicit ClusterSpec(std::map<std::string, Tasks> jobs) : jobs_(std::move(jobs)) {}

  /// The JSON object that TF_CONFIG has under "cluster" ({"ps": ["host:port"], "worker": {"3":
  /// "host:port"}}), the short form "ps=host:port;worker=host:port,host:port", or "@file" with
  /// either. An error names the key and quotes the value.
  static Result<ClusterSpec> parse(std::string_view text);

  const std::map<std::string, Tasks>& jobs() const { return jobs_; }
  bool empty() const { return jobs_.empty(); }
  /// InvalidArgument names the jobs, or the indices, that there are.
  Result<Address> address(std::string_view job, int task) const;

  /// The JSON form; parse() takes it back.
  std::string to_json() const;
  bool operator==(const ClusterSpec&) const = default;

 private:
  std::map<std::string, Tasks> jobs_;
};

/// Which task of which cluster this process is.
struct TaskConfig {
  ClusterSpec cluster;
  std::string job;
  int task = 0;
};

/// What TF_CONFIG says, as TensorFlow and Kubeflow set it: "cluster" (or Kubeflow's "sparseCluster"),
/// "task": {"type", "index"}, "environment". Other keys are ignored. An error names the key, quotes
/// its value and says what was expected.
struct TfConfig {
  ClusterSpec cluster;
  std::string job;     // empty: not given
  int task = -1;       // -1: not given
  std::string environment;

  static Result<TfConfig> parse(std::string_view json);
};

/// Combines the command line with TF_CONFIG: what `flags` give wins. The job may be left out where
/// the cluster has one, the index where the job has one task. Fails unless the result names a task
/// of the cluster.
Result<TaskConfig> resolve_task(const TfConfig& flags, const TfConfig& environment);

}  // namespace troupe
