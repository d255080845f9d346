#include "troupe/actors/sim/program/program.hpp"

#include "troupe/actors/sim/client_session.hpp"
#include "troupe/actors/sim/cluster_state.hpp"
#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::sim {
namespace {

// As those of a training on real machines.
constexpr Time connect_time = std::chrono::milliseconds(1500);
constexpr std::chrono::milliseconds stop_deadline{5000};

}  // namespace

const std::string& Program::name() const { return run_.process->task; }
const Role& Program::role() const { return run_.role; }
Random& Program::random() { return run_.random; }
std::string Program::folder() { return run_.cluster.programs.folder(); }

Time Program::now() {
  run_.cluster.programs.count_call(run_);
  return run_.cluster.simulation.now();
}

bool Program::wait(Time time) {
  run_.cluster.run([this] { return has_server_ended(); }, run_.cluster.simulation.now() + time);
  return !has_server_ended();
}

void Program::log(const std::string& message) { run_.cluster.log(name() + ": " + message); }

Result<std::unique_ptr<troupe::Session>> Program::session(const SessionOptions& options) {
  return open_client_session(run_.cluster, run_.process, options);
}

Result<std::unique_ptr<BasicSession>> Program::open_session() { return session(); }

bool Program::has_server_ended() { return run_.process->is_dead(); }

Status Program::stop_server(const std::string& job, int task) {
  auto& cluster = run_.cluster;
  auto name = task_name(job, task);
  auto is_reachable = [&] {
    return !cluster.process_of(name)->is_dead() &&
           !cluster.cut_pairs.contains({this->name(), name}) &&
           !cluster.cut_pairs.contains({name, this->name()});
  };
  // A connection that is refused is tried again, as the task may be starting.
  if (!cluster.run(is_reachable, cluster.simulation.now() + connect_time))
    return unavailable("no server answers at " + name).at({.task = name});
  auto process = cluster.process_of(name);
  auto drained = cluster.ask(name, [](DoneStatus done) { return Drain{stop_deadline, done}; });
  if (process->is_dead()) return process->lost_status();
  if (!drained.ok() && drained.code() != Code::deadline_exceeded) return drained;
  cluster.end_server(*process);
  return {};
}

}  // namespace troupe::sim
