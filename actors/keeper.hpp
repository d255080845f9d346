#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/peers.hpp"

namespace troupe {

/// Which things of the cluster live where: on the first task of the cluster, for all. Belongs to
/// the task actor.
///
/// What it knows is lost when its task dies, but the things are not. So the keeper of a new life
/// asks every task what it holds before it gives a place to a thing that no graph pins; who is dead
/// holds nothing, and as long as one is silent, so that nobody can know, the answer is Unavailable.
///
/// KE-1: what it has once said to be at a place is never said to be at another, until those who had
///       it have let go of it.
class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  ~Keeper() { answer_waiting(cancelled("the task that keeps the directory has ended")); }

  void begin(TaskMailbox::pointer self, const TaskSettings& settings, Peers& peers);

  caf::result<Status, Homes> claim(const Claim& claim);
  caf::result<Status> reconcile(const Reconcile& message);

  /// Calls back once it has asked all tasks what they hold; with an error if one is silent.
  void when_known(DoneStatus then);
  /// There may be tasks that it has not asked.
  void doubt() { knows_all_ = false; }
  /// What lived on that task does not live any more.
  void forget(const TaskKey& key);

 private:
  struct Home {
    std::string device;
    uint64_t claimed;  // the number of the latest claim
  };
  using Listed = std::function<void(Result<Held>)>;

  Homes take(const Claim& claim);
  void learn();
  void learned(const Status& status);
  void answer_waiting(const Status& status);
  void ask_held(const TaskKey& key, Listed then);
  void list_held(const TaskKey& key, Listed then);
  void forget(const TaskKey& key, const Reconcile& message, const Held& held, uint64_t before);

  TaskMailbox::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  Peers* peers_ = nullptr;
  std::map<ResourceName, Home> homes_;
  uint64_t claims_ = 0;
  bool knows_all_ = false;
  std::vector<DoneStatus> waiting_;
  ClusterSpec asked_;     // those that it has asked
  size_t waits_for_ = 0;  // answers, while it learns
  Status learning_;
};

}  // namespace troupe
