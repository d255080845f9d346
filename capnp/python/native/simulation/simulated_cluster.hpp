#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/capnp/python/native/interpreter/owned.hpp"

namespace troupe::python {

/// A simulated cluster that a Python program drives. It runs only while a call waits for it. Only
/// the thread that made it may call, because the order of calls is part of its history; others get
/// FailedPrecondition. Objects of its sessions may be destroyed on any thread.
class SimulatedCluster : public std::enable_shared_from_this<SimulatedCluster> {
 public:
  SimulatedCluster(
      const std::map<std::string, int>& jobs, sim::Seed seed, const sim::Options& options)
      : cluster_(std::make_unique<sim::Cluster>(jobs, seed, options)), seed_(seed) {}

  sim::Seed seed() const { return seed_; }
  /// A session keeps the cluster alive. InvalidArgument: there is no such task. Otherwise as
  /// sim::Cluster::open_session().
  Result<std::unique_ptr<Session>> open_session(
      const std::string& task, const SessionOptions& options);

  /// Calls `work` with the cluster; it returns a Status or a Result. Internal if an invariant is
  /// violated, which names it.
  template <class Work>
  auto call(Work work) -> decltype(work(std::declval<sim::Cluster&>())) {
    if (auto refused = check_thread(); !refused.ok()) return refused;
    std::lock_guard lock(mutex_);
    auto result = work(*cluster_);
    if (const auto& found = cluster_->violation())
      return internal("invariant " + found->name + " is violated: " + found->text);
    return result;
  }
  /// Calls `work` on any thread, while no other call runs.
  template <class Work>
  void lock(Work work) {
    std::lock_guard lock(mutex_);
    work();
  }
  /// Later calls fail with FailedPrecondition. Only on the thread that made it.
  Status close();

 private:
  Status check_thread() const;

  const Owned<sim::Cluster> cluster_;
  const sim::Seed seed_;
  const std::thread::id owner_ = std::this_thread::get_id();
  bool is_closed_ = false;  // only for the owner
  std::mutex mutex_;
};

}  // namespace troupe::python
