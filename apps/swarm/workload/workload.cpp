#include "troupe/apps/swarm/workload/workload.hpp"

#include <algorithm>
#include <stdexcept>

#include "troupe/apps/swarm/oracle/failure_oracle.hpp"
#include "troupe/apps/swarm/oracle/value_oracle.hpp"
#include "troupe/apps/swarm/workload/audit.hpp"

namespace troupe::swarm {
namespace {

using namespace std::chrono_literals;

constexpr auto reset_timeout = 500ms;
constexpr RunOptions initialization_options{.timeout = 1000ms};
constexpr sim::Time recovery_timeout = 10s;  // once all faults have ended

}  // namespace

Workload::Workload(
    sim::Cluster& cluster, const ScenarioPlan& plan, sim::Seed seed, sim::Cluster& single_task,
    Log log)
    : cluster_(cluster),
      plan_(plan),
      seed_(seed),
      reporter_(cluster, std::move(log)),
      random_(seed, "crew"),
      variables_(cluster, plan) {
  for (size_t i = 0; i < plan.masters.size(); ++i) {
    sim::Random random(seed, "graph " + std::to_string(i));
    clients_.emplace_back(
        cluster, plan, plan.masters[i], random, expected_results(single_task, plan, random));
  }
  queues_.emplace(cluster, plan, seed, clients_, reporter_);
  accumulators_.emplace(cluster, plan, seed, clients_, reporter_);
  runner_.emplace(cluster, plan, seed, clients_, reporter_);
}

std::string Workload::Attempt::name() const {
  static constexpr const char* verbs[] = {"compute", "initialize", "increment", "read"};
  return std::string(verbs[static_cast<size_t>(kind)]) + " " + std::to_string(index) +
         " of the session at " + session->master();
}

// -- actions of clients

void Workload::act_randomly() {
  act_on_variables();
  queues_->act_randomly();
  accumulators_->act_randomly();
  runner_->act_randomly();
}

void Workload::act_on_variables() {
  struct Chance {
    uint64_t percent;
    void (Workload::*action)();
  };
  static constexpr Chance chances[] = {{55, &Workload::compute}, {25, &Workload::increment},
                                       {7, &Workload::read},     {7, &Workload::cancel},
                                       {5, &Workload::reopen},   {1, &Workload::reset}};
  auto number = random_.below(100);
  for (const auto& [percent, action] : chances) {
    if (number < percent) return (this->*action)();
    number -= percent;
  }
}

void Workload::compute() {
  auto* client = pick_client();
  if (!client) return;
  auto index = random_.below(client->graph().steps.size());
  start({.client = client, .index = index, .options = draw_timeout()});
}

void Workload::increment() {
  auto* client = pick_client();
  auto counter = pick_counter();
  if (client && counter) start(make_increment(client, *counter));
}

void Workload::read() {
  auto* client = pick_client();
  auto counter = pick_counter();
  if (client && counter) start(make_read(client, *counter));
}

void Workload::cancel() {
  if (attempts_.empty()) return;
  auto index = static_cast<int64_t>(random_.below(attempts_.size()));
  auto& attempt = *std::next(attempts_.begin(), index);
  attempt.was_cancelled = true;
  attempt.session->cancel(attempt.call);
}

void Workload::reopen() {
  auto* client = pick_client();
  if (!client) return;
  for (auto& attempt : attempts_)
    if (attempt.client == client) attempt.was_cancelled = true;
  (void)client->close();
}

void Workload::reset() {
  auto* client = pick_client();
  if (!client) return;
  has_reset_ = true;
  for (auto& attempt : attempts_)
    if (attempt.client->master() == client->master()) attempt.was_cancelled = true;
  const auto& container = random_.pick(ScenarioPlan::containers());
  auto began = cluster_.now();
  auto status = cluster_.reset(client->master(), {container}, reset_timeout);
  variables_.update();
  variables_.reset(container, status.ok());
  queues_->end_reset(container, began, status.ok());
  accumulators_->end_reset(container, began, status.ok());
  runner_->end_reset(container, began, status.ok());
  for (auto& other : clients_)
    if (other.master() == client->master()) other.lose_session();
  CallConditions conditions{
      .time = cluster_.now(), .has_timeout = true, .short_timeout_task = client->master()};
  auto why = status.ok() ? "" : why_unexpected(status, cluster_, conditions);
  if (!why.empty()) fail("unexplained failure", "reset: " + status.to_string() + ": " + why);
}

Client* Workload::pick_client() {
  std::vector<Client*> with_session;
  for (auto& client : clients_)
    if (client.has_session()) with_session.push_back(&client);
  return with_session.empty() ? nullptr : random_.pick(with_session);
}

RunOptions Workload::draw_timeout() {
  if (random_.chance(0.5)) return {};
  return {.timeout = std::chrono::milliseconds(int64_t{1} << random_.between(1, 11))};
}

std::optional<size_t> Workload::pick_counter() {
  std::vector<size_t> counters;
  for (size_t i = 0; i < plan_.variables.size(); ++i)
    if (plan_.variables[i].is_counter && variables_.is_set(i)) counters.push_back(i);
  return counters.empty() ? std::nullopt : std::optional(random_.pick(counters));
}

Workload::Attempt Workload::make_increment(Client* client, size_t counter) {
  return {
      .kind = Attempt::Kind::increment,
      .client = client,
      .index = counter,
      .options = draw_timeout(),
      .increment = variables_.counter(counter).start()};
}

Workload::Attempt Workload::make_read(Client* client, size_t counter) {
  return {
      .kind = Attempt::Kind::read,
      .client = client,
      .index = counter,
      .options = draw_timeout(),
      .generation = variables_.counter(counter).generation(),
      .least = variables_.counter(counter).least()};
}

sim::Call Workload::start(Attempt attempt) {
  using Kind = Attempt::Kind;
  auto& session = attempt.session.emplace(attempt.client->session());
  attempt.session_number = attempt.client->session_number();
  const auto& graph = attempt.client->graph();
  StepKind step;
  std::vector<Ref> targets;
  if (attempt.kind == Kind::compute) step = graph.steps[attempt.index];
  if (attempt.kind == Kind::read) step.fetches = {graph.reads[attempt.index]};
  if (attempt.kind == Kind::increment) targets = {graph.increments[attempt.index]};
  if (attempt.kind == Kind::initialize) targets = {graph.variables[attempt.index].initializer};
  attempt.variables_were_set = variables_.all_are_set();
  attempt.call = session.start(step.feeds, step.fetches, targets, attempt.options);
  reporter_.log("starts  " + attempt.name());
  attempts_.push_back(std::move(attempt));
  return attempts_.back().call;
}

// -- answers

void Workload::run_for(sim::Time duration) {
  cluster_.run_for(duration);
  variables_.update();
  take_answers();
  queues_->update();
  accumulators_->update();
  runner_->update();
  reopen_lost_sessions();
  initialize_lost_variables();
  if (cluster_.violation()) throw std::runtime_error(cluster_.violation()->text);
}

void Workload::reopen_lost_sessions() {
  for (auto& client : clients_)
    if (!client.has_session() && cluster_.is_running(client.master())) client.open();
}

void Workload::initialize_lost_variables() {
  variables_.update();
  for (size_t i = 0; i < plan_.variables.size(); ++i) {
    auto* client = pick_client();
    if (!client || !variables_.wants_initialization(i)) continue;
    variables_.begin_initialization(i);
    start(
        {.kind = Attempt::Kind::initialize,
         .client = client,
         .index = i,
         .options = initialization_options});
  }
}

void Workload::take_answers() {
  std::list<Attempt> done;
  for (auto next = attempts_.begin(); next != attempts_.end();) {
    auto attempt = next++;
    if (attempt->call.is_done()) done.splice(done.end(), attempts_, attempt);
  }
  // The bounds of counters depend on the order of the answers.
  done.sort(
      [](const Attempt& a, const Attempt& b) { return a.call.ended_at() < b.call.ended_at(); });
  for (const auto& attempt : done) check_answer(attempt);
}

void Workload::check_answer(const Attempt& attempt) {
  const auto& status = attempt.call.status();
  reporter_.log("ends    " + attempt.name() + ": " + status.to_string());
  if (attempt.kind == Attempt::Kind::initialize)
    variables_.end_initialization(attempt.index, status.ok());
  if (attempt.kind == Attempt::Kind::increment)
    variables_.counter(attempt.index).end(attempt.increment, status.ok());
  if (status.ok()) return check_values(attempt);
  // A reset closes the sessions that used the container, on all tasks.
  auto is_closed = attempt.session->is_closed();
  if (status.code() == Code::failed_precondition || (is_closed && status.code() == Code::aborted))
    variables_.mark_doubtful_unset();
  if (is_closed && attempt.session_number == attempt.client->session_number())
    attempt.client->lose_session();
  CallConditions conditions{
      .time = attempt.call.ended_at(),
      .has_timeout = attempt.options.timeout.count() > 0,
      .was_cancelled = attempt.was_cancelled,
      .variables_lost = has_reset_ || !attempt.variables_were_set};
  auto why = why_unexpected(status, cluster_, conditions);
  if (why.empty()) return;
  fail("unexplained failure", attempt.name() + " ended with " + status.to_string() + ": " + why);
}

void Workload::check_values(const Attempt& attempt) {
  const auto& values = attempt.call.values();
  if (attempt.kind == Attempt::Kind::compute) {
    const auto& expected = attempt.client->expected()[attempt.index];
    for (size_t i = 0; i < expected.size(); ++i)
      if (!same_bits(values.at(i), expected[i]))
        fail(
            "wrong value", attempt.name() + " gave " + values[i].to_string() + ", not " +
                               expected[i].to_string() + " for fetch " + std::to_string(i));
  }
  if (attempt.kind != Attempt::Kind::read || !variables_.is_set(attempt.index)) return;
  const auto& counter = variables_.counter(attempt.index);
  auto value = values.at(0).value<int64_t>();
  if (counter.generation() != attempt.generation ||
      (attempt.least <= value && value <= counter.most()))
    return;
  fail(
      value < attempt.least ? "CM-1" : "CM-2", attempt.name() + " gave " + std::to_string(value) +
                                                   ", not " + std::to_string(attempt.least) +
                                                   " to " + std::to_string(counter.most()));
}

// -- recovery

void Workload::check_recovery() {
  for (auto& client : clients_) {
    for (size_t i = 0; i < client.graph().steps.size(); ++i)
      require_success(client, [&, i] { return Attempt{.client = &client, .index = i}; });
    for (size_t i = 0; i < plan_.variables.size(); ++i) {
      if (!plan_.variables[i].is_counter) continue;
      require_success(client, [&, i] { return make_increment(&client, i); });
      require_success(client, [&, i] { return make_read(&client, i); });
    }
  }
  auto run = [this](sim::Time duration) { run_for(duration); };
  runner_->check_recovery(run);
  Audit(cluster_, seed_, clients_, *queues_, *accumulators_, reporter_, run).run();
}

/// Repeats a step until it succeeds; fails after `recovery_timeout`.
void Workload::require_success(Client& client, const std::function<Attempt()>& make) {
  Status last = unavailable("there was no session, or a variable had no value");
  auto limit = cluster_.now() + recovery_timeout;
  for (; cluster_.now() < limit; run_for(100ms)) {
    if (!client.has_session() || !variables_.all_are_set()) continue;
    auto attempt = make();
    auto call = start(std::move(attempt));
    cluster_.run_until(call.done(), recovery_timeout);
    run_for(0s);
    if (!call.is_done()) fail("liveness", "a step was never answered, though nothing is broken");
    if (call.status().ok()) return;
    last = call.status();
  }
  fail("liveness", "a client of " + client.master() + " cannot go on: " + last.to_string());
}

void Workload::close() {
  for (auto& client : clients_)
    if (auto status = client.close(); !status.ok())
      fail("liveness", "close: " + status.to_string());
}

}  // namespace troupe::swarm
