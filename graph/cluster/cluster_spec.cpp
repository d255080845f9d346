#include "troupe/graph/cluster/cluster_spec.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/config_json.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

using nlohmann::json;

/// Collects the tasks of one cluster and rejects duplicates. `root` begins the key that an error
/// names: "cluster" gives "cluster.worker[1]".
class Collector {
 public:
  explicit Collector(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string key(const std::string& job) const { return root_ + "." + job; }
  std::string key(const std::string& job, int task) const {
    return key(job) + "[" + std::to_string(task) + "]";
  }

  Status add_job(const std::string& job) {
    if (!is_job_name(job))
      return invalid_argument(
          root_ + ": job " + quote(job) + " must be a letter followed by letters, digits or '_'");
    jobs_[job];
    return {};
  }

  Status add(const std::string& job, int task, std::string_view text) {
    if (task < 0) return invalid_argument(key(job, task) + ": an index is a number from 0");
    auto address = Address::parse(text);
    if (!address) return invalid_argument(key(job, task) + ": " + address.status().message());
    auto [owner, is_new] = owners_.emplace(*address, key(job, task));
    // Tasks with port 0 get different ports, whatever their hosts.
    if (!is_new && address->port != 0)
      return invalid_argument(
          key(job, task) + ": address " + quote(text) + " is already that of " + owner->second);
    if (!jobs_[job].emplace(task, *address).second)
      return invalid_argument(key(job, task) + " is given twice");
    return {};
  }

  ClusterSpec::Jobs take() { return std::move(jobs_); }

 private:
  std::string root_;
  ClusterSpec::Jobs jobs_;
  std::map<Address, std::string> owners_;
};

Status add_tasks(Collector& collector, const std::string& job, const json& tasks) {
  // Kubeflow's operator writes null for a job that there is not.
  if (tasks.is_null()) return {};
  if (auto status = collector.add_job(job); !status.ok()) return status;
  if (!tasks.is_array() && !tasks.is_object())
    return wrong_value(
        collector.key(job), tasks,
        R"(a list ["host:port", ...] or an object {"index": "host:port", ...})");
  for (const auto& [name, address] : tasks.items()) {
    auto index = parse_number(name);
    if (!index)
      return invalid_argument(
          collector.key(job) + ": the task index " + quote(name) + " is not a number from 0");
    if (!address.is_string())
      return wrong_value(collector.key(job, *index), address, R"("host:port")");
    auto status = collector.add(job, *index, address.get<std::string>());
    if (!status.ok()) return status;
  }
  return {};
}

Status add_object(Collector& collector, std::string_view text) {
  auto cluster = parse_config_json(text, collector.root());
  if (!cluster) return cluster.status();
  for (const auto& [job, tasks] : cluster->items())
    if (auto status = add_tasks(collector, job, tasks); !status.ok()) return status;
  return {};
}

Status add_short_form(Collector& collector, std::string_view text) {
  std::set<std::string> seen;
  for (auto part : split(text, ';')) {
    if (part.empty()) continue;
    auto equals = part.find('=');
    if (equals == std::string_view::npos)
      return invalid_argument(
          collector.root() + ": " + quote(part) + " has no '=', expected job=host:port,host:port");
    std::string job(trim(part.substr(0, equals)));
    if (auto status = collector.add_job(job); !status.ok()) return status;
    if (!seen.insert(job).second)
      return invalid_argument(collector.root() + ": the job " + quote(job) + " is given twice");
    int index = 0;
    for (auto address : split(part.substr(equals + 1), ','))
      if (auto status = collector.add(job, index++, address); !status.ok()) return status;
  }
  return {};
}

struct Source {
  std::string text;
  std::string key;
};

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  std::ostringstream text;
  // A folder can be opened; reading it fails here.
  if (file.is_open()) text << file.rdbuf();
  if (errno == 0) return text.str();
  return invalid_argument(
      "cluster file " + quote(path) + ": " + std::generic_category().message(errno));
}

/// The text to parse, given directly or read from a file.
Result<Source> find_source(std::string_view given, const std::string& key) {
  given = trim(given);
  if (!given.starts_with('@')) return Source{.text = std::string(given), .key = key};
  std::string path(given.substr(1));
  auto content = read_file(path);
  if (!content) return content.status();
  return Source{
      .text = std::string(trim(*content)), .key = "cluster file " + quote(path) + ": " + key};
}

}  // namespace

JobTasks::JobTasks(const std::vector<std::string>& in_order) {
  int index = 0;
  for (const auto& address : in_order) by_index.emplace(index++, address);
}

