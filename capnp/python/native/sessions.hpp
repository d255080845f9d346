#pragma once

#include <memory>
#include <string>

#include "troupe/actors/local_cluster.hpp"
#include "troupe/capnp/python/native/owned.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::python {

/// What sessions are opened on: a node, or a cluster of one task in this process.
struct Target {
  std::string address;  // empty: this process
  SessionOptions options;
  std::chrono::milliseconds connect_timeout{10000};
};

Target to_target(nb::dict options);

/// A session as Python has it, and the cluster where that is in this process.
class OpenSession {
 public:
  OpenSession(std::unique_ptr<LocalCluster> cluster, std::unique_ptr<Session> session)
      : cluster_(std::move(cluster)), session_(std::move(session)) {}

  Session& session() { return *session_; }
  bool is_remote() const { return !cluster_; }
  FeedRules feed_rules() const { return {.may_alias = is_remote(), .released = released_}; }
  const std::shared_ptr<Released>& released() const { return released_; }

 private:
  Owned<LocalCluster> cluster_;
  Owned<Session> session_;
  std::shared_ptr<Released> released_ = std::make_shared<Released>();
};

/// Without the GIL.
Result<std::shared_ptr<OpenSession>> open(const Target& target);

/// Waits for a step, without the GIL. What a signal handler raises meanwhile, as Ctrl-C does,
/// cancels the step and is thrown.
Result<Tensors> wait_interruptibly(PendingStep& step);

RunOptions to_run_options(nb::dict options);

}  // namespace troupe::python
