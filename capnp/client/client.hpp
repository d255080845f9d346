#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/cluster/runner.hpp"
#include "troupe/graph/cluster/session_list.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

struct ConnectOptions {
  /// How long a refused connection is retried, ever less often.
  std::chrono::milliseconds timeout{10000};
  /// A node from which neither heartbeats nor other bytes arrive for this long, while a call waits,
  /// counts as lost; 0: never.
  std::chrono::milliseconds heartbeat_limit{2000};
  /// Called on the connecting thread, at most once each: with the reason, when no connection has
  /// been made for a second; and when a node that accepted one has not answered for a second.
  std::function<void(const std::string&)> on_wait;
  /// The folder with the credentials of the cluster (capnp/tls/credentials.hpp), where its nodes
  /// ask for them; empty: that of the environment variable TROUPE_TLS, if it is set.
  std::string tls;
  /// The program, as the lists of sessions name it; empty: by the name of its file.
  std::string program;
  /// Whether to use one connection with the clients of this process that have the same target,
  /// heartbeat limit and program, and share, too; while it is lost, the next client opens another.
  /// Small calls of many threads take fewer system calls so; a large message delays the others.
  bool shares_connection = false;
};

/// A connection to a node of a cluster, which is then the master of its sessions. Every method
/// waits for its answer. Methods are thread-safe, but must not be called on a thread that runs a KJ
/// event loop. Large feeds and fetches of several threads are fastest with a client for each
/// thread. Once the connection is lost, every call fails with Unavailable, naming target and task;
/// connect again to go on.
class Client {
 public:
  /// `target` is "troupe://host:port", "grpc://host:port" or "host:port". Unavailable: no server
  /// answers there. FailedPrecondition: the server there is no Troupe node, or one of another
  /// version.
  static Result<std::unique_ptr<Client>> connect(
      std::string_view target, const ConnectOptions& options = {});

  virtual ~Client() = default;

  /// Opens a session with an empty graph. It may outlive the client object. ResourceExhausted: the
  /// node has as many sessions as it allows.
  virtual Result<std::unique_ptr<Session>> session(const SessionOptions& options = {}) = 0;
  /// The devices of the cluster; tasks that do not answer in time are in `missing`.
  virtual Result<DeviceList> list_devices(
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// The resources in the containers of the cluster.
  virtual Result<ResourceList> list_resources(
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// The runners that clients have left on the cluster (Session::start_runner()), and that were not
  /// stopped since.
  virtual Result<RunnerList> list_runners(
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// The open sessions of the cluster, of all clients and runners.
  virtual Result<SessionList> list_sessions(
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Has a runner start no more steps; those that it has started go on until they end, so that
  /// nothing is lost: a step that waits for room in its queue puts its element in later. NotFound:
  /// there is no such runner. FailedPrecondition: it has ended. Unavailable: no task that answers
  /// has it.
  virtual Status pause_runner(
      const ResourceName& runner, std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Has it go on where it was: in the same session, so that readers and random numbers go on, too.
  /// The errors are those of pause_runner().
  virtual Status resume_runner(
      const ResourceName& runner, std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Cancels its steps, runs its cancel op, and frees its name; also after it has ended. NotFound
  /// and Unavailable as of pause_runner().
  virtual Status stop_runner(
      const ResourceName& runner, std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Frees those containers ("" is the default one) on all tasks, and closes the node's sessions
  /// and those of other nodes that have used them. Unavailable names the tasks that could not be
  /// reached; all others have been reset. To reset a container that holds nothing is no error.
  virtual Status reset(
      const std::vector<std::string>& containers,
      std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// As reset(), for all containers.
  virtual Status reset_all(std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Frees all containers of one task, "/job:ps/task:0", and closes its sessions that have used
  /// them; nothing elsewhere.
  virtual Status reset_task(
      const std::string& task, std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// Removes a task that has joined the cluster and is dead for good, "/job:worker/task:3".
  /// FailedPrecondition: it belongs to the cluster by its configuration, or is alive. NotFound:
  /// there is no such task.
  virtual Status forget_task(
      const std::string& task, std::chrono::milliseconds timeout = std::chrono::seconds(5)) = 0;
  /// The cluster as the node knows it, with the tasks that have joined.
  virtual Result<ClusterSpec> cluster() = 0;
  /// The node's task, version, state and counters; asks no other node.
  virtual Result<NodeInfo> node_info() = 0;
  /// The wall clock of the node's machine when it answers, since 1970-01-01, UTC.
  virtual Result<std::chrono::nanoseconds> clock() = 0;
  /// For each running step of the node's sessions, of all clients: what it waits for.
  virtual Result<std::vector<WaitingStep>> list_waiting_steps(
      std::chrono::milliseconds timeout = std::chrono::seconds(1)) = 0;

  /// The metadata of the next step that one of the node's sessions starts, of whatever client: of
  /// that session, as list_waiting_steps() numbers them, or of any (0). The options say what it
  /// records, and how long to wait. DeadlineExceeded: no step began and ended within the timeout.
  /// NotFound: the node has no such session.
  virtual Result<RunMetadata> trace_next_step(
      uint64_t session = 0,
      const RunOptions& options = {.timeout = std::chrono::seconds(5), .trace = Trace::full}) = 0;

  /// Has the node refuse new sessions and, as master, new steps, and waits until its steps have
  /// ended. DeadlineExceeded: some had not, and were cancelled.
  virtual Status drain(std::chrono::milliseconds timeout) = 0;
  /// Drains the node for most of that time, and then stops it. Ok once the drain is over, even if
  /// steps were cancelled; the connection is lost soon after. DeadlineExceeded: no answer in time.
  virtual Status stop(std::chrono::milliseconds timeout) = 0;

  /// "troupe://host:port".
  virtual const std::string& target() const = 0;
};

}  // namespace troupe
