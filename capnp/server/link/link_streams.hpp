#pragma once

#include <kj/async-io.h>
#include <kj/io.h>

#include <map>
#include <memory>
#include <string>

#include "troupe/actors/link/link_set.hpp"
#include "troupe/capnp/server/event_loop_execution_unit.hpp"

namespace troupe {

/// The links of a node over sockets, on the thread of an event loop.
class LinkStreams final : private LinkNetwork, private kj::TaskSet::ErrorHandler {
 public:
  /// `unit` must outlive it. `root` is the actor that other nodes reach first.
  LinkStreams(
      kj::AsyncIoContext& io, EventLoopExecutionUnit& unit, Allocator& allocator,
      uint32_t protocol_version, caf::strong_actor_ptr root);
  ~LinkStreams() noexcept override;

  /// Serves a connection that begins with protocol::link.
  void accept(kj::AutoCloseFd socket);
  /// As LinkSet::connect.
  void connect(const Address& address, std::chrono::milliseconds timeout, LinkSet::Connected done) {
    links_->connect(address, timeout, std::move(done));
  }

 private:
  class Stream;

  void dial(
      const Address& address, std::function<void(std::shared_ptr<Link>)> opened,
      Dialed failed) override;
  void after(std::chrono::milliseconds delay, std::function<void()> work) override;
  uint64_t random() override;
  void log(const std::string& line) override;
  void taskFailed(kj::Exception&& exception) override;

  std::shared_ptr<Link> begin(kj::Own<kj::AsyncIoStream> socket, bool is_accepted);
  void end(Stream& stream, const Status& why);

  kj::AsyncIoContext& io_;
  EventLoopExecutionUnit& unit_;
  std::unique_ptr<LinkSet> links_;
  std::map<Stream*, kj::Own<Stream>> streams_;
  kj::TaskSet tasks_;
};

}  // namespace troupe
