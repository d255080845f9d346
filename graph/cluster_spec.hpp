#pragma once

#include <map>
#include <string>
#include <string_view>

#include "troupe/graph/address.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// The tasks of a cluster: job -> task index -> address. Indices may have gaps. A value.
class ClusterSpec {
 public:
  using Tasks = std::map<int, Address>;

  ClusterSpec() = default;
  explicit ClusterSpec(std::map<std::string, Tasks> jobs) : jobs_(std::move(jobs)) {}

  /// The JSON object that TF_CONFIG has under "cluster" ({"ps": ["host:port"], "worker": {"3":
  /// "host:port"}}), the short form "ps=host:port;worker=host:port,host:port", or "@file" with
  /// either. No two tasks may have one address, but for port 0. InvalidArgument names the key, as
  /// "cluster.worker[1]" (its beginning is `key`), and quotes the value.
  static Result<ClusterSpec> parse(std::string_view text, const std::string& key = "cluster");

  const std::map<std::string, Tasks>& jobs() const { return jobs_; }
  bool empty() const { return jobs_.empty(); }
  /// InvalidArgument names the jobs, or the indices, that there are.
  Result<Address> address(std::string_view job, int task) const;

  /// The names of the jobs, and the indices of one ("0-2, 5"), for messages.
  std::string job_names() const;
  std::string task_indices(std::string_view job) const;

  /// The JSON form; parse() takes it back.
  std::string to_json() const;
  bool operator==(const ClusterSpec&) const = default;

 private:
  std::map<std::string, Tasks> jobs_;
};

}  // namespace troupe
