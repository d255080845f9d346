#include "troupe/capnp/server/peer/probe_node.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

kj::Promise<Result<uint64_t>> send_heartbeat(kj::Own<kj::AsyncIoStream> stream) {
  auto answer = kj::heap<uint64_t>();
  auto received = stream->write(protocol::heartbeat.data(), protocol::heartbeat.size())
                      .then([&stream = *stream, &answer = *answer] {
                        return stream.read(&answer, sizeof answer);
                      });
  return received.then([answer = kj::mv(answer)] { return Result<uint64_t>(*answer); })
      .attach(kj::mv(stream));
}

/// KJ keeps the code of a system error only as text in the description.
Status to_status(const Address& address, const kj::Exception& error) {
  std::string reason = error.getDescription().cStr();
  if (reason.find(std::strerror(ECONNREFUSED)) != std::string::npos)
    return not_found("no node serves at " + address.to_string());
  return unavailable("no answer from " + address.to_string() + ": " + reason);
}

}  // namespace

kj::Promise<Result<uint64_t>> probe_node(
    PeerNetwork& network, Address address, std::chrono::milliseconds timeout) {
  auto timed_out =
      network.timer()
          .afterDelay(timeout.count() * kj::MILLISECONDS)
          .then([address, timeout]() -> Result<uint64_t> {
            return unavailable(
                "no answer from " + address.to_string() + " for " + seconds_text(timeout));
          });
  return network.connect(address)
      .then([](kj::Own<kj::AsyncIoStream> stream) { return send_heartbeat(kj::mv(stream)); })
      .catch_([address](kj::Exception&& error) -> Result<uint64_t> {
        return to_status(address, error);
      })
      .exclusiveJoin(kj::mv(timed_out));
}

}  // namespace troupe
