#pragma once

#include <kj/async-io.h>
#include <kj/io.h>

#include <memory>

#include "troupe/capnp/server/event_loop_execution_unit.hpp"
#include "troupe/capnp/server/listen/rate_limited_log.hpp"
#include "troupe/capnp/server/services/service.hpp"

namespace troupe {

/// The client connections of a server, each served until it ends. A connection that breaks the
/// protocol or its limits is closed and logged (at most once a second); the others are not
/// affected. Used on the event loop's thread.
class ConnectionSet final : private kj::TaskSet::ErrorHandler {
 public:
  static constexpr int connections_max = 4096;

  /// `unit` and `service` must outlive it.
  ConnectionSet(
      kj::LowLevelAsyncIoProvider& io, EventLoopExecutionUnit& unit, const Service& service);

  /// Serves a connection that the acceptor dispatched; closes it where connections_max are open.
  void add(kj::AutoCloseFd socket);

 private:
  struct ClientConnection;

  void taskFailed(kj::Exception&& exception) override;

  kj::LowLevelAsyncIoProvider& io_;
  EventLoopExecutionUnit& unit_;
  const Service& service_;
  int connection_count_ = 0;
  RateLimitedLog log_;
  kj::TaskSet tasks_;
};

}  // namespace troupe
