#include "troupe/graph/task_config.hpp"

#include <nlohmann/json.hpp>

#include "troupe/graph/config_json.hpp"
#include "troupe/graph/text.hpp"

namespace troupe {
namespace {

using nlohmann::json;

/// Empty where TF_CONFIG has no cluster, as for a program of one process.
Result<ClusterSpec> cluster_at(const json& root) {
  for (std::string name : {"cluster", "sparseCluster"}) {
    auto found = root.find(name);
    if (found == root.end()) continue;
    auto key = "TF_CONFIG " + name;
    if (!found->is_object())
      return wrong_value(key, *found, R"(an object {"job": ["host:port", ...], ...})");
    if (!found->empty()) return ClusterSpec::parse(found->dump(), key);
  }
  return ClusterSpec();
}

/// Empty where the key is missing.
Result<std::string> text_at(const json& object, const char* name, const std::string& key) {
  auto found = object.find(name);
  if (found == object.end()) return std::string();
  if (!found->is_string()) return wrong_value(key, *found, "a string");
  return found->get<std::string>();
}

/// A number, or its digits in a string, as some launchers write it; -1 where the key is missing.
Result<int> index_at(const json& task) {
  auto found = task.find("index");
  if (found == task.end()) return -1;
  auto digits = found->is_string() ? found->get<std::string>() : found->dump();
  if (auto index = parse_number(digits)) return *index;
  return wrong_value("TF_CONFIG task.index", *found, "a number from 0");
}

/// The task's index where no flag gives it; -1 where it cannot be told.
int index_of(const ClusterSpec& cluster, const std::string& job, const TfConfig& environment) {
  // An index says nothing about another job than the one it was written for.
  bool same_job = environment.job.empty() || environment.job == job;
  if (same_job && environment.task >= 0) return environment.task;
  auto tasks = cluster.jobs().find(job);
  bool is_single = tasks != cluster.jobs().end() && tasks->second.size() == 1;
  return is_single ? tasks->second.begin()->first : -1;
}

}  // namespace

Result<TfConfig> TfConfig::parse(std::string_view text) {
  auto root = parse_config_json(text, "TF_CONFIG");
  if (!root) return root.status();
  if (!root->is_object()) return wrong_value("TF_CONFIG", *root, "an object");
  auto cluster = cluster_at(*root);
  if (!cluster) return cluster.status();
  auto environment = text_at(*root, "environment", "TF_CONFIG environment");
  if (!environment) return environment.status();

  TfConfig config{.cluster = *std::move(cluster), .environment = *std::move(environment)};
  auto task = root->find("task");
  if (task == root->end()) return config;
  if (!task->is_object())
    return wrong_value("TF_CONFIG task", *task, R"(an object {"type": "worker", "index": 0})");
  auto job = text_at(*task, "type", "TF_CONFIG task.type");
  if (!job) return job.status();
  auto index = index_at(*task);
  if (!index) return index.status();
  config.job = *std::move(job);
  config.task = *index;
  return config;
}

Result<TaskConfig> resolve_task(const TfConfig& flags, const TfConfig& environment) {
  const auto& cluster = flags.cluster.empty() ? environment.cluster : flags.cluster;
  if (cluster.empty())
    return invalid_argument("no cluster: give --cluster, or TF_CONFIG with the key 'cluster'");

  auto job = flags.job.empty() ? environment.job : flags.job;
  if (job.empty() && cluster.jobs().size() == 1) job = cluster.jobs().begin()->first;
  if (job.empty())
    return invalid_argument(
        "no job: give --job, or TF_CONFIG with the key 'task.type'; the cluster has: " +
        cluster.job_names());
  if (!cluster.jobs().contains(job)) return cluster.address(job, 0).status();

  int task = flags.task >= 0 ? flags.task : index_of(cluster, job, environment);
  if (task < 0)
    return invalid_argument(
        "no task index: give --task, or TF_CONFIG with the key 'task.index'; job " + quote(job) +
        " has: " + cluster.task_indices(job));
  if (auto address = cluster.address(job, task); !address) return address.status();
  return TaskConfig{.cluster = cluster, .job = std::move(job), .task = task};
}

}  // namespace troupe
