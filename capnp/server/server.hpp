#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "troupe/devices/local_devices.hpp"
#include "troupe/graph/server_def.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// What a server has, and how it meets others. Only it can honour these: no session can ask for
/// more threads.
struct ServerOptions {
  /// "host:port" of any task of a cluster that runs, with or without "troupe://": the server joins
  /// that as the next task of its job. Its own definition then has one task, with the address where
  /// others reach it. It leaves when it is stopped in time; one that ends otherwise keeps its place
  /// for whoever comes to that address next.
  std::string join = {};
  /// The host to listen on; "" stands for the loopback. The port is that of this task's address in
  /// the cluster, 0 there lets the system choose one.
  std::string bind_host;
  /// A step that needs more memory than they have fails with ResourceExhausted.
  LocalDeviceOptions devices;
  /// Tasks talk only to those that give their cluster the same name.
  std::string cluster_name;
  /// How long a peer that does not answer is tried again before a step fails with Unavailable.
  std::chrono::milliseconds connect_timeout{10000};
  /// A peer that has not answered for so long is lost; 0: silence is never taken for that.
  std::chrono::milliseconds heartbeat_limit{2000};
  /// The sessions that clients may have open here; 0: any number.
  size_t sessions_max = 0;
  /// A session that nobody has called for so long is closed, its client may live or not; 0: never.
  std::chrono::milliseconds session_idle_limit{0};
};

/// A task of a cluster in this process: its devices, its actors, and its door for clients and
/// peers. Several may live in one process. All calls may come from any thread.
class Server {
 public:
  /// A server that does not serve yet. InvalidArgument: `def` names no task of its cluster, or the
  /// options ask for what the machine has not.
  static Result<std::unique_ptr<Server>> create(const ServerDef& def, ServerOptions options = {});
  /// The only task of a cluster, /job:local/task:0, at a port that the system chooses.
  static Result<std::unique_ptr<Server>> create_local(ServerOptions options = {});

  /// Stops without waiting for steps.
  virtual ~Server() = default;

  /// Serves once it returns; does nothing where it serves. Unavailable, naming the address, where
  /// the port is in use or the cluster to join out of reach; it can be tried again. A server that
  /// was stopped starts anew, on its port, as another incarnation that holds nothing.
  /// FailedPrecondition where it has not stopped yet.
  virtual Status start() = 0;

  /// From then on it opens no sessions and, as master, runs no new steps; it goes on to compute for
  /// other masters. Waits until its steps have ended; cancels at the deadline those that have not,
  /// and then returns DeadlineExceeded.
  virtual Status drain(std::chrono::milliseconds deadline) = 0;
  /// Drains for most of that time, then ends all connections and frees everything. Nothing to do
  /// where it does not serve. DeadlineExceeded where a kernel or an actor takes longer; it goes on
  /// to end.
  virtual Status stop(std::chrono::milliseconds deadline) = 0;
  /// Waits until it has stopped, whoever stops it: this process or a client. How that went; at once
  /// where it does not serve.
  virtual Status join() = 0;

  /// The task that it is, and the whole cluster; its own port is the one that it really has.
  virtual ServerDef server_def() const = 0;
  /// "troupe://host:port", for clients.
  virtual std::string target() const = 0;
};

}  // namespace troupe
