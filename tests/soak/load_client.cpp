#include "troupe/tests/soak/load_client.hpp"

#include <algorithm>
#include <thread>

namespace troupe::soak {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr double interrupted_share = 0.15;
/// A session keeps the plans of each combination of flows that it has run.
constexpr uint64_t steps_of_session_max = 2000;

void raise_to(std::atomic<int64_t>& most, Clock::duration time) {
  auto ms = std::chrono::duration_cast<milliseconds>(time).count();
  for (auto seen = most.load(); seen < ms && !most.compare_exchange_weak(seen, ms);) {
  }
}

}  // namespace

LoadClient::LoadClient(Load& load, sim::Seed seed, const std::string& name)
    : load_(load),
      name_(name),
      random_(seed, name),
      graph_(static_cast<int>(load.targets.size()), load.bytes_max) {}

void LoadClient::fail(const std::string& fault) { load_.verdict.fail(name_ + ": " + fault); }

void LoadClient::run_until(Clock::time_point end) {
  while (Clock::now() < end && !load_.verdict.has_failed())
    if (session_ || open_session()) run_step();
}

bool LoadClient::open_session() {
  const auto& target = random_.pick(load_.targets);
  // Half of the sessions are over a connection that has had others.
  if (!client_ || client_->target() != target || random_.chance(0.5)) {
    auto client = Client::connect(target, load_.connect_options);
    if (!client) return fail("connecting to " + target + ": " + client.status().to_string()), false;
    client_ = *std::move(client);
  }
  auto session = client_->session();
  auto status = session ? (*session)->extend(graph_.b) : session.status();
  if (!status.ok()) return fail("opening a session: " + status.to_string()), false;
  session_ = *std::move(session);
  steps_left_ = log_uniform(random_, 1, steps_of_session_max);
  ++load_.counts.sessions;
  return true;
}

void LoadClient::run_step() {
  RandomStep step(graph_, load_.bytes_max, load_.memory_max, random_);
  auto share = load_.budget.take(std::min(step.memory(), load_.memory_max));
  auto by = Interruption::none;
  if (random_.chance(interrupted_share)) by = static_cast<Interruption>(random_.between(1, 4));
  RunOptions options;  // a node keeps the timer of a timeout for as long as that is
  if (by == Interruption::timeout) options.timeout = milliseconds(log_uniform(random_, 1, 500));

  auto start = Clock::now();
  auto pending = session_->start(step.feeds(), step.fetches(), step.targets(), options);
  interrupt(pending, by);
  auto interrupted = Clock::now();
  if (pending) {
    if (!pending->wait_for(step_time_max))
      return fail("a step hangs: " + step.to_string() + explanation());
    check(step, by, pending->wait());
  }
  auto end = Clock::now();
  ++load_.counts.steps;
  raise_to(load_.counts.step_ms_max, end - start);
  if (by != Interruption::none && by != Interruption::timeout)
    raise_to(load_.counts.interruption_ms_max, end - interrupted);
  if (by == Interruption::close || --steps_left_ == 0) session_.reset();
}

/// Waits a while before it does: most steps have begun by then, and many have not ended.
void LoadClient::interrupt(std::unique_ptr<PendingStep>& step, Interruption by) {
  if (by == Interruption::none || by == Interruption::timeout) return;
  std::this_thread::sleep_for(microseconds(log_uniform(random_, 20, 200'000)));
  if (by == Interruption::cancel) step->cancel();
  if (by == Interruption::destruction) step.reset(), ++load_.counts.interrupted;
  if (by == Interruption::close) {
    auto status = session_->close();
    if (!status.ok()) fail("closing a session: " + status.to_string());
  }
}

/// What all steps wait for.
std::string LoadClient::explanation() {
  auto steps = client_->list_waiting_steps();
  if (!steps) return "; " + steps.status().to_string();
  std::string text;
  for (const auto& step : *steps)
    for (const auto& wait : step.waits)
      text += "\n  " + wait.device + ": " + wait.node + " waits for " + wait.what + " " + wait.peer;
  return text;
}

void LoadClient::check(const RandomStep& step, Interruption by, const Result<Tensors>& values) {
  if (values) {
    if (by != Interruption::none) ++load_.counts.too_late;
    load_.counts.bytes += step.bytes_sent();
    auto fault = step.fault_of(*values);
    if (!fault.empty()) fail("a wrong result: " + fault);
    return;
  }
  auto expected = by == Interruption::timeout ? Code::deadline_exceeded : Code::cancelled;
  if (by != Interruption::none && values.status().code() == expected) {
    ++load_.counts.interrupted;
    return;
  }
  auto what = by == Interruption::none      ? "a step failed"
              : by == Interruption::timeout ? "a step with a timeout failed otherwise"
                                            : "a cancelled step failed otherwise";
  fail(std::string(what) + ": " + values.status().to_string() + "; " + step.to_string());
}

}  // namespace troupe::soak
