#pragma once

#include <memory>
#include <string>

#include "troupe/graph/cluster/tf_config.hpp"
#include "troupe/graph/session.hpp"
#include "troupe/graph/train/host.hpp"

namespace troupe::train {

/// The task of a cluster that a training program is: its role, its server, its clock and its log.
/// On real machines it is the process and its server (capnp/server/train/run.hpp), on a simulated
/// cluster a sim::Program. Waits also end, with false, when the server of the task has ended.
class Task : public Host {
 public:
  virtual const Role& role() const = 0;
  /// Opens a session with an empty graph, whose master is this task.
  virtual Result<std::unique_ptr<BasicSession>> open_session() = 0;
  /// Whether the server was stopped, by this process or by another one.
  virtual bool has_server_ended() = 0;
  /// Stops the server of another task in order, so that its program ends. Unavailable: no server
  /// answers there.
  virtual Status stop_server(const std::string& job, int task) = 0;
};

}  // namespace troupe::train
