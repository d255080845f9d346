#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/cluster/address.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The tasks of one job as a program writes them: {"host:port", ...} in the order of their indices,
/// or {{3, "host:port"}, ...}.
struct JobTasks {
  JobTasks() = default;
  JobTasks(std::initializer_list<std::string> in_order) : JobTasks(std::vector(in_order)) {}
  JobTasks(std::initializer_list<std::pair<const int, std::string>> by_index)
      : by_index(by_index) {}
  JobTasks(const std::vector<std::string>& in_order);
  JobTasks(std::map<int, std::string> by_index) : by_index(std::move(by_index)) {}

  std::map<int, std::string> by_index;
};

/// The tasks of a cluster: job -> task index -> address. Indices may have gaps, jobs may be empty.
/// No two tasks have one address, but for port 0. A value; copies share their memory, as each of
/// thousands of tasks has many.
class ClusterSpec {
 public:
  using Tasks = std::map<int, Address>;
  using Jobs = std::map<std::string, Tasks>;

  ClusterSpec();
  /// make({{"ps", {"a:2222"}}, {"worker", {{3, "b:2222"}}}}). InvalidArgument names the key, as
  /// "cluster.worker[3]", whose beginning is `key`, and quotes the value; as does parse().
  static Result<ClusterSpec> make(
      const std::map<std::string, JobTasks>& jobs, const std::string& key = "cluster");
  /// The JSON object that TF_CONFIG has under "cluster" ({"ps": ["host:port"], "worker": {"3":
  /// "host:port"}}), the short form "ps=host:port;worker=host:port,host:port", or "@file" with
  /// either.
  static Result<ClusterSpec> parse(std::string_view text, const std::string& key = "cluster");

  const Jobs& jobs() const { return *jobs_; }
  /// True where it has no task.
  bool empty() const;

  // InvalidArgument names the jobs, or the indices, that there are:

  Result<Tasks> job_tasks(std::string_view job) const;
  Result<int> num_tasks(std::string_view job) const;
  Result<std::vector<int>> task_indices(std::string_view job) const;
  Result<Address> task_address(std::string_view job, int task) const;

  /// A copy with that address for that task, which is added if it is missing.
  ClusterSpec with_address(const std::string& job, int task, Address address) const;
  /// A copy with the tasks of `others` that it lacks.
  ClusterSpec with(const ClusterSpec& others) const;
  /// A copy without that task.
  ClusterSpec without(const std::string& job, int task) const;

  /// The names of the jobs, for messages.
  std::string job_names() const;

  /// The JSON form; parse() takes it back.
  std::string to_json() const;
  bool operator==(const ClusterSpec& other) const {
    return jobs_ == other.jobs_ || *jobs_ == *other.jobs_;
  }

 private:
  explicit ClusterSpec(Jobs jobs) : jobs_(std::make_shared<const Jobs>(std::move(jobs))) {}
  Result<const Tasks*> find_job(std::string_view job) const;

  std::shared_ptr<const Jobs> jobs_;
};

/// "0-2, 5": the indices of tasks, for messages.
std::string index_ranges(const ClusterSpec::Tasks& tasks);

}  // namespace troupe
