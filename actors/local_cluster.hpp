#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "troupe/graph/cluster_spec.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// A whole cluster in this process, without a network: for tests, and for programs that are to run
/// without nodes. The same actors as in a cluster of processes; steps give the same results.
class LocalCluster {
 public:
  struct Options {
    int threads = 0;          // of each task's CPU device; 0: one a core
    size_t sessions_max = 0;  // that a task takes as master; 0: any number
    /// Takes lines for the tasks' logs, from any thread; may be empty.
    std::function<void(const std::string&)> log = {};
  };

  /// The number of tasks of each job.
  explicit LocalCluster(const std::map<std::string, int>& jobs) : LocalCluster(jobs, Options()) {}
  LocalCluster(const std::map<std::string, int>& jobs, const Options& options);
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;

  const ClusterSpec& spec() const;

  /// A session with that task as master; it must end before the cluster does. InvalidArgument names
  /// the tasks that there are; ResourceExhausted the task that takes no more sessions.
  Result<std::unique_ptr<Session>> session(
      const std::string& job, int task = 0, const SessionOptions& options = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace troupe
