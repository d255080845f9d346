#pragma once

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/apps/swarm/oracle/queue_model.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::swarm {

/// The ops of a shared queue in the graph of a client. An element is its number and a payload that
/// follows from it; of a priority queue its priority comes first.
struct QueueOps {
  Value handle;
  Values element, rows;  // placeholders of an element, and of a batch
  Value count;           // placeholder: of the elements to be taken
  Value put, put_many;   // targets
  Values take, take_many, take_up_to;
  Value size, close, close_with_cancel;
};

QueueOps add_queue(const Builder& builder, const SharedQueue& queue);

/// The ops at the queues of a runner.
struct RunnerOps {
  QueueOps from, to;
  Value move;  // what it runs
};

RunnerOps add_runner(const Builder& builder, const SharedRunner& runner);

/// The feeds of a put of that many elements; a batch, or a single one.
std::vector<Feed> feeds_of_put(
    const QueueOps& ops, const QueueModel& model, int64_t first, int64_t count, bool is_batch);

/// The numbers of the elements that were taken; nothing where a payload is not theirs.
std::optional<std::vector<int64_t>> numbers_taken(const QueueModel& model, const Tensors& taken);

/// What becomes of what a step had taken that ended with that error.
/// `takes_elsewhere`: the step takes from another queue, too, which may be the one that has ended.
QueueModel::Failure failure_of_take(
    const Status& status, const sim::Cluster& cluster, bool takes_elsewhere = false);

}  // namespace troupe::swarm
