#include "troupe/apps/digits/workers.hpp"

#include <chrono>
#include <utility>

namespace troupe::digits {

namespace {

// Nodes may still be starting.
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

/// Shares a session with Workers, so that close_all() can close it.
class SharedSession final : public BasicSession {
 public:
  explicit SharedSession(std::shared_ptr<BasicSession> session) : session_(std::move(session)) {}

  Status extend(const Graph& graph) override { return session_->extend(graph); }
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets, const RunOptions& options) override {
    return session_->run(feeds, fetches, targets, options);
  }
  Status close() override { return session_->close(); }

 private:
  std::shared_ptr<BasicSession> session_;
};

Result<std::unique_ptr<BasicSession>> connect_session(const std::string& target) {
  auto client = Client::connect(target, {.timeout = connect_timeout});
  return client ? (*client)->session() : client.status();
}

}  // namespace

Result<std::unique_ptr<Workers>> Workers::connect(
    const std::vector<std::string>& targets, std::optional<int> count) {
  std::unique_ptr<Workers> workers(new Workers());
  workers->names_ = targets;
  if (targets.size() == 1) {
    auto found = find_workers(targets[0]);
    if (!found) return found.status();
    workers->names_ = *found;
  }
  auto all = workers->names_.size();
  auto wanted = count ? static_cast<size_t>(*count) : all;
  if (wanted > all)
    return invalid_argument(
        "--workers " + std::to_string(wanted) + ", but there are " + std::to_string(all));
  workers->names_.resize(wanted);
  return workers;
}

std::unique_ptr<Workers> Workers::start_local(int count) {
  std::unique_ptr<Workers> workers(new Workers());
  workers->cluster_ =
      std::make_unique<LocalCluster>(std::map<std::string, int>{{"ps", 1}, {"worker", count}});
  workers->names_.assign(static_cast<size_t>(count), "this process");
  return workers;
}

Result<std::unique_ptr<BasicSession>> Workers::open(int worker) {
  auto session = cluster_ ? cluster_->session("worker", worker)
                          : connect_session(names_[static_cast<size_t>(worker)]);
  if (!session) return session;
  std::shared_ptr<BasicSession> shared = *std::move(session);
  std::lock_guard lock(mutex_);
  std::erase_if(open_, [](const auto& other) { return other.expired(); });
  open_.push_back(shared);
  return std::unique_ptr<BasicSession>(std::make_unique<SharedSession>(std::move(shared)));
}

void Workers::close_all() {
  std::vector<std::shared_ptr<BasicSession>> sessions;
  {
    std::lock_guard lock(mutex_);
    for (const auto& session : open_)
      if (auto alive = session.lock()) sessions.push_back(std::move(alive));
  }
  // The training reports the error that made it stop, not this one.
  for (const auto& session : sessions) static_cast<void>(session->close());
}

}  // namespace troupe::digits
