#pragma once

#include <kj/async-io.h>
#include <kj/async-unix.h>
#include <kj/io.h>

namespace troupe {

/// A connected, non-blocking socket as a stream of that event port. (KJ makes such streams only for
/// event loops that one thread owns, see SharedLoop.) The port must outlive it.
kj::Own<kj::AsyncIoStream> make_socket_stream(kj::UnixEventPort& port, kj::AutoCloseFd socket);

}  // namespace troupe
