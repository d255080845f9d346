#include "troupe/apps/swarm/workload/queue_traffic.hpp"

#include <algorithm>

namespace troupe::swarm {
namespace {

constexpr int32_t more_than_there_are = 1'000'000;

}  // namespace

QueueTraffic::QueueTraffic(
    sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, std::vector<Client>& clients,
    const Reporter& reporter)
    : cluster_(cluster),
      plan_(plan),
      random_(seed, "queue traffic"),
      clients_(clients),
      reporter_(reporter) {
  for (size_t i = 0; i < plan.queues.size(); ++i) {
    models_.emplace_back(plan.queues[i], plan.has_faults());
    process_numbers_.push_back(cluster.process_number(plan.queues[i].task));
    for (auto& client : clients)
      for (bool puts : {true, false})
        if (random_.chance(0.3)) loops_.push_back({.client = &client, .queue = i, .puts = puts});
  }
}

// -- random actions

void QueueTraffic::act_randomly() {
  if (models_.empty() || random_.chance(0.3)) return;
  if (random_.chance(0.15)) return cancel_randomly();
  std::vector<Client*> with_session;
  for (auto& client : clients_)
    if (client.has_session()) with_session.push_back(&client);
  if (!with_session.empty()) act_on(*random_.pick(with_session), random_.below(models_.size()));
}

void QueueTraffic::act_on(Client& client, size_t queue) {
  auto number = random_.below(100);
  if (number < 45) put_some(client, queue);
  else if (number < 92) take_some(client, queue);
  else if (number < 97) read_size(client, queue);
  else close(client, queue, random_.chance(0.5));
}

sim::Call QueueTraffic::put_some(Client& client, size_t queue) {
  return put(client, queue, random_.between(1, 5), draw_timeout());
}

sim::Call QueueTraffic::take_some(Client& client, size_t queue) {
  using Kind = TakeRequest::Kind;
  TakeRequest request{.kind = static_cast<Kind>(random_.below(3))};
  if (request.kind != Kind::one) request.count = random_.between(1, 5);
  auto options = draw_timeout();
  if (request.kind == Kind::one && options.timeout.count() > 0 && random_.chance(0.3))
    request.held_at = random_.below(models_.size());
  return take(client, queue, request, options);
}

void QueueTraffic::cancel_randomly() {
  if (attempts_.empty()) return;
  auto index = static_cast<int64_t>(random_.below(attempts_.size()));
  std::next(attempts_.begin(), index)->step.cancel();
}

RunOptions QueueTraffic::draw_timeout() {
  if (random_.chance(0.6)) return {};
  return {.timeout = std::chrono::milliseconds(int64_t{1} << random_.between(1, 9))};
}

void QueueTraffic::go_on(Loop& loop) {
  if (loop.call && !loop.call->is_done()) return;
  if (loop.call) {
    const auto& status = loop.call->status();
    auto is_closed = status.message().find("is closed") != std::string::npos;
    loop.is_ended |=
        status.code() == Code::out_of_range || (status.code() == Code::cancelled && is_closed);
  }
  if (loop.is_ended || !loop.client->has_session()) return;
  loop.call = loop.puts ? put_some(*loop.client, loop.queue) : take_some(*loop.client, loop.queue);
}

// -- steps

const QueueOps& QueueTraffic::ops(const Client& client, size_t queue) const {
  return client.graph().queues[queue];
}

sim::Call QueueTraffic::put(
    Client& client, size_t queue, int64_t count, const RunOptions& options) {
  auto& model = models_[queue];
  auto index = model.begin_put(count, cluster_.now());
  auto is_batch = count > 1;
  const auto& used = ops(client, queue);
  auto feeds = feeds_of_put(used, model, model.first_number(index), count, is_batch);
  return start(
      Attempt::Kind::put, client, queue, index,
      {.feeds = std::move(feeds),
       .fetches = {},
       .targets = {is_batch ? used.put_many : used.put},
       .options = options});
}

sim::Call QueueTraffic::take(
    Client& client, size_t queue, const TakeRequest& request, const RunOptions& options) {
  using Kind = TakeRequest::Kind;
  auto may_be_less = request.kind == Kind::up_to;
  auto index = models_[queue].begin_take(request.count, may_be_less, cluster_.now());
  const auto& used = ops(client, queue);
  StepRequest step{.feeds = {}, .fetches = {}, .targets = {}, .options = options};
  std::optional<std::pair<size_t, size_t>> other;
  if (request.held_at) {
    const auto& holder = ops(client, *request.held_at);
    step.feeds.push_back({holder.count, Tensor::scalar(more_than_there_are)});
    step.fetches.emplace_back(holder.take_many[0]);
    if (*request.held_at == queue) models_[queue].hold_more(index);
    else
      other = {
          *request.held_at,
          models_[*request.held_at].begin_take(more_than_there_are, false, cluster_.now())};
  }
  if (!request.held_at && request.kind != Kind::one)
    step.feeds.push_back({used.count, Tensor::scalar(static_cast<int32_t>(request.count))});
  const auto& taken = request.kind == Kind::one    ? used.take
                      : request.kind == Kind::many ? used.take_many
                                                   : used.take_up_to;
  step.fetches.insert(step.fetches.begin(), taken.begin(), taken.end());
  auto call = start(Attempt::Kind::take, client, queue, index, step);
  attempts_.back().other = other;
  return call;
}

sim::Call QueueTraffic::close(Client& client, size_t queue, bool with_cancel) {
  models_[queue].begin_close();
  const auto& used = ops(client, queue);
  StepRequest step;
  step.targets = {with_cancel ? used.close_with_cancel : used.close};
  return start(Attempt::Kind::close, client, queue, 0, step);
}

sim::Call QueueTraffic::read_size(Client& client, size_t queue) {
  StepRequest step;
  step.fetches = {ops(client, queue).size};
  return start(Attempt::Kind::size, client, queue, 0, step);
}

sim::Call QueueTraffic::start(
    Attempt::Kind kind, Client& client, size_t queue, size_t index, const StepRequest& request) {
  attempts_.push_back({kind, queue, index, ClientStep(cluster_, client, request)});
  reporter_.log("starts  " + name(attempts_.back()));
  return attempts_.back().step.call();
}

void QueueTraffic::cancel_all() {
  for (auto& attempt : attempts_) attempt.step.cancel();
}

std::string QueueTraffic::name(const Attempt& attempt) const {
  static constexpr const char* verbs[] = {"put", "take", "close", "size"};
  auto text = std::string(verbs[static_cast<size_t>(attempt.kind)]);
  const auto& model = models_[attempt.queue];
  if (attempt.kind == Attempt::Kind::put) text += " " + model.describe_put(attempt.index);
  if (attempt.kind == Attempt::Kind::take) text += " " + model.describe_take(attempt.index);
  return text + " of " + model.queue().name + " at " + model.queue().task + " of the session at " +
         attempt.step.client().master();
}

// -- answers

void QueueTraffic::update() {
  note_lost_tasks();
  take_answers();
  for (auto& loop : loops_) go_on(loop);
}

void QueueTraffic::note_lost_tasks() {
  for (size_t i = 0; i < models_.size(); ++i) {
    auto number = cluster_.process_number(plan_.queues[i].task);
    if (number == process_numbers_[i]) continue;
    process_numbers_[i] = number;
    models_[i].lose(updated_, cluster_.now(), /*surely=*/true);
  }
  updated_ = cluster_.now();
}

void QueueTraffic::end_reset(const std::string& container, sim::Time began, bool done) {
  has_reset_ = true;
  for (size_t i = 0; i < models_.size(); ++i)
    if (plan_.queues[i].container == container) models_[i].lose(began, cluster_.now(), done);
}

void QueueTraffic::take_answers() {
  for (const auto& attempt : take_ended(attempts_)) check_answer(attempt);
}

void QueueTraffic::check_answer(const Attempt& attempt) {
  uncommitted_takes_.note();
  const auto& status = attempt.step.call().status();
  reporter_.log("ends    " + name(attempt) + ": " + status.to_string());
  if (status.ok()) check_success(attempt);
  else check_failure(attempt);
}

void QueueTraffic::check_success(const Attempt& attempt) {
  auto& model = models_[attempt.queue];
  auto ended = attempt.step.call().ended_at();
  if (attempt.kind == Attempt::Kind::put)
    reporter_.expect(model.end_put(attempt.index, true, ended));
  if (attempt.kind == Attempt::Kind::close) model.end_close(attempt.step.began(), ended);
  if (attempt.kind != Attempt::Kind::take) return;
  auto used = ops(attempt.step.client(), attempt.queue).take.size();
  const auto& values = attempt.step.call().values();
  auto numbers = numbers_taken(model, {values.begin(), values.begin() + std::ptrdiff_t(used)});
  if (!numbers) reporter_.fail("QM-1", name(attempt) + " gave an element that has changed");
  uncommitted_takes_.add(model, attempt.index, attempt.step.client().master());
  reporter_.expect(model.end_take(attempt.index, *numbers, ended));
}

void QueueTraffic::check_failure(const Attempt& attempt) {
  auto& model = models_[attempt.queue];
  const auto& status = attempt.step.call().status();
  auto ended = attempt.step.call().ended_at();
  auto is_take = attempt.kind == Attempt::Kind::take;
  auto has_too_few = status.code() == Code::out_of_range && is_take;
  if (attempt.kind == Attempt::Kind::put) model.end_put(attempt.index, false, ended);
  if (is_take) {
    if (attempt.other)
      models_[attempt.other->first].fail_take(
          attempt.other->second, failure_of_take(status, cluster_), ended);
    auto failure = failure_of_take(status, cluster_, attempt.other.has_value());
    model.fail_take(attempt.index, failure, ended);
  }
  attempt.step.drop_closed_session();
  auto by_close = status.code() == Code::cancelled && !is_take;
  auto may_be_closed =
      model.may_be_closed() || (attempt.other && models_[attempt.other->first].may_be_closed());
  if (may_be_closed && (has_too_few || by_close)) return;
  auto why = why_unexpected(status, cluster_, attempt.step.conditions(has_reset_));
  if (!why.empty())
    reporter_.fail(
        "unexplained failure", name(attempt) + " ended with " + status.to_string() + ": " + why);
}

}  // namespace troupe::swarm
