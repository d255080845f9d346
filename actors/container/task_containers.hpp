#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "troupe/actors/container/container_actor.hpp"
#include "troupe/actors/gather.hpp"
#include "troupe/actors/task/task_protocol.hpp"

namespace troupe {

/// The containers of one task. An actor is spawned for a container when the first resource is
/// committed to it. Belongs to the task actor.
///
/// Calls back in the task actor. What is called first reaches each container first.
class TaskContainers {
 public:
  TaskContainers() = default;
  TaskContainers(const TaskContainers&) = delete;
  ~TaskContainers();

  void begin(TaskProtocol::pointer self, const TaskSettings& settings);

  void bind(const Bind& call, std::function<void(Status, Bindings)> then);
  /// All resources, or none where it fails.
  void commit(const Commit& call, DoneStatus then);
  /// Calls back once no container holds them any more, or will go on to.
  void withdraw(const Withdraw& call, std::function<void()> then);
  /// Calls back once their resources are dropped.
  void reset(const ContainerChoice& chosen, std::function<void()> then);
  /// Ends the private containers of the session; false if it has none.
  bool end_private(uint64_t session);

  void list(std::function<void(TaskResources)> then) const;
  /// Without those of private containers.
  void list_held(std::function<void(HeldResources)> then) const;

 private:
  ContainerActor& container(const std::string& name);
  using Count = std::shared_ptr<Gather<bool>>;  // of answers without a value
  static Count make_count(std::function<void()> then);
  template <class Message>
  void request(const ContainerActor& actor, Message message, const Count& all);

  TaskProtocol::pointer self_ = nullptr;
  const TaskSettings* settings_ = nullptr;
  std::map<std::string, ContainerActor> containers_;
};

}  // namespace troupe
