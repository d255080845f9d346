#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::digits {

/// The workers of a cluster; opens sessions with each of them as master.
class Workers {
 public:
  /// Finds the workers of a cluster. A single target is any node, which is asked for the addresses
  /// of the workers; several targets are the workers in order. Without a count: all of them.
  static Result<std::unique_ptr<Workers>> connect(
      const std::vector<std::string>& targets, std::optional<int> count);

  /// Starts a cluster of one parameter server and that many workers in this process.
  static std::unique_ptr<Workers> start_local(int count);

  int count() const { return static_cast<int>(names_.size()); }
  /// A new session with that worker as master.
  Result<std::unique_ptr<BasicSession>> open(int worker);
  /// The target of each worker, "troupe://host:port", for display.
  const std::vector<std::string>& names() const { return names_; }

  /// Closes the sessions that are open, which cancels their steps; any thread may call it.
  void close_all();

 private:
  Workers() = default;

  std::unique_ptr<LocalCluster> cluster_;  // empty if names_ are targets
  std::vector<std::string> names_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<BasicSession>> open_;
};

}  // namespace troupe::digits
