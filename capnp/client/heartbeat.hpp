#pragma once

#include <kj/async-unix.h>
#include <kj/async.h>
#include <kj/io.h>
#include <kj/time.h>

#include <cstdint>

#include "troupe/capnp/client/socket_stream.hpp"

namespace troupe {

/// Closes a connection whose node has been silent for `limit` while the event loop ran, as a
/// client's loop does while calls wait. One timer, shared by all calls, sends a heartbeat four
/// times within `limit` over a second connection; an answer, or bytes that move on the calls'
/// connection, count as activity. If the loop was not run for a while, because no call waited or
/// the process was suspended, the silence is counted from its return. Used on the loop.
class Heartbeat {
 public:
  /// `calls` is the connection to watch, `stream` a second connection to the node, whose
  /// incarnation is `incarnation`. `port` and `calls` must outlive the heartbeat.
  Heartbeat(
      kj::UnixEventPort& port, SocketStream& calls, kj::Own<kj::AsyncIoStream> stream,
      uint64_t incarnation, kj::Duration limit);

  /// Sends a first heartbeat and resolves when it is answered; watches the node from then on.
  kj::Promise<void> start();

 private:
  kj::Promise<void> send();
  void send_next();
  kj::Promise<void> watch();
  kj::Promise<void> wait_until(kj::TimePoint due);
  void update_activity(kj::TimePoint due);
  void close_calls();

  SocketStream& calls_;
  kj::Own<kj::AsyncIoStream> stream_;
  const uint64_t incarnation_;
  const kj::Duration limit_;
  kj::TimePoint last_activity_;
  kj::AutoCloseFd timer_;
  kj::UnixEventPort::FdObserver timer_observer_;
  uint64_t answer_ = 0;
  bool is_unanswered_ = false;
  kj::Promise<void> answered_ = kj::READY_NOW;
  kj::Promise<void> watch_ = kj::READY_NOW;
};

}  // namespace troupe
