#pragma once

#include <kj/async.h>

#include <memory>
#include <vector>

#include "troupe/capnp/stream/message_memory.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"
#include "troupe_schema/tensor.capnp.h"

namespace troupe {

/// A capability by which the other end reads a tensor piece by piece; of any dtype but string.
/// Large pieces are sent without a copy.
rpc::TensorSource::Client make_tensor_source(Tensor tensor, std::shared_ptr<MessageMemory> memory);

/// The tensors of a received message whose elements the message does not contain.
struct DeferredTensors {
  struct RemainingBytes {
    Tensor tensor;  // allocated; its elements are not set yet
    rpc::TensorSource::Client source;
    std::shared_ptr<void> reservation;
  };
  MessageMemory* memory = nullptr;  // of the message; null: everything is copied
  std::vector<RemainingBytes> remaining;
};

/// Reads the elements of the deferred tensors from their sources, a few pieces at a time.
/// InvalidArgument where a source answers with a wrong number of bytes. Throws what a source or the
/// connection throws.
kj::Promise<Status> read_deferred(DeferredTensors deferred);

}  // namespace troupe
