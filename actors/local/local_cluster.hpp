#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/local_devices.hpp"
#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// A whole cluster in this process, without a network: for tests, and for programs that run without
/// nodes. It has the same actors as a cluster of processes, and its steps give the same results.
/// All but its end is thread-safe.
class LocalCluster {
 public:
  struct Options {
    int threads = 0;      // of each task's CPU devices, which share them; 0: one for each core
    int cpu_devices = 1;  // of each task
    /// How each task uses the machine's GPUs, as a server does; none: it has a CPU device alone.
    std::optional<GpuOptions> gpu = {};
    size_t sessions_max = 0;  // with a task as master; 0: no limit
    /// Writes a line to the tasks' log; called from any thread. May be empty.
    std::function<void(const std::string&)> log = {};
    /// As TaskSettings::dump_graphs.
    std::filesystem::path dump_graphs = {};
  };

  /// `jobs` has the number of tasks of each job.
  explicit LocalCluster(const std::map<std::string, int>& jobs) : LocalCluster(jobs, Options()) {}
  LocalCluster(const std::map<std::string, int>& jobs, const Options& options);
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;

  const ClusterSpec& spec() const;
  /// The devices of all tasks.
  std::vector<ListedDevice> list_devices() const;

  /// Creates a session with that task as master; it must be destroyed before the cluster.
  /// InvalidArgument: there is no such task, or the options name a GPU that cannot be used.
  /// ResourceExhausted: the task has its maximum number of sessions.
  Result<std::unique_ptr<Session>> session(
      const std::string& job, int task = 0, const SessionOptions& options = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace troupe
