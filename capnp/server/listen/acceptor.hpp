#pragma once

#include <kj/io.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "troupe/capnp/server/listen/rate_limited_log.hpp"
#include "troupe/capnp/server/listen/tls_tunnels.hpp"

namespace troupe {

/// Accepts connections on a thread of its own. The first bytes of a connection tell its purpose:
/// heartbeats are answered on this thread, however busy the event loop of the RPC server is; links
/// of other nodes and the connections of clients are dispatched to that loop. A connection that
/// sends nothing for protocol::login_time is closed; where the limit of connections is reached, the
/// oldest of those is closed sooner, to make room for a new one.
class Acceptor {
 public:
  enum class Purpose : uint8_t { client, link };
  using Dispatch = std::function<void(kj::AutoCloseFd, Purpose)>;

  /// Calls `dispatch`, on its own thread, with each connection that does not begin with a
  /// heartbeat. Nothing of it has been read. `unix_listening` is a Unix socket that listens, or
  /// null. With credentials, connections are those inside of TLS, and on the Unix socket this
  /// user's alone.
  Acceptor(
      kj::AutoCloseFd listening, kj::AutoCloseFd unix_listening, uint64_t incarnation,
      std::shared_ptr<Credentials> credentials, Dispatch dispatch, size_t connections_max = 4096);
  /// Closes the port and all connections that it holds.
  ~Acceptor() noexcept;
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  /// A connection that is not dispatched: for heartbeats, or pending.
  struct HeldConnection {
    kj::AutoCloseFd socket;
    uint64_t number;            // in the order of acceptance
    bool is_heartbeat = false;  // false: it is pending
    size_t request_bytes = 0;   // received of the heartbeat that is incomplete
  };
  /// A held connection whose purpose is not known yet.
  struct PendingConnection {
    Clock::time_point accepted_at;
    int file;
  };

  void run();
  void watch(int file, uint32_t events);
  void accept_next(int listening);
  bool begin_tls(kj::AutoCloseFd& socket, int listening);
  void on_readable(int file, bool has_finished);
  int milliseconds_until_overdue() const;
  void close_overdue();
  void close(std::map<int, HeldConnection>::iterator connection);
  void dispatch(std::map<int, HeldConnection>::iterator connection, Purpose purpose);
  bool answer_heartbeats(HeldConnection& connection) const;

  const uint64_t incarnation_;
  const Dispatch dispatch_;
  const size_t connections_max_;
  kj::AutoCloseFd listening_;
  kj::AutoCloseFd unix_listening_;
  kj::AutoCloseFd stop_event_;
  kj::AutoCloseFd epoll_;
  std::map<int, HeldConnection> held_;             // by descriptor
  std::map<uint64_t, PendingConnection> pending_;  // by number, so the oldest comes first
  uint64_t accepted_count_ = 0;
  RateLimitedLog log_;
  std::optional<TlsTunnels> tunnels_;
  std::thread thread_;
};

}  // namespace troupe
