#pragma once

#include <kj/async-unix.h>
#include <kj/async.h>
#include <kj/io.h>
#include <kj/time.h>

#include <cstdint>

#include "troupe/capnp/client/socket_stream.hpp"

namespace troupe {

/// Gives a connection up whose node shows no sign of life for a time while the event loop runs, as
/// a client's does while calls wait. One timer for all of them asks for such a sign four times
/// within that time, over a connection of its own; bytes that move on the connection itself are
/// one, too. A loop that was not run for a while, because no call waited or the process was
/// suspended, starts anew: that silence was its own. Lives on the loop.
class Heartbeat {
 public:
  /// `asking` is a second connection to the node with that incarnation. `port` and `calls`, the
  /// connection to give up, must outlive the heartbeat.
  Heartbeat(
      kj::UnixEventPort& port, SocketStream& calls, kj::Own<SocketStream> asking,
      uint64_t incarnation, kj::Duration limit);

  /// Resolves when the node has answered a first time. It is watched from then on.
  kj::Promise<void> begin();

 private:
  kj::Promise<void> ask();
  void ask_again();
  kj::Promise<void> watch();
  kj::Promise<void> until(kj::TimePoint due);
  void look(kj::TimePoint due);
  void give_up();

  SocketStream& calls_;
  kj::Own<SocketStream> asking_;
  const uint64_t incarnation_;
  const kj::Duration limit_;
  kj::TimePoint last_life_;
  kj::AutoCloseFd alarm_;
  kj::UnixEventPort::FdObserver alarm_observer_;
  uint64_t answer_ = 0;
  bool is_asked_ = false;
  kj::Promise<void> answered_ = kj::READY_NOW;
  kj::Promise<void> watch_ = kj::READY_NOW;
};

}  // namespace troupe
