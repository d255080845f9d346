#pragma once

#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/keeper.hpp"
#include "troupe/actors/peers.hpp"

namespace troupe {

/// The cluster's directory of things in containers, as one task sees it: it asks the keeper where
/// things live, and before something new is made here. The keeper is the first task of the cluster,
/// by job and index, as far as this task knows the cluster; one that knows an earlier task asks
/// that. Belongs to the task actor.
///
/// DI-1: a thing that no graph pins is made here only after the keeper, of its present life, has
///       said that it lives here.
/// DI-2: one that is pinned to this task is also made where the keeper is out of reach.
class Directory {
 public:
  void begin(TaskMailbox::pointer self, const TaskSettings& settings, Peers& peers);

  caf::result<Status, Homes> claim(const Claim& claim);
  caf::result<Status> reconcile(const Reconcile& message);
  Held list_held();

  /// Says whether those things may be on that device of the task. New ones are held from then on.
  void hold(const std::string& device, const std::vector<ResourceUse>& uses, DoneStatus then);
  /// Nothing of those containers is held any more.
  void release(const ContainerChoice& containers);

 private:
  using Names = std::vector<ResourceName>;
  using Answered = std::function<void(Result<Homes>)>;

  bool is_keeper() const;
  void ask_keeper(const Claim& claim, Answered then);
  void ask_keeper_if_there(const Claim& claim, Answered then);
  void hold_new(const std::string& device, const Names& names, bool is_pinned, DoneStatus then);

  TaskMailbox::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  Peers* peers_ = nullptr;
  TaskKey keeper_task_;
  Keeper keeper_;
  uint64_t changes_ = 0;  // that make what the keeper said before doubtful
};

/// The container that only a session sees, in place of the one that its graph names.
std::string private_container(uint64_t session, const std::string& container);
bool is_private(const std::string& container);
bool is_private_of(uint64_t session, const std::string& container);

}  // namespace troupe
