#pragma once

#include "troupe/devices/resources/queue/queue_run.hpp"
#include "troupe/devices/resources/queue/queue_spec.hpp"

namespace troupe::cpu {

/// The bytes of those that lie in memory that is only lent: a queue would keep that from another
/// process, or a whole message of a client.
uint64_t lent_bytes(const Tensors& components);
/// The components, with copies of those.
Result<Tensors> in_kept_memory(Tensors components, Allocator& allocator);

/// The components of the one element of a run; copied where it is a row of a batch.
/// ResourceExhausted: there is no memory for them.
Result<Tensors> element_of(QueueRun run, Allocator& allocator);

/// A batch of these elements of a queue of that kind, maybe of none. Sizes that the queue leaves
/// open are the largest of the batch, and smaller elements are padded with zeros.
Result<Tensors> batch_of(const QueueSpec& spec, const QueueRuns& runs, Allocator& allocator);

/// The rows of a batch, each copied into an element by itself.
Result<QueueRuns> split(const Tensors& batch, Allocator& allocator);

}  // namespace troupe::cpu
