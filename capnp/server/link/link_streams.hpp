#pragma once

#include <kj/async-io.h>
#include <kj/io.h>

#include <map>
#include <memory>
#include <string>

#include "troupe/actors/link/link_set.hpp"
#include "troupe/capnp/server/event_loop_execution_unit.hpp"
#include "troupe/capnp/server/peer/peer_network.hpp"

namespace troupe {

/// The links of a node over sockets, on the thread of an event loop: Unix sockets between nodes of
/// one host and one user, unless it is `tcp_only`, else TCP, inside of TLS where the network has
/// credentials.
class LinkStreams final : private LinkNetwork, private kj::TaskSet::ErrorHandler {
 public:
  /// `network` and `unit` must outlive it. `root` is the actor that other nodes reach first.
  LinkStreams(
      kj::AsyncIoContext& io, PeerNetwork& network, EventLoopExecutionUnit& unit,
      Allocator& allocator, accelerator::OpenRegion open_region, uint32_t protocol_version,
      caf::strong_actor_ptr root, bool tcp_only);
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

  std::shared_ptr<Link> begin(kj::Own<Stream> stream, bool is_accepted);
  kj::Own<Stream> make_stream(kj::AutoCloseFd socket);
  kj::Promise<kj::Own<Stream>> make_preferred_stream(kj::Own<kj::AsyncIoStream> dialed);
  void end(Stream& stream, const Status& why);
  void keep_lent(LentMemory lent, Descriptor lease);

  kj::AsyncIoContext& io_;
  PeerNetwork& network_;
  EventLoopExecutionUnit& unit_;
  Allocator& allocator_;
  const bool tcp_only_;
  std::unique_ptr<LinkSet> links_;
  std::map<Stream*, kj::Own<Stream>> streams_;
  kj::TaskSet tasks_;
};

}  // namespace troupe
