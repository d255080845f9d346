#include "troupe/graph/cluster/slurm.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

// More than any cluster has: bounds the memory that a malformed variable can take.
constexpr size_t tasks_max = 1 << 20;

struct Variable {
  std::string name;
  std::string value;

  std::string key() const { return name + " " + quote(value); }
};

/// The first of them that is set.
Result<Variable> find_variable(
    const Environment& environment, std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (auto value = variable(environment, name); !value.empty()) return Variable{name, value};
  std::string all;
  for (const auto* name : names) all += (all.empty() ? "" : " or ") + std::string(name);
  return invalid_argument(all + " is not set: was this started by srun?");
}

Result<int> find_number(const Environment& environment, std::initializer_list<const char*> names) {
  auto found = find_variable(environment, names);
  if (!found) return found.status();
  if (auto number = parse_number(found->value)) return *number;
  return invalid_argument(found->key() + " is not a number from 0");
}

// -- lists of hosts

/// Cuts at the commas that are in no brackets.
std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool is_inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') is_inside = true;
    if (text[i] == ']') is_inside = false;
    if (text[i] != ',' || is_inside) continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

/// The numbers of "08-11" as text, all as wide as the first: "08", "09", "10", "11". Nothing for
/// what is no range.
std::optional<std::vector<std::string>> expand_range(std::string_view range) {
  auto dash = range.find('-');
  auto first_digits = range.substr(0, dash);
  auto first = parse_number(first_digits);
  auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
  if (!first || !last || *last < *first) return {};
  if (static_cast<size_t>(*last) - static_cast<size_t>(*first) >= tasks_max) return {};
  std::vector<std::string> numbers;
  for (int number = *first; number <= *last; ++number) {
    auto digits = std::to_string(number);
    auto zeros = first_digits.size() - std::min(first_digits.size(), digits.size());
    numbers.push_back(std::string(zeros, '0') + digits);
  }
  return numbers;
}

/// What "[1-3,07]" stands for at its place; nothing where it is not written so.
std::optional<std::vector<std::string>> expand_brackets(std::string_view inside) {
  std::vector<std::string> all;
  for (auto range : split(inside, ',')) {
    auto numbers = expand_range(range);
    if (!numbers || all.size() + numbers->size() > tasks_max) return {};
    all.insert(all.end(), numbers->begin(), numbers->end());
  }
  return all;
}

/// The hosts of one entry, which may have several brackets; nothing where it is not written so.
std::optional<std::vector<std::string>> expand_entry(std::string_view entry) {
  std::vector<std::string> hosts = {""};
  while (!entry.empty()) {
    auto open = entry.find('[');
    auto plain = entry.substr(0, open);
    if (plain.find(']') != std::string_view::npos) return {};
    std::vector<std::string> numbers = {""};
    entry.remove_prefix(plain.size());
    if (!entry.empty()) {
      auto close = entry.find(']');
      if (close == std::string_view::npos) return {};
      auto inside = expand_brackets(entry.substr(1, close - 1));
      if (!inside || inside->size() * hosts.size() > tasks_max) return {};
      numbers = *std::move(inside);
      entry.remove_prefix(close + 1);
    }
    std::vector<std::string> longer;
    for (const auto& host : hosts)
      for (const auto& number : numbers) longer.push_back(host + std::string(plain) + number);
    hosts = std::move(longer);
  }
  if (hosts[0].empty()) return {};
  return hosts;
}

// -- tasks of nodes

/// "2(x3),1": two tasks on each of three nodes, then one. Nothing where it is not written so.
std::optional<std::vector<int>> parse_tasks_per_node(std::string_view text) {
  std::vector<int> counts;
  for (auto part : split(text, ',')) {
    auto open = part.find("(x");
    auto count = parse_number(part.substr(0, open));
    std::optional<int> times = 1;
    if (open != std::string_view::npos) {
      auto rest = part.substr(open + 2);
      if (!rest.ends_with(')')) return {};
      times = parse_number(rest.substr(0, rest.size() - 1));
    }
    if (!count || !times || counts.size() + static_cast<size_t>(*times) > tasks_max) return {};
    counts.insert(counts.end(), static_cast<size_t>(*times), *count);
  }
  if (counts.empty()) return {};
  return counts;
}