ClusterSpec::ClusterSpec() {
  static const auto none = std::make_shared<const Jobs>();
  jobs_ = none;
}

Result<ClusterSpec> ClusterSpec::make(
    const std::map<std::string, JobTasks>& jobs, const std::string& key) {
  Collector collector(key);
  for (const auto& [job, tasks] : jobs) {
    if (auto status = collector.add_job(job); !status.ok()) return status;
    for (const auto& [index, address] : tasks.by_index)
      if (auto status = collector.add(job, index, address); !status.ok()) return status;
  }
  return ClusterSpec(collector.take());
}

Result<ClusterSpec> ClusterSpec::parse(std::string_view text, const std::string& key) {
  auto source = find_source(text, key);
  if (!source) return source.status();
  auto add = source->text.starts_with('{') ? add_object : add_short_form;
  Collector collector(source->key);
  if (auto status = add(collector, source->text); !status.ok()) return status;
  ClusterSpec cluster(collector.take());
  if (!cluster.empty()) return cluster;
  return invalid_argument(source->key + ": " + quote(source->text) + " has no tasks");
}

bool ClusterSpec::empty() const {
  return std::ranges::all_of(*jobs_, [](const auto& job) { return job.second.empty(); });
}

Result<const ClusterSpec::Tasks*> ClusterSpec::find_job(std::string_view job) const {
  auto tasks = jobs_->find(std::string(job));
  if (tasks != jobs_->end()) return &tasks->second;
  return invalid_argument("unknown job " + quote(job) + "; the cluster has: " + job_names());
}

Result<ClusterSpec::Tasks> ClusterSpec::job_tasks(std::string_view job) const {
  auto tasks = find_job(job);
  if (!tasks) return tasks.status();
  return **tasks;
}

Result<int> ClusterSpec::num_tasks(std::string_view job) const {
  auto tasks = find_job(job);
  if (!tasks) return tasks.status();
  return static_cast<int>((*tasks)->size());
}

Result<std::vector<int>> ClusterSpec::task_indices(std::string_view job) const {
  auto tasks = find_job(job);
  if (!tasks) return tasks.status();
  std::vector<int> indices;
  for (const auto& [index, address] : **tasks) indices.push_back(index);
  return indices;
}

Result<Address> ClusterSpec::task_address(std::string_view job, int task) const {
  auto tasks = find_job(job);
  if (!tasks) return tasks.status();
  auto found = (*tasks)->find(task);
  if (found != (*tasks)->end()) return found->second;
  return invalid_argument(
      "job " + quote(job) + " has no task " + std::to_string(task) +
      "; it has: " + index_ranges(**tasks));
}

ClusterSpec ClusterSpec::with_address(const std::string& job, int task, Address address) const {
  auto jobs = *jobs_;
  jobs[job][task] = std::move(address);
  return ClusterSpec(std::move(jobs));
}

ClusterSpec ClusterSpec::with(const ClusterSpec& others) const {
  if (others.jobs_->empty()) return *this;
  auto jobs = *jobs_;
  for (const auto& [job, tasks] : *others.jobs_) jobs[job].insert(tasks.begin(), tasks.end());
  return ClusterSpec(std::move(jobs));
}

ClusterSpec ClusterSpec::without(const std::string& job, int task) const {
  if (!jobs_->contains(job)) return *this;
  auto jobs = *jobs_;
  auto tasks = jobs.find(job);
  tasks->second.erase(task);
  if (tasks->second.empty()) jobs.erase(tasks);
  return ClusterSpec(std::move(jobs));
}

std::string ClusterSpec::job_names() const {
  std::string text;
  for (const auto& [job, tasks] : *jobs_) text += (text.empty() ? "" : ", ") + job;
  return text;
}

std::string ClusterSpec::to_json() const {
  auto cluster = json::object();
  for (const auto& [job, tasks] : *jobs_) {
    // Indices without gaps read best as a list.
    bool is_list = tasks.empty() || tasks.rbegin()->first == static_cast<int>(tasks.size()) - 1;
    auto& written = cluster[job] = is_list ? json::array() : json::object();
    for (const auto& [index, address] : tasks)
      if (is_list) written.push_back(address.to_string());
      else written[std::to_string(index)] = address.to_string();
  }
  return cluster.dump();
}

std::string index_ranges(const ClusterSpec::Tasks& tasks) {
  std::string text;
  for (auto it = tasks.begin(); it != tasks.end();) {
    int first = it->first;
    int last = first;
    for (++it; it != tasks.end() && it->first == last + 1; ++it) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  return text.empty() ? "none" : text;
}

}  // namespace troupe
