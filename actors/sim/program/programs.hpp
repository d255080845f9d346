#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/program/coroutine.hpp"
#include "troupe/actors/sim/program/program.hpp"
#include "troupe/actors/sim/program/program_function.hpp"

namespace troupe::sim {

struct ClusterState;
struct TaskProcess;

/// One run of a program, in one process of its task.
struct ProgramRun {
  ClusterState& cluster;
  const std::shared_ptr<TaskProcess> process;
  Role role;
  Random random;
  std::unique_ptr<Coroutine> coroutine = {};
  const std::function<bool()>* condition = nullptr;  // what it waits for
  Time limit{0};                                     // of that wait
  bool is_due = false;                               // an event that resumes it is scheduled
  bool is_active = false;  // on the stack: it runs, or another one that it resumed does
  bool is_killed = false;
  Time time_of_calls{-1};             // when it made the last call
  int calls = 0;                      // at that time
  std::optional<Status> status = {};  // that it returned

  bool is_running() const { return !is_killed && !coroutine->has_ended(); }
};

/// The programs of a cluster. It decides which of them runs: one that does has the simulator wait.
///
/// SP-1: at most one program runs at a time, and no event meanwhile.
/// SP-2: no program outlives the process of its task, unless a client stopped the server in it.
/// SP-3: a program that makes too many calls while no time passes violates an invariant, and ends.
class Programs {
 public:
  Programs(ClusterState& cluster, Seed seed) : cluster_(cluster), random_(seed, "programs") {}
  ~Programs();
  Programs(const Programs&) = delete;

  /// Starts the program of a task, and again with each process of it.
  void set(const std::string& task, ProgramFunction function);
  void process_started(const std::shared_ptr<TaskProcess>& process);
  void kill(const TaskProcess& process);
  void kill_all();

  /// Schedules the programs that need not wait any more. To be called after each event.
  void schedule_ready();
  /// Whether the caller is a program. It must then wait by wait().
  bool is_caller() const { return current_ != nullptr; }
  /// Suspends the program that calls until the condition is met; false if that is not at the limit.
  bool wait(const std::function<bool()>& condition, Time limit);
  /// For calls of a program that need not wait. Throws Killed.
  void count_call(ProgramRun& run);

  /// Whether all have ended, but for those whose tasks are dead, or one has returned an error.
  bool are_over() const;
  /// The tasks whose programs have not ended; not those whose tasks are dead.
  std::vector<std::string> running() const;
  std::map<std::string, Status> statuses() const;
  const std::string& folder();

 private:
  void resume(ProgramRun& run);
  void run_body(ProgramRun& run, const ProgramFunction& function);
  bool unwind(const ProgramRun& run) const;

  ClusterState& cluster_;
  Random random_;
  std::map<std::string, ProgramFunction> functions_;         // by task
  std::map<std::string, std::shared_ptr<ProgramRun>> runs_;  // the last of each task
  std::vector<std::shared_ptr<ProgramRun>> killed_;          // that are still on the stack
  ProgramRun* current_ = nullptr;
  std::string folder_;
};

}  // namespace troupe::sim
