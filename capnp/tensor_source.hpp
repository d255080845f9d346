#pragma once

#include <kj/async.h>

#include <memory>
#include <vector>

#include "troupe/capnp/message_memory.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"
#include "troupe_schema/tensor.capnp.h"

namespace troupe {

/// A tensor that is given out in pieces to whoever asks for them; of any dtype but string. Large
/// pieces share its memory with their messages.
rpc::TensorSource::Client make_tensor_source(Tensor tensor, std::shared_ptr<MessageMemory> memory);

/// Where the tensors of a message that comes in get their elements from.
struct Intake {
  struct Rest {
    Tensor tensor;  // whose elements are not set yet
    rpc::TensorSource::Client source;
    std::shared_ptr<void> claim;
  };
  MessageMemory* memory = nullptr;  // the message's; null: everything is copied
  std::vector<Rest> rests;          // what the message does not hold itself
};

/// Reads what the message did not hold, a few pieces at a time. InvalidArgument where a source
/// gives something else than its tensor's elements. An exception is the source's, or the
/// connection's.
kj::Promise<Status> read_rests(Intake intake);

}  // namespace troupe
