#include "troupe/graph/cluster_spec.hpp"

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>

#include "troupe/graph/config_json.hpp"
#include "troupe/graph/device_name.hpp"
#include "troupe/graph/text.hpp"

namespace troupe {
namespace {

using nlohmann::json;

/// Collects the tasks of one cluster and refuses what is there twice. `root` begins the key that an
/// error names: "cluster" gives "cluster.worker[1]".
class Collector {
 public:
  explicit Collector(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string key(const std::string& job) const { return root_ + "." + job; }
  std::string key(const std::string& job, int task) const {
    return key(job) + "[" + std::to_string(task) + "]";
  }

  Status check_job(const std::string& job) const {
    if (is_job_name(job)) return {};
    return invalid_argument(
        root_ + ": job " + quote(job) + " must be a letter followed by letters, digits or '_'");
  }

  Status add(const std::string& job, int task, std::string_view text) {
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

  ClusterSpec take() { return ClusterSpec(std::move(jobs_)); }

 private:
  std::string root_;
  std::map<std::string, ClusterSpec::Tasks> jobs_;
  std::map<Address, std::string> owners_;
};

Status add_tasks(Collector& collector, const std::string& job, const json& tasks) {
  if (auto status = collector.check_job(job); !status.ok()) return status;
  // Kubeflow's operator writes null for a job without tasks.
  if (tasks.is_null()) return {};
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

Result<ClusterSpec> parse_object(std::string_view text, Collector collector) {
  auto cluster = parse_config_json(text, collector.root());
  if (!cluster) return cluster.status();
  for (const auto& [job, tasks] : cluster->items())
    if (auto status = add_tasks(collector, job, tasks); !status.ok()) return status;
  return collector.take();
}

Result<ClusterSpec> parse_short_form(std::string_view text, Collector collector) {
  std::set<std::string> seen;
  for (auto part : split(text, ';')) {
    if (part.empty()) continue;
    auto equals = part.find('=');
    if (equals == std::string_view::npos)
      return invalid_argument(
          collector.root() + ": " + quote(part) + " has no '=', expected job=host:port,host:port");
    std::string job(trim(part.substr(0, equals)));
    if (auto status = collector.check_job(job); !status.ok()) return status;
    if (!seen.insert(job).second)
      return invalid_argument(collector.root() + ": the job " + quote(job) + " is given twice");
    int index = 0;
    for (auto address : split(part.substr(equals + 1), ','))
      if (auto status = collector.add(job, index++, address); !status.ok()) return status;
  }
  return collector.take();
}

Result<ClusterSpec> parse_text(std::string_view text, const std::string& key) {
  auto parse = text.starts_with('{') ? parse_object : parse_short_form;
  auto cluster = parse(text, Collector(key));
  if (cluster && cluster->empty())
    return invalid_argument(key + ": " + quote(text) + " has no tasks");
  return cluster;
}

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  std::ostringstream text;
  // A folder opens, and fails here.
  if (file.is_open()) text << file.rdbuf();
  if (errno == 0) return text.str();
  return invalid_argument(
      "cluster file " + quote(path) + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<ClusterSpec> ClusterSpec::parse(std::string_view text, const std::string& key) {
  text = trim(text);
  if (!text.starts_with('@')) return parse_text(text, key);
  std::string path(text.substr(1));
  auto content = read_file(path);
  if (!content) return content.status();
  return parse_text(trim(*content), "cluster file " + quote(path) + ": " + key);
}

Result<Address> ClusterSpec::address(std::string_view job, int task) const {
  auto tasks = jobs_.find(std::string(job));
  if (tasks == jobs_.end())
    return invalid_argument("unknown job " + quote(job) + "; the cluster has: " + job_names());
  auto found = tasks->second.find(task);
  if (found != tasks->second.end()) return found->second;
  return invalid_argument(
      "job " + quote(job) + " has no task " + std::to_string(task) +
      "; it has: " + task_indices(job));
}

std::string ClusterSpec::job_names() const {
  std::string text;
  for (const auto& [job, tasks] : jobs_) text += (text.empty() ? "" : ", ") + job;
  return text;
}

std::string ClusterSpec::task_indices(std::string_view job) const {
  std::string text;
  auto tasks = jobs_.find(std::string(job));
  if (tasks == jobs_.end()) return text;
  for (auto it = tasks->second.begin(), end = tasks->second.end(); it != end;) {
    int first = it->first;
    int last = first;
    for (++it; it != end && it->first == last + 1; ++it) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  return text;
}

std::string ClusterSpec::to_json() const {
  auto cluster = json::object();
  for (const auto& [job, tasks] : jobs_) {
    // Indices without gaps read best as a list.
    bool is_list = tasks.empty() || tasks.rbegin()->first == static_cast<int>(tasks.size()) - 1;
    auto& written = cluster[job] = is_list ? json::array() : json::object();
    for (const auto& [index, address] : tasks)
      if (is_list) written.push_back(address.to_string());
      else written[std::to_string(index)] = address.to_string();
  }
  return cluster.dump();
}

}  // namespace troupe
