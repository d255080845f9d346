#pragma once

#include <list>
#include <memory>
#include <optional>

#include <caf/all.hpp>

#include "troupe/actors/device/device_plan.hpp"
#include "troupe/actors/device/device_protocol.hpp"

namespace troupe {

/// The registrations of a device that are not answered yet. Each waits for its resources, and for
/// connections to the tasks that its partition sends to and receives from. (A task that it receives
/// from must be connected, too: only then is the device told when that task is lost.) Belongs to
/// the device actor.
///
/// A plan is compiled against resources of which those that did not exist are only made. They are
/// committed, so that others see them, when the plan is compiled. A large partition is checked and
/// compiled beside the actor (World::run_in_background).
///
/// RG-1: each registration is answered once: when its plan is added, when it fails, or when it is
///       cancelled.
/// RG-2: a registration that fails or is cancelled leaves no resource in a container.
class PendingRegistrations {
 public:
  /// Adds the plan, and the resources that were created for it, to its session; an error if that
  /// has ended. The message has no nodes any more.
  using AddPlan = std::function<Status(const Register&, std::shared_ptr<DevicePlan>, NewResources)>;

  void begin(
      DeviceProtocol::pointer self, const TaskActor& task, const DeviceSettings& settings,
      AddPlan add_plan);

  /// Adds the registration of the message that is being handled, and returns its answer. `kernels`
  /// are those of its session.
  caf::result<Status, Registered> add(
      Register& message, const std::shared_ptr<SessionKernels>& kernels);

  /// Cancels the registrations of one plan, or of the whole session.
  void cancel(SessionId session, std::optional<PlanId> plan, const Status& why);
  /// Cancels the registrations that need the task: they may have found its actors, which are lost.
  void peer_lost(const std::string& task, const Status& why);

 private:
  struct Registration;
  using Pointer = std::shared_ptr<Registration>;
  using Next = void (PendingRegistrations::*)(const Pointer&);

  Where where() const;
  void run_in_background(const Pointer& registration, std::function<Status()> work, Next next);
  void proceed(const Pointer& registration, const Status& status, Next next);
  static Status make_graph(Registration& registration);
  void find_dependencies(const Pointer& registration);
  Status bind_resources(const Pointer& registration);
  void find_peers(const Pointer& registration);
  void arrived(const Pointer& registration, const Status& status);
  void compile(const Pointer& registration);
  void compiled(const Pointer& registration);
  void commit(const Pointer& registration);
  void committed(const Pointer& registration, const Status& status);
  void finish(const Pointer& registration, const Status& status);
  void answer(Registration& registration, const Status& status);
  void cancel_where(
      const std::function<bool(const Registration&)>& is_cancelled, const Status& why);

  DeviceProtocol::pointer self_ = nullptr;
  TaskActor task_;
  DeviceSettings settings_;
  AddPlan add_plan_;
  std::list<Pointer> pending_;
};

}  // namespace troupe
