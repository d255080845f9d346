#pragma once

#include <kj/async.h>
#include <kj/io.h>

#include <memory>
#include <thread>

#include "troupe/capnp/tls/credentials.hpp"

namespace troupe {

/// Decrypts the connections that a server accepts, on a thread of its own: each gets a socket of
/// this process in its place, on which what the peer sent comes out, and what is written goes to
/// the peer. So the server reads and passes on sockets as without TLS, and its event loop does not
/// encrypt.
class TlsTunnels {
 public:
  explicit TlsTunnels(std::shared_ptr<Credentials> credentials);
  /// Closes all connections.
  ~TlsTunnels() noexcept;
  TlsTunnels(const TlsTunnels&) = delete;
  TlsTunnels& operator=(const TlsTunnels&) = delete;

  /// The socket in place of a connection: null where the process has no descriptor left. It ends
  /// where the peer does not prove to be of the cluster. Not called on a thread with an event loop.
  kj::AutoCloseFd open(kj::AutoCloseFd connection);

 private:
  class Loop;

  std::shared_ptr<Credentials> credentials_;
  kj::Own<const kj::Executor> executor_;  // of the thread's loop
  Loop* loop_ = nullptr;                  // used on it
  std::thread thread_;
};

}  // namespace troupe
