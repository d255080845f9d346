#pragma once

#include <memory>
#include <optional>
#include <string>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/capnp/python/native/interpreter/owned.hpp"
#include "troupe/capnp/python/native/simulation/simulated_cluster.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::python {

/// Where sessions are opened: on a node, on a cluster of one task in this process, or on a
/// simulated one.
struct Target {
  std::string address;                               // empty: this process
  std::shared_ptr<SimulatedCluster> simulated = {};  // the address is then the name of its task
  SessionOptions options;
  std::chrono::milliseconds connect_timeout{10000};
  int cpu_devices = 1;                 // of this process
  std::optional<GpuOptions> gpu = {};  // of this process; none: it uses no GPU
  std::string program = {};            // as nodes list it
};

/// What servers and sessions of this process read of a config's "gpu..." entries.
GpuOptions to_gpu_options(nb::dict options);

Target to_target(nb::dict options);

/// An open session; for a session in this process, also its cluster. Tensors of a remote one are
/// not in the memory of this process.
class OpenSession {
 public:
  OpenSession(std::unique_ptr<Session> session, bool is_remote)
      : session_(std::move(session)), is_remote_(is_remote) {}
  OpenSession(std::unique_ptr<LocalCluster> cluster, std::unique_ptr<Session> session)
      : cluster_(std::move(cluster)), session_(std::move(session)), is_remote_(false) {}

  Session& session() { return *session_; }
  bool is_remote() const { return is_remote_; }
  /// Those of this process; none of a session with a target.
  std::vector<ListedDevice> list_devices() const {
    return cluster_ ? cluster_->list_devices() : std::vector<ListedDevice>();
  }
  FeedRules feed_rules() const { return {.may_alias = is_remote(), .decrefs = decrefs_}; }
  const std::shared_ptr<DeferredDecrefs>& decrefs() const { return decrefs_; }

 private:
  Owned<LocalCluster> cluster_{nullptr};
  Owned<Session> session_;
  bool is_remote_;
  std::shared_ptr<DeferredDecrefs> decrefs_ = std::make_shared<DeferredDecrefs>();
};

/// (name, type, bytes of memory, incarnation).
nb::tuple to_tuple(const ListedDevice& device);

/// The name of the script that runs; to be called with the GIL. Empty in an interactive session.
std::string program_name();

/// Writes a line to the package's log; takes the GIL.
void log_warning(const std::string& text);

/// To be called without the GIL.
Result<std::shared_ptr<OpenSession>> open(const Target& target);

/// Waits for a step; to be called without the GIL. In the main thread it runs signal handlers
/// meanwhile: an exception of a handler, as of Ctrl-C, cancels the step and is thrown.
Result<Tensors> wait_interruptibly(PendingStep& step);

RunOptions to_run_options(nb::dict options);

}  // namespace troupe::python
