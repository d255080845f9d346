#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "troupe/graph/status.hpp"
#include "troupe/graph/task_config.hpp"

namespace troupe {

struct ServerOptions {
  TaskConfig config;
  /// The host to listen on; "" stands for the loopback. The port is that of this task's address in
  /// the cluster, 0 there lets the system choose one.
  std::string bind_host;
  /// Threads of the CPU device; 0: one a core.
  int threads = 0;
  /// Bytes of tensors that the CPU device gives out; 0: as much as the machine has. A step that
  /// needs more fails with ResourceExhausted.
  uint64_t memory_limit = 0;
  /// Tasks talk only to those that give their cluster the same name.
  std::string cluster_name;
  /// How long a peer that does not answer is tried again before a step fails with Unavailable.
  std::chrono::milliseconds connect_timeout{10000};
  /// A peer that has not answered for so long is lost; 0: silence is never taken for that.
  std::chrono::milliseconds heartbeat_limit{2000};
};

/// A task of a cluster in this process: its actors and its door for clients and peers. Several may
/// live in one process. Destroying it stops it.
class Server {
 public:
  /// Serves once it returns. Unavailable, naming the address, where the port is in use.
  static Result<std::unique_ptr<Server>> start(ServerOptions options);

  virtual ~Server() = default;

  /// "troupe://host:port", with the port that it really has.
  virtual std::string target() const = 0;
  /// Takes no new calls, cancels running steps, and frees all. Returns within the deadline.
  virtual Status stop(std::chrono::milliseconds deadline) = 0;
};

}  // namespace troupe
