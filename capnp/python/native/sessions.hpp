#pragma once

#include <memory>
#include <string>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/capnp/python/native/owned.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::python {

/// Where sessions are opened: on a node, or on a cluster of one task in this process.
struct Target {
  std::string address;  // empty: this process
  SessionOptions options;
  std::chrono::milliseconds connect_timeout{10000};
};

Target to_target(nb::dict options);

/// An open session; for a session in this process, also its cluster.
class OpenSession {
 public:
  OpenSession(std::unique_ptr<LocalCluster> cluster, std::unique_ptr<Session> session)
      : cluster_(std::move(cluster)), session_(std::move(session)) {}

  Session& session() { return *session_; }
  bool is_remote() const { return !cluster_; }
  FeedRules feed_rules() const { return {.may_alias = is_remote(), .decrefs = decrefs_}; }
  const std::shared_ptr<DeferredDecrefs>& decrefs() const { return decrefs_; }

 private:
  Owned<LocalCluster> cluster_;
  Owned<Session> session_;
  std::shared_ptr<DeferredDecrefs> decrefs_ = std::make_shared<DeferredDecrefs>();
};

/// Writes a line to the package's log; takes the GIL.
void log_warning(const std::string& text);

/// To be called without the GIL.
Result<std::shared_ptr<OpenSession>> open(const Target& target);

/// Waits for a step; to be called without the GIL. In the main thread it runs signal handlers
/// meanwhile: an exception of a handler, as of Ctrl-C, cancels the step and is thrown.
Result<Tensors> wait_interruptibly(PendingStep& step);

RunOptions to_run_options(nb::dict options);

}  // namespace troupe::python
