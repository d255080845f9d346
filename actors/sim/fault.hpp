#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "troupe/actors/sim/random.hpp"
#include "troupe/graph/cluster_spec.hpp"

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

/// Something that goes wrong in a simulated cluster, or is mended there. A value.
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
  Tasks tasks;        // whom it befalls
  Tasks others;       // the other end of a cut, heal or break_link
  double number = 0;  // the last argument of slow, skew and limit_memory

  /// The line of C++ that scripts it: `cluster.at(1'234us).crash("/job:ps/task:0");`.
  std::string to_cpp() const;
  bool operator==(const Fault&) const = default;
};

/// The verbs by which faults are written down. Who inherits them says when they happen.
class FaultVerbs {
 public:
  /// The task is gone, with all it held; its peers see their connections close.
  void crash(const std::string& task) { happen({.kind = Fault::Kind::crash, .tasks = task}); }
  /// A crashed task begins a new life at the same address: empty, with another incarnation.
  void restart(const std::string& task) { happen({.kind = Fault::Kind::restart, .tasks = task}); }
  /// The task stands still as by SIGSTOP, and nobody is told.
  void freeze(const std::string& task) { happen({.kind = Fault::Kind::freeze, .tasks = task}); }
  void thaw(const std::string& task) { happen({.kind = Fault::Kind::thaw, .tasks = task}); }
  /// What those `from` say does not reach those `to`, and waits until the way is healed.
  void cut(const Tasks& from, const Tasks& to) {
    happen({.kind = Fault::Kind::cut, .tasks = from, .others = to});
  }
  void heal(const Tasks& from, const Tasks& to) {
    happen({.kind = Fault::Kind::heal, .tasks = from, .others = to});
  }
  /// The connection between two tasks breaks: what is under way is lost, both see it close.
  void break_link(const std::string& one, const std::string& other) {
    happen({.kind = Fault::Kind::break_link, .tasks = one, .others = other});
  }
  /// The task's kernels take so many times as long, and each message to it that many microseconds;
  /// 1 is as usual.
  void slow(const std::string& task, double factor) {
    happen({.kind = Fault::Kind::slow, .tasks = task, .number = factor});
  }
  /// The task's clock runs at that rate; 1 is right.
  void skew(const std::string& task, double rate) {
    happen({.kind = Fault::Kind::skew, .tasks = task, .number = rate});
  }
  /// The task's device gives out no more memory than that; 0 bytes: what it had at the start.
  void limit_memory(const std::string& task, uint64_t bytes) {
    auto number = static_cast<double>(bytes);
    happen({.kind = Fault::Kind::limit_memory, .tasks = task, .number = number});
  }

 protected:
  ~FaultVerbs() = default;
  virtual void happen(Fault fault) = 0;
};

struct FaultOptions {
  Time begin{0};  // the span of the script
  Time end = std::chrono::seconds(2);
  int most = 4;  // faults, besides those that end them
  /// Those that may be drawn.
  std::vector<Fault::Kind> kinds = {Fault::Kind::crash,      Fault::Kind::freeze,
                                    Fault::Kind::cut,        Fault::Kind::slow,
                                    Fault::Kind::break_link, Fault::Kind::limit_memory};
};

/// A script of faults for a cluster, from a stream of chance of its own, in the order of time.
/// What it breaks it mends before the end of the span: crashed tasks restart, frozen ones thaw.
std::vector<Fault> draw_faults(const ClusterSpec& spec, Seed seed, const FaultOptions& options);

/// The spec of a simulated cluster with that many tasks of each job.
ClusterSpec make_spec(const std::map<std::string, int>& jobs);
/// The names of all tasks of a cluster.
std::vector<std::string> task_names(const ClusterSpec& spec);

}  // namespace troupe::sim