/// How many tasks each of the nodes has.
Result<std::vector<int>> tasks_per_node(
    const Environment& environment, size_t nodes, int task_count) {
  auto found = find_variable(
      environment, {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"});
  auto each = task_count / static_cast<int>(nodes);
  if (!found) return std::vector<int>(nodes, each);
  auto counts = parse_tasks_per_node(found->value);
  if (!counts) return invalid_argument(found->key() + " is not written as '2(x3),1'");
  if (found->name == "SLURM_NTASKS_PER_NODE") counts->resize(nodes, counts->front());
  if (counts->size() == nodes) return *counts;
  return invalid_argument(
      found->key() + " is for " + std::to_string(counts->size()) + " nodes, but there are " +
      std::to_string(nodes));
}

/// Where Slurm's tasks listen, in their order.
Result<std::vector<std::string>> task_addresses(
    const Environment& environment, int task_count, int port_base) {
  auto list = find_variable(environment, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"});
  if (!list) return list.status();
  auto hosts = expand_host_list(list->value, list->name);
  if (!hosts) return hosts.status();
  auto counts = tasks_per_node(environment, hosts->size(), task_count);
  if (!counts) return counts.status();
  std::vector<std::string> addresses;
  for (size_t node = 0; node < hosts->size(); ++node)
    for (int local = 0; local < counts->at(node) && addresses.size() <= tasks_max; ++local)
      addresses.push_back(hosts->at(node) + ":" + std::to_string(port_base + local));
  if (addresses.size() == static_cast<size_t>(task_count)) return addresses;
  return invalid_argument(
      list->key() + " and the tasks per node make " + std::to_string(addresses.size()) +
      " tasks, but Slurm says " + std::to_string(task_count));
}

}  // namespace

Result<JobCounts> parse_job_counts(std::string_view text) {
  JobCounts jobs;
  for (auto part : split(text, ',')) {
    auto equals = part.find('=');
    auto count =
        parse_number(equals == std::string_view::npos ? "" : trim(part.substr(equals + 1)));
    if (!count || *count == 0)
      return invalid_argument(
          quote(part) + " does not give a job and its number of tasks, as in ps=1,worker=3");
    std::string job(trim(part.substr(0, equals)));
    if (std::ranges::find(jobs, job, &JobCounts::value_type::first) != jobs.end())
      return invalid_argument("the job " + quote(job) + " is given twice");
    jobs.emplace_back(std::move(job), *count);
  }
  return jobs;
}

Result<std::vector<std::string>> expand_host_list(std::string_view text, const std::string& key) {
  std::vector<std::string> all;
  for (auto entry : split_outside_brackets(text)) {
    auto hosts = expand_entry(entry);
    if (!hosts || all.size() + hosts->size() > tasks_max)
      return invalid_argument(
          key + " " + quote(text) + ": " + quote(entry) + " is not written as 'tux[1-3,07]'");
    all.insert(all.end(), hosts->begin(), hosts->end());
  }
  return all;
}

Result<ServerDef> slurm_server_def(
    const Environment& environment, const JobCounts& jobs, int port_base) {
  auto task_count = find_number(environment, {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"});
  if (!task_count) return task_count.status();
  auto rank = find_number(environment, {"SLURM_PROCID"});
  if (!rank) return rank.status();
  int wanted = 0;
  for (const auto& [job, count] : jobs) wanted += count;
  if (wanted != *task_count)
    return invalid_argument(
        "the jobs have " + std::to_string(wanted) + " tasks, but Slurm started " +
        std::to_string(*task_count) + " (SLURM_STEP_NUM_TASKS or SLURM_NTASKS)");
  if (*rank >= *task_count)
    return invalid_argument(
        "SLURM_PROCID " + quote(std::to_string(*rank)) + " is not below the number of tasks, " +
        std::to_string(*task_count));
  auto addresses = task_addresses(environment, *task_count, port_base);
  if (!addresses) return addresses.status();

  ServerDef server;
  std::map<std::string, JobTasks> cluster;
  int next = 0;
  for (const auto& [job, count] : jobs)
    for (int task = 0; task < count; ++task, ++next) {
      cluster[job].by_index[task] = addresses->at(static_cast<size_t>(next));
      if (next != *rank) continue;
      server.job = job;
      server.task = task;
    }
  auto spec = ClusterSpec::make(cluster);
  if (!spec) return spec.status();
  server.cluster = *std::move(spec);
  return server;
}

}  // namespace troupe
