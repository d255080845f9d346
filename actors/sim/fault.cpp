#include "troupe/actors/sim/fault.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::sim {
namespace {

using Kind = Fault::Kind;

/// How a kind of fault is written as C++ and ended.
struct KindRule {
  Kind kind;
  const char* verb;
  bool has_others = false;
  bool has_number = false;
  std::optional<Kind> ended_by;  // absent: has no duration, or ends another kind
  double number_at_end = 0;
};

// In the order of the kinds.
constexpr KindRule rules[] = {
    {.kind = Kind::crash, .verb = "crash", .ended_by = Kind::restart},
    {.kind = Kind::restart, .verb = "restart"},
    {.kind = Kind::freeze, .verb = "freeze", .ended_by = Kind::thaw},
    {.kind = Kind::thaw, .verb = "thaw"},
    {.kind = Kind::cut, .verb = "cut", .has_others = true, .ended_by = Kind::heal},
    {.kind = Kind::heal, .verb = "heal", .has_others = true},
    {.kind = Kind::break_link, .verb = "break_link", .has_others = true},
    {.kind = Kind::slow,
     .verb = "slow",
     .has_number = true,
     .ended_by = Kind::slow,
     .number_at_end = 1},
    {.kind = Kind::skew,
     .verb = "skew",
     .has_number = true,
     .ended_by = Kind::skew,
     .number_at_end = 1},
    {.kind = Kind::limit_memory,
     .verb = "limit_memory",
     .has_number = true,
     .ended_by = Kind::limit_memory},
};

const KindRule& rule_of(Kind kind) { return rules[static_cast<size_t>(kind)]; }

/// "1'234us"; in nanoseconds if the time is not a whole number of microseconds.
std::string time_to_cpp(Time time) {
  auto whole = time.count() % 1000 == 0;
  auto digits = std::to_string(whole ? time.count() / 1000 : time.count());
  for (auto place = static_cast<int>(digits.size()) - 3; place > 0; place -= 3)
    digits.insert(static_cast<size_t>(place), "'");
  return digits + (whole ? "us" : "ns");
}

std::string tasks_to_cpp(const Tasks& tasks) {
  std::string text;
  for (const auto& name : tasks) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return tasks.names.size() == 1 ? text : "{" + text + "}";
}

std::string number_to_cpp(double number) {
  char text[40];
  return {text, std::to_chars(text, std::end(text), number).ptr};
}

double draw_number(Kind kind, Random& random) {
  switch (kind) {
    case Kind::slow: return static_cast<double>(int64_t{1} << random.between(1, 13));
    case Kind::skew: return 1 + static_cast<double>(random.between(-10, 10)) / 1000;
    case Kind::limit_memory: return static_cast<double>(random.between(64, 4096));
    default: return 0;
  }
}

/// A fault of random tasks at that time; of two groups of tasks if its kind has others.
Fault draw_fault(Kind kind, Time time, std::vector<std::string> names, Random& random) {
  auto take = [&] {
    auto place = names.begin() + static_cast<int64_t>(random.below(names.size()));
    auto name = *place;
    names.erase(place);
    return name;
  };
  Fault fault{.kind = kind, .time = time, .tasks = take(), .number = draw_number(kind, random)};
  if (rule_of(kind).has_others) fault.others = take();
  // Partitions the cluster: each further task is in one of the groups.
  if (kind == Kind::cut && random.chance(0.3))
    for (auto& name : names)
      (random.chance(0.5) ? fault.tasks : fault.others).names.push_back(name);
  return fault;
}

bool is_end(const Fault& fault) {
  const auto& rule = rule_of(fault.kind);
  auto ends = [&](const KindRule& other) {
    return other.ended_by == fault.kind &&
           (!rule.has_number || other.number_at_end == fault.number);
  };
  return std::ranges::any_of(rules, ends);
}

Fault end_of(const Fault& fault, Time time) {
  const auto& rule = rule_of(fault.kind);
  auto end = fault;
  end.kind = *rule.ended_by;
  end.time = time;
  end.number = rule.number_at_end;
  return end;
}

}  // namespace

std::string Fault::to_cpp() const {
  const auto& rule = rule_of(kind);
  auto text = "cluster.at(" + time_to_cpp(time) + ")." + rule.verb + "(" + tasks_to_cpp(tasks);
  if (rule.has_others) text += ", " + tasks_to_cpp(others);
  if (rule.has_number) text += ", " + number_to_cpp(number);
  return text + ");";
}

std::vector<FaultWithEnd> pair_with_ends(const std::vector<Fault>& script) {
  std::vector<FaultWithEnd> pairs;
  std::vector<bool> is_taken(script.size());
  for (size_t i = 0; i < script.size(); ++i) {
    if (is_taken[i]) continue;
    FaultWithEnd pair{script[i], {}};
    if (rule_of(script[i].kind).ended_by && !is_end(script[i]))
      for (size_t j = i + 1; j < script.size() && !pair.end; ++j) {
        if (is_taken[j] || script[j] != end_of(script[i], script[j].time)) continue;
        is_taken[j] = true;
        pair.end = script[j];
      }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<Fault> script_of(const std::vector<FaultWithEnd>& faults) {
  std::vector<Fault> script;
  for (const auto& [fault, end] : faults) {
    script.push_back(fault);
    if (end) script.push_back(*end);
  }
  std::ranges::stable_sort(script, {}, &Fault::time);
  return script;
}

ClusterSpec make_spec(const std::map<std::string, int>& jobs) {
  std::map<std::string, JobTasks> spec;
  for (const auto& [job, count] : jobs)
    for (int task = 0; task < count; ++task)
      spec[job].by_index[task] = job + ":" + std::to_string(task + 1);
  return *ClusterSpec::make(spec);
}

std::vector<std::string> task_names(const ClusterSpec& spec) {
  std::vector<std::string> names;
  for (const auto& [job, tasks] : spec.jobs())
    for (const auto& [index, address] : tasks) names.push_back(task_name(job, index));
  return names;
}

std::vector<Fault> draw_faults(const ClusterSpec& spec, Seed seed, const FaultOptions& options) {
  Random random(seed, "faults");
  auto names = task_names(spec);
  auto kinds = options.kinds;
  if (names.size() < 2) std::erase_if(kinds, [](Kind kind) { return rule_of(kind).has_others; });
  std::vector<Fault> script;
  if (kinds.empty() || names.empty()) return script;
  auto draw_time = [&](Time begin) {
    using std::chrono::microseconds;
    auto us = (options.end - begin) / microseconds(1);
    return begin + microseconds(random.between(0, std::max<int64_t>(0, us)));
  };
  auto count = random.between(1, options.most);
  for (int64_t i = 0; i < count; ++i) {
    auto fault = draw_fault(random.pick(kinds), draw_time(options.begin), names, random);
    auto two_ways = fault.kind == Kind::cut && random.chance(0.5);
    script.push_back(fault);
    if (rule_of(fault.kind).ended_by) script.push_back(end_of(fault, draw_time(fault.time)));
    if (!two_ways) continue;
    std::swap(fault.tasks, fault.others);
    script.push_back(fault);
    script.push_back(end_of(fault, draw_time(fault.time)));
  }
  std::ranges::stable_sort(script, {}, &Fault::time);
  return script;
}

}  // namespace troupe::sim
