#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/local_cluster.hpp"
#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::digits {

/// The workers of a cluster, and sessions against each: the way to run steps on /job:worker/task:0
/// and so on.
class Workers {
 public:
  /// Connects to nodes. A single target is any node of the cluster, which tells the addresses of
  /// the workers; several are the workers, in order. Without a count: all workers there are.
  static Result<std::unique_ptr<Workers>> connect(
      const std::vector<std::string>& targets, std::optional<int> count);

  /// Starts a cluster of one parameter server and that many workers in this process.
  static std::unique_ptr<Workers> start_local(int count);

  int count() const { return static_cast<int>(names_.size()); }
  /// A new session with that worker as master.
  Result<std::unique_ptr<BasicSession>> open(int worker);
  /// Where each of them is, for people: "troupe://host:port".
  const std::vector<std::string>& names() const { return names_; }

  /// Closes the sessions that are open, which cancels their steps; any thread may call it.
  void close_all();

 private:
  Workers() = default;

  std::unique_ptr<LocalCluster> cluster_;  // or else targets:
  std::vector<std::string> names_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<BasicSession>> open_;
};

}  // namespace troupe::digits
