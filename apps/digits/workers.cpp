#include "troupe/apps/digits/workers.hpp"

#include <chrono>

namespace troupe::digits {

namespace {

// For nodes that were started just now.
constexpr std::chrono::seconds connect_timeout{5};

/// The targets of the workers of the cluster that `target` belongs to.
Result<std::vector<std::string>> find_workers(const std::string& target) {
  auto client = Client::connect(target, {.timeout = connect_timeout});
  if (!client) return client.status();
  auto cluster = (*client)->cluster();
  if (!cluster) return cluster.status();
  std::vector<std::string> targets;
  auto workers = cluster->jobs().find("worker");
  if (workers == cluster->jobs().end())
    return invalid_argument("the cluster of " + target + " has no job 'worker'");
  for (const auto& [task, address] : workers->second)
    targets.push_back("troupe://" + address.to_string());
  return targets;
}

}  // namespace

Result<Workers> Workers::connect(
    const std::vector<std::string>& targets, std::optional<int> count) {
  Workers workers;
  workers.names_ = targets;
  if (targets.size() == 1) {
    auto found = find_workers(targets[0]);
    if (!found) return found.status();
    workers.names_ = *found;
  }
  auto all = workers.names_.size();
  auto wanted = count ? static_cast<size_t>(*count) : all;
  if (wanted > all)
    return invalid_argument(
        "--workers " + std::to_string(wanted) + ", but there are " + std::to_string(all));
  workers.names_.resize(wanted);
  for (const auto& target : workers.names_) {
    auto client = Client::connect(target, {.timeout = connect_timeout});
    if (!client) return client.status();
    auto session = (*client)->session();
    if (!session) return session.status();
    workers.clients_.push_back(*std::move(client));
    workers.sessions_.push_back(*std::move(session));
  }
  return workers;
}

Result<Workers> Workers::start_local(int count) {
  Workers workers;
  workers.cluster_ =
      std::make_unique<LocalCluster>(std::map<std::string, int>{{"ps", 1}, {"worker", count}});
  for (int task = 0; task < count; ++task) {
    auto session = workers.cluster_->session("worker", task);
    if (!session) return session.status();
    workers.sessions_.push_back(*std::move(session));
    workers.names_.push_back("this process");
  }
  return workers;
}

Status Workers::close() {
  Status first;
  for (auto& session : sessions_)
    if (auto status = session->close(); first.ok()) first = status;
  return first;
}

}  // namespace troupe::digits
