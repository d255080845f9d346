#include "troupe/actors/link/wire_message.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include "troupe/actors/error.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {

WireContext* WireContext::of(caf::execution_unit* context) {
  return dynamic_cast<WireContext*>(context);
}

void WireContext::exec_later(caf::resumable*) { CHECK(false); }

WireMessage write_message(
    caf::actor_system& system, HandleTable& handles, const caf::type_erased_tuple& content) {
  WireMessage message;
  WireContext context(system, handles, message.out_of_band);
  caf::binary_serializer sink(&context, message.content);
  auto error = caf::message::save(sink, content);
  CHECK(!error);  // only types of node_messages.hpp are sent to other nodes
  return message;
}

Result<caf::message> read_message(
    caf::actor_system& system, HandleTable& handles, ReceivedMessage received) {
  WireContext context(system, handles, received.out_of_band);
  caf::binary_deserializer source(
      &context, static_cast<const char*>(received.content.raw()), received.content.bytes());
  caf::message message;
  if (auto error = source(message))
    return invalid_argument("a message that cannot be read: " + to_status(error).message());
  if (source.remaining() > 0 || context.next_out_of_band != received.out_of_band.size())
    return invalid_argument("a message with more bytes than its content");
  return message;
}

}  // namespace troupe
