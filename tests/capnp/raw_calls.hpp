#pragma once

#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>

#include <optional>

#include "troupe/capnp/protocol.hpp"
#include "troupe/tests/capnp/raw_socket.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe::testing {

inline Bytes frame_of(capnp::MessageBuilder& message) {
  auto words = capnp::messageToFlatArray(message);
  auto bytes = words.asBytes();
  return {bytes.begin(), bytes.end()};
}

/// The target of a call: the answer to a question, or a capability at that pointer of it.
struct Target {
  uint32_t question;
  std::optional<uint16_t> pointer = std::nullopt;
};

/// A frame with a call of a method; `fill` writes the parameters.
template <class Params, class Fill>
Bytes call(uint32_t question, Target target, uint64_t interface, uint16_t method, Fill fill) {
  capnp::MallocMessageBuilder message;
  auto call = message.initRoot<capnp::rpc::Message>().initCall();
  call.setQuestionId(question);
  auto answer = call.initTarget().initPromisedAnswer();
  answer.setQuestionId(target.question);
  if (target.pointer) answer.initTransform(1)[0].setGetPointerField(*target.pointer);
  call.setInterfaceId(interface);
  call.setMethodId(method);
  fill(call.initParams().getContent().initAs<Params>());
  return frame_of(message);
}

inline Bytes& operator+=(Bytes& to, const Bytes& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
  return to;
}

/// The first frames of a client: a bootstrap, and a call of login() on it. The next question id is
/// 2; the master is at pointer 1 of the answer to question 1.
inline Bytes login_frames() {
  capnp::MallocMessageBuilder bootstrap;
  bootstrap.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(0);
  auto bytes = frame_of(bootstrap);
  bytes += call<rpc::Login::LoginParams>(
      /*question=*/1, {0}, capnp::typeId<rpc::Login>(), /*method=*/0,
      [](auto login) { login.setProtocolVersion(protocol::version); });
  return bytes;
}

}  // namespace troupe::testing
