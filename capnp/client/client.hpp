#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/cluster_view.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

struct ConnectOptions {
  /// How long a node that refuses the connection is tried again, ever less often.
  std::chrono::milliseconds timeout{10000};
  /// A node that gives no sign of life for so long while calls wait is lost; 0: silence is never
  /// taken for that.
  std::chrono::milliseconds heartbeat_limit{2000};
};

/// A connection to a node of a cluster, which is then the master of its sessions. All calls wait
/// for their answer, and may come from any threads, also at once; only not from one that runs an
/// event loop of KJ itself. Steps of several threads are fastest with a client for each. Once the
/// connection is lost, everything fails with Unavailable, naming target and task, and a new one has
/// to be made.
class Client {
 public:
  /// `target` is "troupe://host:port"; "grpc://" is taken for the same, and "host:port" will do.
  /// Unavailable: nobody serves there. FailedPrecondition: somebody does, but it is no Troupe node,
  /// or one of another version.
  static Result<std::unique_ptr<Client>> connect(
      std::string_view target, const ConnectOptions& options = {});

  virtual ~Client() = default;

  /// A new session with an empty graph. It may outlive the client object. ResourceExhausted: the
  /// node takes no more sessions.
  virtual Result<std::unique_ptr<Session>> session(const SessionOptions& options = {}) = 0;
  /// The devices of the cluster; tasks that do not answer in time are in `missing`.
  virtual Result<DeviceList> list_devices(
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// What the containers of the cluster hold.
  virtual Result<ResourceList> list_resources(
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Frees those containers ("" is the default one) on all tasks, and closes the node's sessions
  /// and those of other nodes that have used them. Unavailable names the tasks that could not be
  /// reached; all others have been reset.
  virtual Status reset(
      const std::vector<std::string>& containers,
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// The same with all containers that there are.
  virtual Status reset_all(std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Frees all containers of one task, "/job:ps/task:0", and closes its sessions that have used
  /// them; nothing elsewhere.
  virtual Status reset_task(
      const std::string& task, std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  virtual Result<ClusterSpec> cluster() = 0;
  virtual Result<NodeInfo> node_info() = 0;
  /// What the steps of the node's sessions wait for that have not ended, those of all clients.
  virtual Result<std::vector<WaitingStep>> explain(
      std::chrono::milliseconds timeout = std::chrono::seconds(1)) = 0;

  /// Has the node open no more sessions and, as master, run no new steps, and waits until its steps
  /// have ended. DeadlineExceeded: some had not, and were cancelled.
  virtual Status drain(std::chrono::milliseconds timeout) = 0;
  /// Drains the node for most of that time, and ends it.
  virtual Status stop(std::chrono::milliseconds timeout) = 0;

  /// "troupe://host:port".
  virtual const std::string& target() const = 0;
};

}  // namespace troupe
