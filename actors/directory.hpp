#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/error.hpp"
#include "troupe/actors/keeper.hpp"
#include "troupe/actors/peers.hpp"

namespace troupe {

/// The cluster's directory of things in containers, as one task sees it: it asks the keeper where
/// things live, and before something new is made here. The keeper is the first task of the cluster,
/// by job and index, as far as this task knew the cluster when it began; one that knows an earlier
/// task asks that. Who joins a running cluster is told. Belongs to the task actor.
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

  bool is_keeper() const { return keeper_task_ == TaskKey(peers_->me.job, peers_->me.task); }
  const TaskKey& keeper_task() const { return keeper_task_; }
  /// On the keeper only.
  Keeper& keeper() { return keeper_; }
  /// Asks the keeper from another task; an error names the keeper.
  template <class... Answer, class Message>
  void ask_keeper(
      const Message& message, std::type_identity_t<std::function<void(Status, Answer...)>> then);
  /// Answers the present call with what the keeper answers.
  template <class... Answer, class Message>
  caf::result<Status, Answer...> forward_to_keeper(const Message& message);

  /// Says whether those things may be on that device of the task. New ones are held from then on.
  void hold(const std::string& device, const std::vector<ResourceUse>& uses, DoneStatus then);
  /// Nothing of those containers is held any more.
  void release(const ContainerChoice& containers);

 private:
  using Names = std::vector<ResourceName>;
  using Answered = std::function<void(Status, Homes)>;

  void ask_keeper_if_there(const Claim& claim, Answered then);
  Status unaskable(const Status& why) const;
  void hold_new(const std::string& device, const Names& names, bool is_pinned, DoneStatus then);

  TaskMailbox::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  Peers* peers_ = nullptr;
  TaskKey keeper_task_;
  Keeper keeper_;
  uint64_t changes_ = 0;  // that make what the keeper said before doubtful
};

template <class... Answer, class Message>
void Directory::ask_keeper(
    const Message& message, std::type_identity_t<std::function<void(Status, Answer...)>> then) {
  auto timeout = settings_->connect_timeout;
  peers_->reach(keeper_task_, timeout, [=, this](const Result<TaskActor>& keeper) {
    if (!keeper) return then(unaskable(keeper.status()), Answer()...);
    self_->request(*keeper, 4 * timeout, message)
        .then(
            [then](Status& status, Answer&... answer) {
              then(std::move(status), std::move(answer)...);
            },
            [this, then](const caf::error& error) {
              then(unaskable(to_status(error)), Answer()...);
            });
  });
}

template <class... Answer, class Message>
caf::result<Status, Answer...> Directory::forward_to_keeper(const Message& message) {
  auto promise = self_->make_response_promise<Status, Answer...>();
  ask_keeper<Answer...>(message, [promise](Status status, Answer... answer) mutable {
    promise.deliver(std::move(status), std::move(answer)...);
  });
  return promise;
}

/// The container that only a session sees, in place of the one that its graph names.
std::string private_container(uint64_t session, const std::string& container);
bool is_private(const std::string& container);
bool is_private_of(uint64_t session, const std::string& container);

}  // namespace troupe
