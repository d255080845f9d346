#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/cluster/cluster_spec.hpp"

namespace troupe::sim {

/// Tasks by name: one, "/job:ps/task:0", or several.
struct Tasks {
  Tasks() = default;
  Tasks(const char* name) : names{name} {}
  Tasks(std::string name) : names{std::move(name)} {}
  Tasks(std::vector<std::string> names) : names(std::move(names)) {}
  Tasks(std::initializer_list<std::string> names) : names(names) {}

  auto begin() const { return names.begin(); }
  auto end() const { return names.end(); }
  bool operator==(const Tasks&) const = default;

  std::vector<std::string> names;
};

/// A fault of a simulated cluster, or the end of one.
struct Fault {
  enum class Kind : uint8_t {
    crash,
    restart,
    freeze,
    thaw,
    cut,
    heal,
    break_link,
    slow,
    skew,
    limit_memory,
  };

  Kind kind = Kind::crash;
  Time time{0};       // since the start
  Tasks tasks;        // that it affects
  Tasks others;       // the other end of a cut, heal or break_link
  double number = 0;  // the last argument of slow, skew and limit_memory

  /// The line of C++ that schedules it: `cluster.at(1'234us).crash("/job:ps/task:0");`.
  std::string to_cpp() const;
  bool operator==(const Fault&) const = default;
};

/// The fault verbs of Cluster and Moment, which define when inject() takes effect.
class FaultVerbs {
 public:
  /// Kills the task with all its state; its peers see their connections close.
  void crash(const std::string& task) { inject({.kind = Fault::Kind::crash, .tasks = task}); }
  /// Starts a crashed task again at the same address: without state, with a new incarnation.
  void restart(const std::string& task) { inject({.kind = Fault::Kind::restart, .tasks = task}); }
  /// Suspends the task, as by SIGSTOP; its connections stay open.
  void freeze(const std::string& task) { inject({.kind = Fault::Kind::freeze, .tasks = task}); }
  void thaw(const std::string& task) { inject({.kind = Fault::Kind::thaw, .tasks = task}); }
  /// Holds all bytes from tasks of `from` to tasks of `to` until heal().
  void cut(const Tasks& from, const Tasks& to) {
    inject({.kind = Fault::Kind::cut, .tasks = from, .others = to});
  }
  void heal(const Tasks& from, const Tasks& to) {
    inject({.kind = Fault::Kind::heal, .tasks = from, .others = to});
  }
  /// Breaks the connection between two tasks at any byte of what is under way; both see it close.
  void break_link(const std::string& one, const std::string& other) {
    inject({.kind = Fault::Kind::break_link, .tasks = one, .others = other});
  }
  /// Makes the task's kernels take `factor` times as long, and each of its messages `factor`
  /// microseconds; 1 is normal speed.
  void slow(const std::string& task, double factor) {
    inject({.kind = Fault::Kind::slow, .tasks = task, .number = factor});
  }
  /// Sets the rate of the task's clock; 1 is correct.
  void skew(const std::string& task, double rate) {
    inject({.kind = Fault::Kind::skew, .tasks = task, .number = rate});
  }
  /// Limits the memory of the task's device; 0 bytes: the limit that it had at the start.
  void limit_memory(const std::string& task, uint64_t bytes) {
    auto number = static_cast<double>(bytes);
    inject({.kind = Fault::Kind::limit_memory, .tasks = task, .number = number});
  }

 protected:
  ~FaultVerbs() = default;
  virtual void inject(Fault fault) = 0;
};

struct FaultOptions {
  Time begin{0};  // of the script
  Time end = std::chrono::seconds(2);
  int most = 4;  // number of faults, without those that end them
  /// The kinds to draw from.
  std::vector<Fault::Kind> kinds = {Fault::Kind::crash,      Fault::Kind::freeze,
                                    Fault::Kind::cut,        Fault::Kind::slow,
                                    Fault::Kind::break_link, Fault::Kind::limit_memory};
};

/// Draws a script of faults in the order of time, from a random stream of its own. Each fault is
/// ended within the span: crashed tasks restart, frozen ones thaw.
std::vector<Fault> draw_faults(const ClusterSpec& spec, Seed seed, const FaultOptions& options);

/// Each fault of a script, in its order, with the later one that ends it: its restart, thaw or
/// heal.
struct FaultWithEnd {
  Fault fault;
  std::optional<Fault> end;
};
std::vector<FaultWithEnd> pair_with_ends(const std::vector<Fault>& script);
/// The script of them, in the order of time.
std::vector<Fault> script_of(const std::vector<FaultWithEnd>& faults);

/// The spec of a simulated cluster, given the number of tasks of each job.
ClusterSpec make_spec(const std::map<std::string, int>& jobs);
/// The names of all tasks of a cluster.
std::vector<std::string> task_names(const ClusterSpec& spec);

}  // namespace troupe::sim
