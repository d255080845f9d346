#include "troupe/graph/cluster/server_def.hpp"

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

Result<std::string> resolve_job(const ServerDef& def) {
  if (!def.job.empty()) return def.job;
  if (def.cluster.jobs().size() == 1) return def.cluster.jobs().begin()->first;
  return invalid_argument(
      "no job is given, and the cluster has several: " + def.cluster.job_names());
}

Result<int> resolve_index(const ServerDef& def, const std::string& job) {
  auto tasks = def.cluster.job_tasks(job);
  if (!tasks) return tasks.status();
  if (def.task) return *def.task;
  if (tasks->size() == 1) return tasks->begin()->first;
  return invalid_argument(
      "no task index is given, and job " + quote(job) + " has: " + index_ranges(*tasks));
}

/// Only a server knows the port that the system chose for it.
Status check_ports(const ClusterSpec& cluster, const std::string& own_job, int own_task) {
  for (const auto& [job, tasks] : cluster.jobs())
    for (const auto& [task, address] : tasks)
      if (address.port == 0 && (job != own_job || task != own_task))
        return invalid_argument(
            "the address of " + task_name(job, task) + " is " + address.to_string() +
            ", whose port the system chooses, so that " + task_name(own_job, own_task) +
            " could not find it: give each task of a cluster a port");
  return {};
}

}  // namespace

ServerDef ServerDef::or_else(const ServerDef& fallback) const {
  ServerDef both{
      .cluster = cluster.empty() ? fallback.cluster : cluster,
      .job = job.empty() ? fallback.job : job,
      .task = task,
      .protocol = protocol.empty() ? fallback.protocol : protocol};
  bool is_same_job = fallback.job.empty() || fallback.job == both.job;
  if (!both.task && is_same_job) both.task = fallback.task;
  return both;
}

Result<TaskConfig> ServerDef::resolve() const {
  if (auto status = check_protocol(protocol, "the protocol"); !status.ok()) return status;
  if (cluster.empty()) return invalid_argument("no cluster is given");
  auto found_job = resolve_job(*this);
  if (!found_job) return found_job.status();
  auto index = resolve_index(*this, *found_job);
  if (!index) return index.status();
  auto address = cluster.task_address(*found_job, *index);
  if (!address) return address.status();
  if (auto status = check_ports(cluster, *found_job, *index); !status.ok()) return status;
  return TaskConfig{.cluster = cluster, .job = *std::move(found_job), .task = *index};
}

Status check_protocol(std::string_view protocol, const std::string& key) {
  if (protocol.empty() || protocol == "troupe" || protocol == "grpc") return {};
  return invalid_argument(
      key + " is " + quote(protocol) + ", expected 'troupe', or 'grpc' for the same");
}

}  // namespace troupe
