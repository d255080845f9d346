#include "troupe/apps/swarm/workload/runner_traffic.hpp"

#include <utility>

namespace troupe::swarm {
namespace {

using namespace std::chrono_literals;

constexpr sim::Time moving_timeout = 60s;  // more than the longest wait of a runner
constexpr auto control_timeout = 500ms;
constexpr RunOptions traffic_options{.timeout = 200ms};

/// Both queues as one: it may hold what is in them, and in the steps of the runner; when such steps
/// are cancelled, what they put back comes on top of it.
SharedQueue as_one(const SharedRunner& runner) {
  auto queue = runner.from;
  queue.kind = SharedQueue::Kind::random_shuffle;
  queue.name = runner.name;
  queue.capacity += runner.to.capacity + 4 * runner.steps_at_once;
  return queue;
}

}  // namespace

RunnerTraffic::RunnerTraffic(
    sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, std::vector<Client>& clients,
    const Reporter& reporter)
    : cluster_(cluster),
      runner_(plan.runner),
      has_faults_(plan.has_faults()),
      random_(seed, "runner traffic"),
      clients_(clients),
      reporter_(reporter) {
  if (!runner_) return;
  model_.emplace(as_one(*runner_), has_faults_);
  process_number_ = cluster.process_number(runner_->from.task);
}

// -- random actions

void RunnerTraffic::act_randomly() {
  if (!runner_) return;
  auto* client = pick_client();
  if (!client) return;
  auto number = random_.below(100);
  if (number < 40) put(*client, traffic_options);
  else if (number < 75) take(*client, traffic_options);
  else if (number < 87) leave(*client);
  else if (number < 91) control(*client, RunnerAction::pause);
  else if (number < 96) control(*client, RunnerAction::resume);
  else control(*client, RunnerAction::stop);
}

Client* RunnerTraffic::pick_client() {
  std::vector<Client*> with_session;
  for (auto& client : clients_)
    if (client.has_session()) with_session.push_back(&client);
  return with_session.empty() ? nullptr : random_.pick(with_session);
}

sim::Call RunnerTraffic::put(Client& client, const RunOptions& options) {
  const auto& ops = client.graph().runner->from;
  auto index = model_->begin_put(1, cluster_.now());
  auto number = model_->first_number(index);
  StepRequest step{
      .feeds = feeds_of_put(ops, *model_, number, 1, /*is_batch=*/false),
      .fetches = {},
      .targets = {ops.put},
      .options = options};
  attempts_.push_back({true, index, ClientStep(cluster_, client, step)});
  reporter_.log("puts    " + std::to_string(number) + " before the runner");
  return attempts_.back().step.call();
}

sim::Call RunnerTraffic::take(Client& client, const RunOptions& options) {
  const auto& taken = client.graph().runner->to.take;
  auto index = model_->begin_take(1, /*may_be_less=*/false, cluster_.now());
  StepRequest step{
      .feeds = {}, .fetches = {taken.begin(), taken.end()}, .targets = {}, .options = options};
  attempts_.push_back({false, index, ClientStep(cluster_, client, step)});
  return attempts_.back().step.call();
}

// -- the runner

void RunnerTraffic::leave(Client& client) {
  RunnerSpec spec{.container = runner_->container};
  auto moves = client.graph().runner->move.name();
  spec.enqueue_ops.assign(static_cast<size_t>(runner_->steps_at_once), moves);
  auto status = client.session().start_runner(runner_->name, spec);
  check_control("left", status, !is_left_);
  if (status.ok()) is_left_ = true;
}

void RunnerTraffic::control(Client& client, RunnerAction action) {
  static constexpr const char* verbs[] = {"paused", "resumed", "stopped"};
  auto status = cluster_.control_runner(
      client.master(), {runner_->container, runner_->name}, action, control_timeout);
  check_control(verbs[static_cast<size_t>(action)], status, is_left_);
  if (status.ok() && action == RunnerAction::stop) is_left_ = false;
}

/// Without faults and resets it is known whether that succeeds.
void RunnerTraffic::check_control(const std::string& what, const Status& status, bool succeeds) {
  reporter_.log(what + " the runner: " + status.to_string());
  if (has_faults_ || has_reset_ || status.ok() == succeeds) return;
  reporter_.fail("RU-4", "a runner was to be " + what + ": " + status.to_string());
}

// -- answers

void RunnerTraffic::update() {
  if (!runner_) return;
  auto number = cluster_.process_number(runner_->from.task);
  if (std::exchange(process_number_, number) != number)
    model_->lose(updated_, cluster_.now(), /*surely=*/true);
  updated_ = cluster_.now();
  for (const auto& attempt : take_ended(attempts_)) check_answer(attempt);
}

void RunnerTraffic::end_reset(const std::string& container, sim::Time began, bool done) {
  has_reset_ = true;
  if (runner_ && runner_->from.container == container) model_->lose(began, cluster_.now(), done);
}

void RunnerTraffic::check_answer(const Attempt& attempt) {
  uncommitted_takes_.note();
  const auto& status = attempt.step.call().status();
  auto ended = attempt.step.call().ended_at();
  if (attempt.puts) {
    reporter_.expect(model_->end_put(attempt.index, status.ok(), ended));
  } else if (status.ok()) {
    auto numbers = numbers_taken(*model_, attempt.step.call().values());
    if (!numbers) reporter_.fail("QM-1", "a runner has changed an element");
    reporter_.log("takes   " + std::to_string(numbers->at(0)) + " behind the runner");
    uncommitted_takes_.add(*model_, attempt.index, attempt.step.client().master());
    reporter_.expect(model_->end_take(attempt.index, *numbers, ended));
  } else {
    model_->fail_take(attempt.index, failure_of_take(status, cluster_), ended);
  }
  if (status.ok()) return;
  attempt.step.drop_closed_session();
  auto why = why_unexpected(status, cluster_, attempt.step.conditions(has_reset_));
  if (!why.empty())
    reporter_.fail(
        "unexplained failure",
        "a step at a runner's queue ended with " + status.to_string() + ": " + why);
}

// -- recovery

void RunnerTraffic::check_recovery(const std::function<void(sim::Time)>& run_for) {
  if (!runner_) return;
  while (!attempts_.empty()) run_for(100ms);  // all have timeouts
  model_->settle(cluster_.now());
  require_runner(run_for);
  require_moves(run_for);
  stop(run_for);
}

/// A step that has failed may have taken an element along, so the model alone would not miss what
/// does not come. No step that takes what is put in now is given up.
void RunnerTraffic::require_moves(const std::function<void(sim::Time)>& run_for) {
  auto limit = cluster_.now() + moving_timeout;
  sim::Call puts, takes;
  for (int moved = 0; moved < 3 || !model_->check_drained().empty();) {
    auto* client = pick_client();
    if (client && moved < 3) puts = put(*client, {});
    if (client) takes = take(*client, {});
    while (!attempts_.empty()) {
      if (cluster_.now() > limit)
        reporter_.fail("QM-2", "what was put before a runner does not come out behind it");
      run_for(50ms);
      // What was put back may be more than there is room for, so that one take makes none.
      if (client && moved < 3 && !puts.is_done() && takes.is_done()) takes = take(*client, {});
    }
    moved += client && puts.status().ok() && takes.status().ok();
  }
}

void RunnerTraffic::stop(const std::function<void(sim::Time)>& run_for) {
  auto limit = cluster_.now() + moving_timeout;
  Status status;
  do {
    if (cluster_.now() > limit) reporter_.fail("liveness", "a runner cannot be stopped");
    if (auto* client = pick_client())
      status = cluster_.control_runner(
          client->master(), {runner_->container, runner_->name}, RunnerAction::stop,
          control_timeout);
    run_for(50ms);
  } while (!status.ok() && status.code() != Code::not_found);
}

/// Leaves one where there is none that runs.
void RunnerTraffic::require_runner(const std::function<void(sim::Time)>& run_for) {
  auto limit = cluster_.now() + moving_timeout;
  for (; cluster_.now() < limit; run_for(100ms)) {
    auto* client = pick_client();
    if (!client) continue;
    leave(*client);
    control(*client, RunnerAction::resume);
    auto list = cluster_.list_runners(client->master(), control_timeout);
    if (list && list->missing.empty() && list->runners.size() == 1 &&
        list->runners[0].state == RunnerState::running)
      return;
    if (list && !list->runners.empty()) control(*client, RunnerAction::stop);
  }
  reporter_.fail("liveness", "no runner can be left on the cluster");
}

}  // namespace troupe::swarm
