#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "troupe/devices/local_devices.hpp"
#include "troupe/graph/cluster/server_def.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The resources of a server and how it connects to others. They hold for the whole server: no
/// session can change them.
struct ServerOptions {
  /// "host:port" of any task of a running cluster, with or without "troupe://": the server joins
  /// that cluster as the next task of its job. Its own definition then has one task, with the
  /// address at which others reach it. It leaves the cluster when it is stopped in time; one that
  /// ends otherwise keeps its task index, which the next server that joins with that address gets.
  std::string join = {};
  /// The host to listen on; "" stands for the loopback. The port is that of this task's address in
  /// the cluster, 0 there lets the system choose one.
  std::string bind_host;
  /// The folder with the credentials of the cluster (capnp/tls/credentials.hpp); empty: that of the
  /// environment variable TROUPE_TLS, if it is set. With them, connections to and from other hosts
  /// and users are encrypted, and only those who have some of the same authority can connect.
  std::string tls = {};
  /// A step that exceeds their memory limit fails with ResourceExhausted.
  LocalDeviceOptions devices;
  /// Tasks refuse peers whose cluster name differs.
  std::string cluster_name;
  /// Nodes of one host connect by a Unix socket and lend each other their memory. With this they do
  /// as nodes of different hosts do: for tests and measurements.
  bool tcp_only = false;
  /// How long connecting to a peer is retried before a step fails with Unavailable.
  std::chrono::milliseconds connect_timeout{10000};
  /// A peer that answers no heartbeat for this long counts as lost; 0: never.
  std::chrono::milliseconds heartbeat_limit{2000};
  /// How many sessions clients may have open here; 0: no limit.
  size_t sessions_max = 0;
  /// A session without a call for this long is closed, even if its client is connected; 0: never.
  std::chrono::milliseconds session_idle_limit{0};
  /// Where sessions of this server write the graph of each step after each pass, as text and for
  /// Graphviz (graph/optimize/graph_dump.hpp); empty: nowhere.
  std::filesystem::path dump_graphs = {};
};

/// A task of a cluster in this process: its devices, its actors, and the RPC server for clients and
/// peers. A process may have several. All methods are thread-safe.
class Server {
 public:
  /// Makes a server that does not serve yet. InvalidArgument: `def` names no task of its cluster,
  /// or the options ask for devices that the machine does not have.
  static Result<std::unique_ptr<Server>> create(const ServerDef& def, ServerOptions options = {});
  /// Makes the only task of a cluster, /job:local/task:0, at a port that the system chooses.
  static Result<std::unique_ptr<Server>> create_local(ServerOptions options = {});

  /// Stops without waiting for steps.
  virtual ~Server() = default;

  /// Starts to serve, and returns when it does; ok where it serves already. Unavailable, naming the
  /// address, where the port is in use or the cluster to join is unreachable; it may be called
  /// again. A server that was stopped starts on the same port as a new incarnation, without state.
  /// FailedPrecondition while it is stopping.
  virtual Status start() = 0;

  /// From now on the server refuses new sessions and, as master, new steps; it still computes for
  /// other masters. Waits until the steps of its sessions have ended. At the deadline it cancels
  /// the others and returns DeadlineExceeded.
  virtual Status drain(std::chrono::milliseconds deadline) = 0;
  /// Drains for most of that time, then ends all connections and frees everything. Ok where it does
  /// not serve. DeadlineExceeded where a kernel or an actor takes a quarter of a second longer; the
  /// stop then continues in the background.
  virtual Status stop(std::chrono::milliseconds deadline) = 0;
  /// Waits until the server has been stopped, by this process or by a client, and returns the
  /// status of that stop. Returns at once where it does not serve.
  virtual Status join() = 0;

  /// The cluster and this server's task in it, with the port that is really bound.
  virtual ServerDef server_def() const = 0;
  /// "troupe://host:port", for clients.
  virtual std::string target() const = 0;
};

}  // namespace troupe
