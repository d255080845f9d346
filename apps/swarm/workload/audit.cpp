#include "troupe/apps/swarm/workload/audit.hpp"

#include <algorithm>

namespace troupe::swarm {
namespace {

using namespace std::chrono_literals;
using TakeKind = QueueTraffic::TakeRequest::Kind;

constexpr sim::Time audit_timeout = 10s;
constexpr auto waiting_time = 60ms;  // until a step that has to wait does

}  // namespace

void Audit::run() {
  end_all_steps();
  for (size_t i = 0; i < queues_.models().size(); ++i) audit_queue(i);
  for (size_t i = 0; i < accumulators_.models().size(); ++i) audit_accumulator(i);
}

// -- steps

void Audit::end_all_steps() {
  queues_.stop_loops();
  queues_.cancel_all();
  accumulators_.cancel_all();
  auto limit = cluster_.now() + audit_timeout;
  auto is_pending = [&] {
    return queues_.has_pending_steps() || accumulators_.has_pending_steps();
  };
  while (is_pending() && cluster_.now() < limit) run_for_(100ms);
  if (is_pending()) reporter_.fail("liveness", "a step that was cancelled has not ended");
  expect_quiet();
}

/// No task holds anything of a step any more.
void Audit::expect_quiet() {
  auto leaks = cluster_.leaks_of_calls();
  if (!leaks.empty()) reporter_.fail("leak", leaks[0]);
  run_for_(0s);
  for (auto& model : queues_.models()) model.settle(cluster_.now());
  for (auto& model : accumulators_.models()) model.settle(cluster_.now());
}

Client& Audit::pick_client() {
  for (auto limit = cluster_.now() + audit_timeout; cluster_.now() < limit; run_for_(100ms)) {
    std::vector<Client*> with_session;
    for (auto& client : clients_)
      if (client.has_session()) with_session.push_back(&client);
    if (!with_session.empty()) return *random_.pick(with_session);
  }
  reporter_.fail("liveness", "no client has a session");
}

void Audit::wait(const sim::Call& call) {
  cluster_.run_until(call.done(), audit_timeout);
  run_for_(0s);
  if (!call.is_done()) reporter_.fail("liveness", "a step that need not wait has not ended");
}

/// Repeats a step until it succeeds.
sim::Call Audit::require(const Start& start) {
  Status last;
  for (auto limit = cluster_.now() + audit_timeout; cluster_.now() < limit; run_for_(100ms)) {
    auto call = start(pick_client(), {});
    wait(call);
    if (call.status().ok()) return call;
    last = call.status();
  }
  reporter_.fail("liveness", "a client cannot go on: " + last.to_string());
}

/// Has a client give up a step that cannot end by itself, but where its queue is closed.
void Audit::give_up(const Start& start) {
  for (auto limit = cluster_.now() + audit_timeout; cluster_.now() < limit; run_for_(100ms)) {
    RunOptions options;
    if (random_.chance(0.5)) options.timeout = waiting_time;
    auto call = start(pick_client(), options);
    run_for_(waiting_time);
    queues_.cancel_all();
    accumulators_.cancel_all();
    wait(call);
    expect_quiet();
    auto code = call.status().code();
    if (call.status().ok()) reporter_.fail("QM-4", "a step that had to wait has not");
    if (code == Code::cancelled || code == Code::deadline_exceeded || code == Code::out_of_range)
      return;
  }
  reporter_.fail("liveness", "a client cannot go on");
}

// -- queues

void Audit::audit_queue(size_t queue) {
  auto& model = queues_.models()[queue];
  if (!model.may_be_closed() && size(queue) == 0)
    require([&](Client& client, const RunOptions&) { return queues_.put(client, queue, 1); });
  auto elements = size(queue);
  give_up_take(queue, elements);
  if (!model.may_be_closed()) {
    give_up_step_that_took(queue, elements);
    give_up_put(queue, elements);
    start_waiting_steps(queue, size(queue));
  }
  close_and_drain(queue);
  expect_size(queue, 0, "all were taken");
  reporter_.expect(model.check_drained());
}

int64_t Audit::size(size_t queue) {
  auto call =
      require([&](Client& client, const RunOptions&) { return queues_.read_size(client, queue); });
  return call.values()[0].value<int32_t>();
}

void Audit::expect_size(size_t queue, int64_t expected, const char* after) {
  auto found = size(queue);
  if (found != expected)
    reporter_.fail(
        "QM-2", queues_.models()[queue].queue().name + " has " + std::to_string(found) +
                    " elements, not " + std::to_string(expected) + ", after " + after);
}

void Audit::give_up_take(size_t queue, int64_t size) {
  auto available = size - queues_.models()[queue].queue().min_after_dequeue;
  QueueTraffic::TakeRequest request{.kind = TakeKind::many};
  request.count =
      (queues_.models()[queue].may_be_closed() ? size : std::max<int64_t>(available, 0)) + 1;
  give_up([&](Client& client, const RunOptions& options) {
    return queues_.take(client, queue, request, options);
  });
  expect_size(queue, size, "a dequeue was given up");
}

void Audit::give_up_step_that_took(size_t queue, int64_t size) {
  std::vector<size_t> open;
  for (size_t i = 0; i < queues_.models().size(); ++i)
    if (!queues_.models()[i].may_be_closed()) open.push_back(i);
  give_up([&](Client& client, const RunOptions& options) {
    return queues_.take(
        client, queue, {.kind = TakeKind::one, .held_at = random_.pick(open)}, options);
  });
  expect_size(queue, size, "a step that had dequeued was given up");
}

void Audit::give_up_put(size_t queue, int64_t size) {
  auto capacity = queues_.models()[queue].queue().capacity;
  auto room = std::max<int64_t>(capacity - size, 0);
  give_up([&](Client& client, const RunOptions& options) {
    return queues_.put(client, queue, room + 1, options);
  });
  expect_size(queue, size + room, "an enqueue was given up");
}

/// Steps that wait until the queue is closed, or that the dequeues of others let go on.
void Audit::start_waiting_steps(size_t queue, int64_t size) {
  using Request = QueueTraffic::TakeRequest;
  if (random_.chance(0.5)) {
    queues_.put(pick_client(), queue, random_.between(1, 3));
    queues_.put(pick_client(), queue, 1);
  } else {
    queues_.take(pick_client(), queue, Request{.kind = TakeKind::many, .count = size + 5});
    queues_.take(pick_client(), queue, Request{.kind = TakeKind::up_to, .count = size + 5});
  }
  run_for_(waiting_time);
}

void Audit::close_and_drain(size_t queue) {
  auto with_cancel = random_.chance(0.5);
  auto closing = queues_.close(pick_client(), queue, with_cancel);
  auto limit = cluster_.now() + audit_timeout;
  // A priority queue that is not closed yet gives no more at once than it has room for.
  auto most = std::min<int64_t>(queues_.models()[queue].queue().capacity, 4);
  for (bool is_empty = false; !is_empty;) {
    QueueTraffic::TakeRequest request{
        .kind = random_.chance(0.5) ? TakeKind::one : TakeKind::up_to};
    if (request.kind == TakeKind::up_to) request.count = random_.between(1, most);
    auto call = queues_.take(pick_client(), queue, request);
    while (!call.is_done()) {
      if (cluster_.now() > limit)
        reporter_.fail("liveness", "a dequeue of a queue that is being closed has not ended");
      // One that has failed is Cancelled where the queue is closed already.
      if (closing.is_done() && !closing.status().ok() && closing.status().code() != Code::cancelled)
        closing = queues_.close(pick_client(), queue, with_cancel);
      run_for_(20ms);
    }
    is_empty = call.status().code() == Code::out_of_range;
  }
  while (queues_.has_pending_steps() && cluster_.now() < limit) run_for_(100ms);
  if (queues_.has_pending_steps())
    reporter_.fail("liveness", "a step waits at a queue that is closed and empty");
  expect_quiet();
}

// -- accumulators

void Audit::audit_accumulator(size_t accumulator) {
  auto& model = accumulators_.models()[accumulator];
  auto before = count(accumulator);
  give_up([&](Client& client, const RunOptions& options) {
    return accumulators_.take(client, accumulator, before + 1, options);
  });
  if (count(accumulator) != before)
    reporter_.fail("AM-3", model.accumulator().name + " has changed when a take was given up");
  if (model.has_place()) {
    auto call = accumulators_.apply(pick_client(), accumulator, /*is_of_first_step=*/false);
    wait(call);
    if (call.status().ok() && count(accumulator) != before + 1)
      reporter_.fail("AM-3", model.accumulator().name + " does not count a gradient");
  }
  take_all(accumulator);
  reporter_.expect(model.check_drained());
}

int64_t Audit::count(size_t accumulator) {
  auto call = require([&](Client& client, const RunOptions&) {
    return accumulators_.read_count(client, accumulator);
  });
  return call.values()[0].value<int32_t>();
}

void Audit::take_all(size_t accumulator) {
  auto limit = cluster_.now() + audit_timeout;
  for (auto left = count(accumulator); left > 0; left = count(accumulator)) {
    if (cluster_.now() > limit)
      reporter_.fail("AM-2", "an accumulator has gradients after they were taken");
    wait(accumulators_.take(pick_client(), accumulator, left));
  }
}

}  // namespace troupe::swarm
