#pragma once

#include <kj/async-io.h>
#include <kj/async-unix.h>
#include <kj/io.h>
#include <kj/string.h>
#include <kj/time.h>

namespace troupe {

/// A connected, non-blocking socket as a stream of an event port. (KJ's own streams need an event
/// loop that one thread owns; see SharedLoop.)
class SocketStream : public kj::AsyncIoStream {
 public:
  /// When the other host was last known to be alive, by the port's clock: when bytes were received,
  /// or now if many bytes were unacknowledged at the last call and some have been acknowledged
  /// since.
  virtual kj::TimePoint last_activity() = 0;
  /// Shuts the connection down: reads and writes fail with an exception that has this reason.
  virtual void close(kj::StringPtr reason) = 0;
};

/// The port must outlive it.
kj::Own<SocketStream> make_socket_stream(kj::UnixEventPort& port, kj::AutoCloseFd socket);

}  // namespace troupe
