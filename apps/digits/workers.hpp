#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/local_cluster.hpp"
#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::digits {

/// The workers of a cluster, with a session against each: the way to run steps on
/// /job:worker/task:0 and so on.
class Workers {
 public:
  /// Connects to nodes. A single target is any node of the cluster, which tells the addresses of
  /// the workers; several are the workers, in order. Without a count: all workers there are.
  static Result<Workers> connect(const std::vector<std::string>& targets, std::optional<int> count);

  /// Starts a cluster of one parameter server and that many workers in this process.
  static Result<Workers> start_local(int count);

  int count() const { return static_cast<int>(sessions_.size()); }
  Session& session(int worker) { return *sessions_[static_cast<size_t>(worker)]; }
  /// Where each of them is, for people: "troupe://host:port".
  const std::vector<std::string>& names() const { return names_; }

  /// Closes all sessions, which cancels their steps; any thread may call it.
  Status close();

 private:
  Workers() = default;

  std::unique_ptr<LocalCluster> cluster_;  // or else:
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::string> names_;
};

}  // namespace troupe::digits
