#include "troupe/apps/swarm/crew.hpp"

#include <algorithm>
#include <stdexcept>

#include "troupe/apps/swarm/judge.hpp"
#include "troupe/apps/swarm/oracle.hpp"

namespace troupe::swarm {
namespace {

using namespace std::chrono_literals;

constexpr auto reset_timeout = 500ms;
constexpr RunOptions initialization_options{.timeout = 1000ms};
constexpr sim::Time patience = 10s;  // with a cluster in which nothing is broken

}  // namespace

Crew::Crew(
    sim::Cluster& cluster, const World& world, sim::Seed seed, sim::Cluster& single_task, Log log)
    : cluster_(cluster),
      world_(world),
      random_(seed, "crew"),
      variables_(cluster, world),
      log_(std::move(log)) {
  for (size_t i = 0; i < world.masters.size(); ++i) {
    sim::Random random(seed, "graph " + std::to_string(i));
    clients_.emplace_back(
        cluster, world, world.masters[i], random, expected_results(single_task, world, random));
  }
}

void Crew::fail(const std::string& name, const std::string& text) {
  cluster_.violate(name, text);
  throw std::runtime_error(name + ": " + text);
}

void Crew::log(const std::string& text) const {
  if (log_) log_(std::to_string(cluster_.now().count() / 1000) + " us  " + text);
}

std::string Crew::Attempt::name() const {
  static constexpr const char* verbs[] = {"compute", "initialize", "bump", "read"};
  return std::string(verbs[static_cast<size_t>(kind)]) + " " + std::to_string(index) +
         " of the session at " + session->master();
}

// -- what clients do

void Crew::act() {
  struct Chance {
    uint64_t percent;
    void (Crew::*action)();
  };
  static constexpr Chance chances[] = {{55, &Crew::compute}, {25, &Crew::bump},  {7, &Crew::read},
                                       {7, &Crew::cancel},   {5, &Crew::reopen}, {1, &Crew::reset}};
  auto number = random_.below(100);
  for (const auto& [percent, action] : chances) {
    if (number < percent) return (this->*action)();
    number -= percent;
  }
}

void Crew::compute() {
  auto* client = any_client();
  if (!client) return;
  auto index = random_.below(client->graph().steps.size());
  start({.client = client, .index = index, .options = any_timeout()});
}

void Crew::bump() {
  auto* client = any_client();
  auto counter = any_counter();
  if (client && counter) start(make_bump(client, *counter));
}

void Crew::read() {
  auto* client = any_client();
  auto counter = any_counter();
  if (client && counter) start(make_read(client, *counter));
}

void Crew::cancel() {
  if (attempts_.empty()) return;
  auto index = static_cast<int64_t>(random_.below(attempts_.size()));
  auto& attempt = *std::next(attempts_.begin(), index);
  attempt.was_cancelled = true;
  attempt.session->cancel(attempt.call);
}

void Crew::reopen() {
  auto* client = any_client();
  if (!client) return;
  for (auto& attempt : attempts_)
    if (attempt.client == client) attempt.was_cancelled = true;
  (void)client->close();
}

void Crew::reset() {
  auto* client = any_client();
  if (!client) return;
  has_reset_ = true;
  for (auto& attempt : attempts_)
    if (attempt.client->master() == client->master()) attempt.was_cancelled = true;
  const auto& container = random_.pick(World::containers());
  auto status = cluster_.reset(client->master(), {container}, reset_timeout);
  variables_.look();
  variables_.reset(container, status.ok());
  for (auto& other : clients_)
    if (other.master() == client->master()) other.lose_session();
  Circumstances circumstances{
      .time = cluster_.now(), .has_timeout = true, .hurried = client->master()};
  auto why = status.ok() ? "" : objection(status, cluster_, circumstances);
  if (!why.empty()) fail("failure without excuse", "reset: " + status.to_string() + ": " + why);
}

Client* Crew::any_client() {
  std::vector<Client*> with_session;
  for (auto& client : clients_)
    if (client.has_session()) with_session.push_back(&client);
  return with_session.empty() ? nullptr : random_.pick(with_session);
}

RunOptions Crew::any_timeout() {
  if (random_.chance(0.5)) return {};
  return {.timeout = std::chrono::milliseconds(int64_t{1} << random_.between(1, 11))};
}

std::optional<size_t> Crew::any_counter() {
  std::vector<size_t> counters;
  for (size_t i = 0; i < world_.variables.size(); ++i)
    if (world_.variables[i].is_counter && variables_.is_set(i)) counters.push_back(i);
  return counters.empty() ? std::nullopt : std::optional(random_.pick(counters));
}

Crew::Attempt Crew::make_bump(Client* client, size_t counter) {
  return {
      .kind = Attempt::Kind::bump,
      .client = client,
      .index = counter,
      .options = any_timeout(),
      .bump = variables_.counter(counter).start()};
}

Crew::Attempt Crew::make_read(Client* client, size_t counter) {
  return {
      .kind = Attempt::Kind::read,
      .client = client,
      .index = counter,
      .options = any_timeout(),
      .era = variables_.counter(counter).era(),
      .least = variables_.counter(counter).least()};
}

sim::Call Crew::start(Attempt attempt) {
  using Kind = Attempt::Kind;
  auto& session = attempt.session.emplace(attempt.client->session());
  attempt.session_number = attempt.client->session_number();
  const auto& graph = attempt.client->graph();
  StepKind step;
  std::vector<Ref> targets;
  if (attempt.kind == Kind::compute) step = graph.steps[attempt.index];
  if (attempt.kind == Kind::read) step.fetches = {graph.reads[attempt.index]};
  if (attempt.kind == Kind::bump) targets = {graph.bumps[attempt.index]};
  if (attempt.kind == Kind::initialize) targets = {graph.variables[attempt.index].initializer};
  attempt.variables_were_set = variables_.all_are_set();
  attempt.call = session.start(step.feeds, step.fetches, targets, attempt.options);
  log("starts  " + attempt.name());
  attempts_.push_back(std::move(attempt));
  return attempts_.back().call;
}

// -- what follows

void Crew::pass(sim::Time duration) {
  cluster_.run_for(duration);
  variables_.look();
  take_answers();
  reopen_lost_sessions();
  initialize_lost_variables();
  if (cluster_.violation()) throw std::runtime_error(cluster_.violation()->text);
}

void Crew::reopen_lost_sessions() {
  for (auto& client : clients_)
    if (!client.has_session() && cluster_.is_running(client.master())) client.open();
}

void Crew::initialize_lost_variables() {
  variables_.look();
  for (size_t i = 0; i < world_.variables.size(); ++i) {
    auto* client = any_client();
    if (!client || !variables_.wants_initialization(i)) continue;
    variables_.begin_initialization(i);
    start(
        {.kind = Attempt::Kind::initialize,
         .client = client,
         .index = i,
         .options = initialization_options});
  }
}

void Crew::take_answers() {
  std::list<Attempt> done;
  for (auto next = attempts_.begin(); next != attempts_.end();) {
    auto attempt = next++;
    if (attempt->call.is_done()) done.splice(done.end(), attempts_, attempt);
  }
  // Counters take what happened in its order.
  done.sort(
      [](const Attempt& a, const Attempt& b) { return a.call.ended_at() < b.call.ended_at(); });
  for (const auto& attempt : done) judge(attempt);
}

void Crew::judge(const Attempt& attempt) {
  const auto& status = attempt.call.status();
  log("ends    " + attempt.name() + ": " + status.to_string());
  if (attempt.kind == Attempt::Kind::initialize)
    variables_.end_initialization(attempt.index, status.ok());
  if (attempt.kind == Attempt::Kind::bump)
    variables_.counter(attempt.index).end(attempt.bump, status.ok());
  if (status.ok()) return judge_values(attempt);
  if (status.code() == Code::failed_precondition) {
    variables_.doubt();
    // Whoever reset a container has closed the sessions that used it, on all tasks.
    auto is_closed = status.message() == "the session is closed";
    if (is_closed && attempt.session_number == attempt.client->session_number())
      attempt.client->lose_session();
  }
  Circumstances circumstances{
      .time = attempt.call.ended_at(),
      .has_timeout = attempt.options.timeout.count() > 0,
      .was_cancelled = attempt.was_cancelled,
      .variables_lost = has_reset_ || !attempt.variables_were_set};
  auto why = objection(status, cluster_, circumstances);
  if (why.empty()) return;
  fail("failure without excuse", attempt.name() + " ended with " + status.to_string() + ": " + why);
}

void Crew::judge_values(const Attempt& attempt) {
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
  if (counter.era() != attempt.era || (attempt.least <= value && value <= counter.most())) return;
  fail(
      value < attempt.least ? "CM-1" : "CM-2", attempt.name() + " gave " + std::to_string(value) +
                                                   ", not " + std::to_string(attempt.least) +
                                                   " to " + std::to_string(counter.most()));
}

// -- recovery

void Crew::check_recovery() {
  for (auto& client : clients_) {
    for (size_t i = 0; i < client.graph().steps.size(); ++i)
      insist(client, [&, i] { return Attempt{.client = &client, .index = i}; });
    for (size_t i = 0; i < world_.variables.size(); ++i) {
      if (!world_.variables[i].is_counter) continue;
      insist(client, [&, i] { return make_bump(&client, i); });
      insist(client, [&, i] { return make_read(&client, i); });
    }
  }
}

/// Tries until it succeeds, or patience is at its end.
void Crew::insist(Client& client, const std::function<Attempt()>& make) {
  Status last = unavailable("there was no session, or a variable had no value");
  auto limit = cluster_.now() + patience;
  for (; cluster_.now() < limit; pass(100ms)) {
    if (!client.has_session() || !variables_.all_are_set()) continue;
    auto attempt = make();
    auto call = start(std::move(attempt));
    cluster_.run_until(call.done(), patience);
    pass(0s);
    if (!call.is_done()) fail("liveness", "a step was never answered, though nothing is broken");
    if (call.status().ok()) return;
    last = call.status();
  }
  fail("liveness", "a client of " + client.master() + " cannot go on: " + last.to_string());
}

void Crew::close() {
  for (auto& client : clients_)
    if (auto status = client.close(); !status.ok())
      fail("liveness", "close: " + status.to_string());
}

}  // namespace troupe::swarm
