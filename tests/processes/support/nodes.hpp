#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/tests/processes/support/process.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {

/// The path of a program of this build.
std::string program(const std::string& name);

/// A port of 127.0.0.1 that no socket is bound to, another one in each of thousands of calls.
int free_port();

/// A troupe-node with those flags, and with TF_CONFIG where it is not empty. It may not serve yet.
std::unique_ptr<Process> start_node(
    std::vector<std::string> flags, const std::string& tf_config = "");

/// Waits for the ready line and returns the target in it. Fails the test if none comes.
std::string await_target(Process& node);

/// The example digits with those flags.
std::unique_ptr<Process> start_digits(std::vector<std::string> flags);
/// Waits until another epoch of its training has ended. Fails the test if none does.
void await_epoch(Process& digits);

/// A process for each task of a cluster on the loopback. The constructor returns when all serve.
class NodeCluster {
 public:
  /// {{"ps", 1}, {"worker", 2}}; `flags` go to each node.
  explicit NodeCluster(
      const std::map<std::string, int>& jobs, const std::vector<std::string>& flags = {});

  /// What --cluster takes.
  const std::string& spec() const { return spec_; }
  Process& node(const std::string& job, int task) { return *task_at(job, task).process; }
  const std::string& target(const std::string& job, int task) { return task_at(job, task).target; }
  /// A new process for a task that ended, on the same port.
  void restart(const std::string& job, int task);

 private:
  struct Task {
    std::unique_ptr<Process> process;
    std::string target;
  };

  Task& task_at(const std::string& job, int task);
  std::unique_ptr<Process> start(const std::string& job, int task) const;

  std::string spec_;
  std::vector<std::string> flags_;
  std::map<std::string, std::vector<Task>> tasks_;
};

}  // namespace troupe::testing
