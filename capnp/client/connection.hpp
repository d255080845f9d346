#pragma once

#include <capnp/rpc-twoparty.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "troupe/capnp/client/heartbeat.hpp"
#include "troupe/capnp/client/shared_loop.hpp"
#include "troupe/capnp/client/socket_stream.hpp"
#include "troupe/capnp/frame_stream.hpp"
#include "troupe/graph/status.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// A client's connection to its node, and the loop that serves it.
class Connection {
 public:
  Connection(kj::AutoCloseFd socket, std::string target);
  ~Connection() noexcept;

  /// Asks the node to let this client in.
  Status login(std::chrono::milliseconds timeout);
  /// After login: from then on the node is given up when it shows no sign of life for the limit
  /// while calls wait. `socket` is a second connection to it.
  Status watch_over(
      kj::AutoCloseFd socket, std::chrono::milliseconds limit, std::chrono::milliseconds timeout);

  /// Calls `start` on the loop and waits for its promise, which leaves its result in what `start`
  /// captured. An exception becomes an error that names the target and its task.
  Status run(kj::Function<kj::Promise<void>()> start);
  /// As run(); DeadlineExceeded, naming the node, where it takes longer than that. 0: no limit.
  Status run_within(std::chrono::milliseconds timeout, kj::Function<kj::Promise<void>()> start);
  /// Calls `work` on the loop, and has the node hear at once of what it sends.
  Status run_out(kj::Function<void()> work);
  /// As run_out(), for capabilities that are let go.
  void let_go(kj::Function<void()> release) { (void)run_out(kj::mv(release)); }
  /// Takes in what has arrived for calls that nobody waits for.
  void look();

  // Used only on the loop:
  rpc::Master::Client& master() { return parts_->master; }
  const std::shared_ptr<MessageMemory>& memory() const { return parts_->stream.memory(); }

  /// Lets a call of that timeout go on until it can count as lost, which `give_up` is then told;
  /// its answer may be under way till then. 0: for ever.
  kj::Promise<void> unless_late(
      kj::Promise<void> call, std::chrono::milliseconds timeout,
      kj::Function<void(Status)> give_up);

  /// Resolves after that time.
  kj::Promise<void> after(std::chrono::milliseconds time);

  const std::string& target() const { return target_; }
  /// After login: whether the node does.
  bool takes_sources() const { return parts_->stream.memory()->takes_sources(); }

 private:
  struct Parts {
    explicit Parts(kj::Own<SocketStream> connected);

    SocketStream& socket;
    FrameStream stream;
    capnp::TwoPartyVatNetwork network;
    capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
    rpc::Login::Client door;
    rpc::Master::Client master = nullptr;
    std::optional<Heartbeat> heartbeat;
  };

  /// Waits until the promise has resolved, or has not in time.
  Status run_for(std::chrono::milliseconds timeout, kj::Function<kj::Promise<void>()> start);
  kj::Promise<void> ask_in(Status& answer);
  Status failure(const kj::Exception& error) const;
  Status late(std::chrono::milliseconds timeout) const;
  Status lost(kj::Exception::Type type, const std::string& words) const;
  Status no_node(const std::string& why) const;

  SharedLoop loop_;
  std::string target_;
  std::string task_;  // "/job:ps/task:0", once logged in, as is
  uint64_t incarnation_ = 0;
  std::optional<Parts> parts_;  // made and destroyed on the loop
  bool is_in_ = false;
};

}  // namespace troupe
