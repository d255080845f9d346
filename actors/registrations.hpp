#pragma once

#include <list>
#include <memory>
#include <optional>

#include <caf/all.hpp>

#include "troupe/actors/device_mailbox.hpp"
#include "troupe/actors/registered_plan.hpp"

namespace troupe {

/// Partitions on their way to become plans of a device: each waits for its resources and for the
/// tasks that it sends to and receives from. Those it receives from it must know, too, to be told
/// when what they have sent is lost. Belongs to the device actor.
///
/// RG-1: each is answered once, whether it becomes a plan, fails, or is ended.
class Registrations {
 public:
  /// Takes the plan; an error says why it is not wanted any more. The message's nodes are gone.
  using Made = std::function<Status(const Register&, std::shared_ptr<RegisteredPlan>)>;

  void begin(
      DeviceMailbox::pointer self, const TaskActor& task, const DeviceSettings& settings,
      Made made);

  /// The answer to the message that is being handled.
  caf::result<Status> add(Register& message);

  /// Ends those of one plan, or of the whole session: what they waited for is not wanted any more.
  void end(SessionId session, std::optional<PlanId> plan, const Status& why);
  /// Ends those that talk to the task: they may have its handle already, which leads nowhere.
  void lose(const std::string& task, const Status& why);

 private:
  struct Registration;
  using Pointer = std::shared_ptr<Registration>;

  Where where() const;
  void bind_resources(const Pointer& registration);
  void find_peers(const Pointer& registration);
  void arrived(const Pointer& registration, const Status& status);
  Status finish(Registration& registration);
  void answer(Registration& registration, const Status& status);
  void end_where(const std::function<bool(const Registration&)>& is_over, const Status& why);

  DeviceMailbox::pointer self_ = nullptr;
  TaskActor task_;
  DeviceSettings settings_;
  Made made_;
  std::list<Pointer> open_;
};

}  // namespace troupe
