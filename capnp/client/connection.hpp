#pragma once

#include <capnp/rpc-twoparty.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "troupe/capnp/client/heartbeat.hpp"
#include "troupe/capnp/client/shared_loop.hpp"
#include "troupe/capnp/client/socket_stream.hpp"
#include "troupe/capnp/stream/frame_stream.hpp"
#include "troupe/capnp/tls/credentials.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// A client's connection to its node, and the event loop that runs it.
class Connection {
 public:
  explicit Connection(std::string target) : target_(std::move(target)) {}
  ~Connection() noexcept;

  /// Called first, with a connected socket, which it encrypts where there are credentials.
  /// Unavailable where the node does not prove that it is of their cluster.
  Status start(
      kj::AutoCloseFd socket, std::shared_ptr<Credentials> credentials,
      std::chrono::milliseconds timeout);

  /// Calls Login.login() as the client of that name and keeps the Master capability of the answer.
  /// Where none comes within a second, `on_wait`, if there is one, is called with what is waited
  /// for; what it throws, login() throws.
  Status login(
      const std::string& client, std::chrono::milliseconds timeout,
      const std::function<void(const std::string&)>& on_wait = nullptr);
  /// Called after login. From then on the connection is closed when the node counts as lost, see
  /// Heartbeat. `socket` is a second connection to the node.
  Status start_heartbeat(
      kj::AutoCloseFd socket, std::chrono::milliseconds limit, std::chrono::milliseconds timeout);

  /// Calls `start` on the loop and waits for its promise. Results are passed through the variables
  /// that `start` captures. An exception becomes a status that names the target and its task.
  Status run(kj::Function<kj::Promise<void>()> start);
  /// As run(), but DeadlineExceeded, naming the node, after the timeout. 0: no limit.
  Status run_within(std::chrono::milliseconds timeout, kj::Function<kj::Promise<void>()> start);
  /// Calls `work` on the loop, then runs the loop until it is idle, so that what `work` sends is
  /// written.
  Status run_until_idle(kj::Function<void()> work);
  /// As run_until_idle(), for dropping capabilities.
  void release(kj::Function<void()> drop) { (void)run_until_idle(kj::mv(drop)); }
  /// Reads and processes what has arrived, without waiting.
  void poll();
  /// Whether the connection is closed, as far as can be told from what has arrived.
  bool is_lost();

  // Used only on the loop:
  rpc::Master::Client& master() { return parts_->master; }
  const std::shared_ptr<MessageMemory>& memory() const { return parts_->stream.memory(); }

  /// Drops a call that is not answered within its timeout plus the time that an answer may take on
  /// the network, and then calls `on_timeout` with DeadlineExceeded. 0: no limit.
  kj::Promise<void> with_timeout(
      kj::Promise<void> call, std::chrono::milliseconds timeout,
      kj::Function<void(Status)> on_timeout);

  /// Resolves after that time.
  kj::Promise<void> after(std::chrono::milliseconds time);

  const std::string& target() const { return target_; }
  /// After login: whether the node accepts TensorSources.
  bool takes_sources() const { return parts_->stream.memory()->takes_sources(); }

 private:
  struct Secret {
    SocketStream* plain;
    kj::Promise<kj::Own<kj::AsyncIoStream>> stream;  // fails where TLS does
  };
  struct Parts {
    /// `connected` reads from `socket`, or is it.
    Parts(SocketStream& socket, kj::Own<kj::AsyncIoStream> connected);

    SocketStream& socket;
    FrameStream stream;
    capnp::TwoPartyVatNetwork network;
    capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
    rpc::Login::Client login;
    rpc::Master::Client master = nullptr;
    std::optional<Heartbeat> heartbeat;
    kj::Promise<void> lost;  // never fails
    bool is_lost = false;
  };

  /// As run(), but Unavailable after the timeout; for calls before and during login. `waited` is
  /// how long the node has been waited for before.
  Status run_before_login(
      std::chrono::milliseconds timeout, kj::Function<kj::Promise<void>()> start,
      std::chrono::milliseconds waited = std::chrono::milliseconds(0));
  Secret make_secret(kj::AutoCloseFd socket);
  kj::Promise<void> send_login(const std::string& client, Status& answer);
  std::string waits_for_login(std::chrono::milliseconds time_left) const;
  Status status_of(const kj::Exception& error) const;
  Status timeout_status(std::chrono::milliseconds timeout) const;
  Status lost_status(kj::Exception::Type type, const std::string& description) const;
  Status not_a_node(const std::string& reason) const;

  SharedLoop loop_;
  std::string target_;
  std::shared_ptr<Credentials> credentials_;
  std::string task_;  // "/job:ps/task:0"; known after login, as is
  uint64_t incarnation_ = 0;
  std::optional<Parts> parts_;  // constructed and destroyed on the loop
  bool is_logged_in_ = false;
};

}  // namespace troupe
