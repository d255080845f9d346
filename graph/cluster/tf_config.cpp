#include "troupe/graph/cluster/tf_config.hpp"

#include <nlohmann/json.hpp>

#include "troupe/graph/support/config_json.hpp"
#include "troupe/graph/support/text.hpp"

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

/// A number, or its digits in a string, as some launchers write it.
Result<std::optional<int>> index_at(const json& task) {
  auto found = task.find("index");
  if (found == task.end()) return std::optional<int>();
  auto digits = found->is_string() ? found->get<std::string>() : found->dump();
  if (auto index = parse_number(digits)) return index;
  return wrong_value("TF_CONFIG task.index", *found, "a number from 0");
}

Status add_task(ServerDef& server, const json& root) {
  auto task = root.find("task");
  if (task == root.end()) return {};
  if (!task->is_object())
    return wrong_value("TF_CONFIG task", *task, R"(an object {"type": "worker", "index": 0})");
  auto job = text_at(*task, "type", "TF_CONFIG task.type");
  if (!job) return job.status();
  auto index = index_at(*task);
  if (!index) return index.status();
  server.job = *std::move(job);
  server.task = *index;
  return {};
}

int count(const ClusterSpec& cluster, const std::string& job) {
  auto tasks = cluster.num_tasks(job);
  return tasks ? *tasks : 0;
}

/// The job of the chief; empty where worker 0 is it.
Result<std::string> chief_job(const ClusterSpec& cluster) {
  auto chiefs = count(cluster, "chief");
  auto masters = count(cluster, "master");
  if (chiefs > 0 && masters > 0)
    return invalid_argument(
        "TF_CONFIG cluster has the jobs 'chief' and 'master', which are two names for one");
  if (chiefs + masters > 1)
    return invalid_argument(
        "TF_CONFIG cluster." + std::string(chiefs > 0 ? "chief" : "master") + " has " +
        std::to_string(chiefs + masters) + " tasks, expected one");
  return std::string(chiefs > 0 ? "chief" : masters > 0 ? "master" : "");
}

Status check_evaluator(const ServerDef& server) {
  if (count(server.cluster, "evaluator") > 0)
    return invalid_argument(
        "TF_CONFIG cluster has the job 'evaluator', but an evaluator is no task of the cluster: "
        "leave it out there");
  if (server.job == "evaluator" && server.task.value_or(0) != 0)
    return invalid_argument(
        "TF_CONFIG task.index is " + std::to_string(*server.task) + ", but there is one evaluator");
  return {};
}

Result<Role> role_without_cluster(const ServerDef& server) {
  if (!server.job.empty() && server.job != "worker")
    return invalid_argument(
        "TF_CONFIG task.type is " + quote(server.job) +
        ", expected 'worker' where 'cluster' is missing");
  if (server.task.value_or(0) != 0)
    return invalid_argument(
        "TF_CONFIG task.index is " + std::to_string(*server.task) +
        ", expected 0 where 'cluster' is missing");
  return Role{.task = {.cluster = {}, .job = "worker", .task = 0}, .is_chief = true};
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
  auto protocol = text_at(*root, "rpc_layer", "TF_CONFIG rpc_layer");
  if (!protocol) return protocol.status();
  if (auto status = check_protocol(*protocol, "TF_CONFIG rpc_layer"); !status.ok()) return status;

  TfConfig config;
  config.server.cluster = *std::move(cluster);
  config.server.protocol = *std::move(protocol);
  config.environment = *std::move(environment);
  if (auto status = add_task(config.server, *root); !status.ok()) return status;
  return config;
}

Result<TfConfig> TfConfig::read(const Environment& environment) {
  auto json = variable(environment, "TF_CONFIG");
  return json.empty() ? TfConfig() : parse(json);
}

Result<Role> Role::of(const TfConfig& config) {
  const auto& server = config.server;
  if (auto status = check_evaluator(server); !status.ok()) return status;
  if (server.cluster.empty()) return role_without_cluster(server);
  auto chief = chief_job(server.cluster);
  if (!chief) return chief.status();

  Role role;
  role.num_ps = count(server.cluster, "ps");
  role.num_workers = count(server.cluster, "worker") + (chief->empty() ? 0 : 1);
  if (server.job == "evaluator") {
    role.is_evaluator = true;
    role.task.job = server.job;
    return role;
  }
  auto task = server.resolve();
  if (!task) return invalid_argument("TF_CONFIG: " + task.status().message());
  role.task = *std::move(task);
  role.is_ps = role.task.job == "ps";
  role.is_chief =
      chief->empty() ? role.task.job == "worker" && role.task.task == 0 : role.task.job == *chief;
  return role;
}

}  // namespace troupe
