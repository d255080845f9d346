#pragma once

#include <kj/async-io.h>
#include <kj/async-unix.h>
#include <kj/io.h>
#include <kj/string.h>
#include <kj/time.h>

namespace troupe {

/// A connected, non-blocking socket as a stream of an event port. (KJ makes such streams only for
/// event loops that one thread owns, see SharedLoop.)
class SocketStream : public kj::AsyncIoStream {
 public:
  /// When bytes last came in, by the port's clock. Where many were waiting to go out when this was
  /// last asked, it is now if some of them have arrived at the other host since.
  virtual kj::TimePoint look_for_life() = 0;
  /// Ends the connection: whoever reads or writes gets an exception that says why.
  virtual void give_up(kj::StringPtr why) = 0;
};

/// The port must outlive it.
kj::Own<SocketStream> make_socket_stream(kj::UnixEventPort& port, kj::AutoCloseFd socket);

}  // namespace troupe
