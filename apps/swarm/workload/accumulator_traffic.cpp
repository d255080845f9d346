#include "troupe/apps/swarm/workload/accumulator_traffic.hpp"

#include <algorithm>

namespace troupe::swarm {
namespace {

constexpr int64_t late_step = int64_t{1} << 40;  // is never stale

}  // namespace

AccumulatorTraffic::AccumulatorTraffic(
    sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, std::vector<Client>& clients,
    const Reporter& reporter)
    : cluster_(cluster),
      plan_(plan),
      random_(seed, "accumulator traffic"),
      clients_(clients),
      reporter_(reporter) {
  for (const auto& accumulator : plan.accumulators) {
    models_.emplace_back(accumulator, plan.has_faults());
    process_numbers_.push_back(cluster.process_number(accumulator.task));
  }
}

// -- random actions

void AccumulatorTraffic::act_randomly() {
  if (models_.empty() || random_.chance(0.3)) return;
  std::vector<Client*> with_session;
  for (auto& client : clients_)
    if (client.has_session()) with_session.push_back(&client);
  if (with_session.empty()) return;
  auto& client = *random_.pick(with_session);
  auto accumulator = random_.below(models_.size());
  auto number = random_.below(100);
  if (number < 65) {
    auto is_of_first_step = random_.chance(0.2);
    auto options = draw_timeout();
    if (models_[accumulator].has_place()) apply(client, accumulator, is_of_first_step, options);
  } else if (number < 85) {
    take(client, accumulator, random_.between(1, 5), draw_timeout());
  } else if (number < 90) {
    read_count(client, accumulator);
  } else if (!attempts_.empty()) {
    auto index = static_cast<int64_t>(random_.below(attempts_.size()));
    std::next(attempts_.begin(), index)->step.cancel();
  }
}

RunOptions AccumulatorTraffic::draw_timeout() {
  if (random_.chance(0.6)) return {};
  return {.timeout = std::chrono::milliseconds(int64_t{1} << random_.between(1, 9))};
}

// -- steps

sim::Call AccumulatorTraffic::apply(
    Client& client, size_t accumulator, bool is_of_first_step, const RunOptions& options) {
  auto place = models_[accumulator].begin_apply(is_of_first_step, cluster_.now());
  const auto& ops = client.graph().accumulators[accumulator];
  StepRequest request{.feeds = {}, .fetches = {}, .targets = {ops.apply}, .options = options};
  request.feeds = {
      {ops.step, Tensor::scalar<int64_t>(is_of_first_step ? 0 : late_step)},
      {ops.place, Tensor::scalar<int64_t>(place)}};
  return start(Attempt::Kind::apply, client, accumulator, static_cast<size_t>(place), request);
}

sim::Call AccumulatorTraffic::take(
    Client& client, size_t accumulator, int64_t required, const RunOptions& options) {
  auto index = models_[accumulator].begin_take(required, cluster_.now());
  const auto& ops = client.graph().accumulators[accumulator];
  StepRequest request{.feeds = {}, .fetches = {}, .targets = {}, .options = options};
  request.feeds = {{ops.required, Tensor::scalar(static_cast<int32_t>(required))}};
  request.fetches.assign(ops.take.begin(), ops.take.end());
  return start(Attempt::Kind::take, client, accumulator, index, request);
}

sim::Call AccumulatorTraffic::read_count(Client& client, size_t accumulator) {
  StepRequest request;
  request.fetches = {client.graph().accumulators[accumulator].count};
  return start(Attempt::Kind::count, client, accumulator, 0, request);
}

sim::Call AccumulatorTraffic::start(
    Attempt::Kind kind, Client& client, size_t accumulator, size_t index,
    const StepRequest& request) {
  attempts_.push_back({kind, accumulator, index, ClientStep(cluster_, client, request)});
  reporter_.log("starts  " + name(attempts_.back()));
  return attempts_.back().step.call();
}

void AccumulatorTraffic::cancel_all() {
  for (auto& attempt : attempts_) attempt.step.cancel();
}

std::string AccumulatorTraffic::name(const Attempt& attempt) const {
  static constexpr const char* verbs[] = {"apply", "take", "count"};
  auto kind = static_cast<size_t>(attempt.kind);
  const auto& accumulator = plan_.accumulators[attempt.accumulator];
  return std::string(verbs[kind]) + " " + std::to_string(attempt.index) + " of " +
         accumulator.name + " at " + accumulator.task + " of the session at " +
         attempt.step.client().master();
}

// -- answers

void AccumulatorTraffic::update() {
  note_lost_tasks();
  for (const auto& attempt : take_ended(attempts_)) check_answer(attempt);
}

void AccumulatorTraffic::note_lost_tasks() {
  for (size_t i = 0; i < models_.size(); ++i) {
    auto number = cluster_.process_number(plan_.accumulators[i].task);
    if (number == process_numbers_[i]) continue;
    process_numbers_[i] = number;
    models_[i].lose(updated_, cluster_.now(), /*surely=*/true);
  }
  updated_ = cluster_.now();
}

void AccumulatorTraffic::end_reset(const std::string& container, sim::Time began, bool done) {
  has_reset_ = true;
  for (size_t i = 0; i < models_.size(); ++i)
    if (plan_.accumulators[i].container == container) models_[i].lose(began, cluster_.now(), done);
}

void AccumulatorTraffic::check_answer(const Attempt& attempt) {
  auto& model = models_[attempt.accumulator];
  const auto& call = attempt.step.call();
  const auto& status = call.status();
  reporter_.log("ends    " + name(attempt) + ": " + status.to_string());
  if (attempt.kind == Attempt::Kind::apply)
    model.end_apply(static_cast<int64_t>(attempt.index), status.ok(), call.ended_at());
  if (attempt.kind == Attempt::Kind::take && status.ok())
    reporter_.expect(model.end_take(
        attempt.index, sum_taken(model.accumulator(), call.values()), call.ended_at()));
  if (attempt.kind == Attempt::Kind::take && !status.ok())
    model.fail_take(attempt.index, call.ended_at());
  if (status.ok()) return;
  attempt.step.drop_closed_session();
  auto why = why_unexpected(status, cluster_, attempt.step.conditions(has_reset_));
  if (!why.empty())
    reporter_.fail(
        "unexplained failure", name(attempt) + " ended with " + status.to_string() + ": " + why);
}

}  // namespace troupe::swarm
