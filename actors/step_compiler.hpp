#pragma once

#include <functional>
#include <memory>
#include <set>

#include <caf/all.hpp>

#include "troupe/actors/compiled_step.hpp"
#include "troupe/actors/session_actor.hpp"
#include "troupe/actors/session_mailbox.hpp"

namespace troupe {

/// Makes steps of a session ready to run: finds the tasks that they use, places and cuts them, and
/// registers the parts with the device actors. Belongs to the session actor.
class StepCompiler {
 public:
  using Done = std::function<void(const Status&)>;
  /// Told of each part before it is registered.
  using Registering = std::function<void(const CompiledStep::Part&)>;

  /// The settings must outlive it; their view may change between calls.
  void begin(
      SessionMailbox::pointer self, const TaskActor& task, const SessionSettings& settings,
      Registering registering);

  /// Fills in the step, whose signature and plan are set, and calls back once, when all its parts
  /// are registered or the first of them has failed.
  void compile(const Graph& graph, const std::shared_ptr<CompiledStep>& step, Done done);

 private:
  struct Compilation;
  using Pointer = std::shared_ptr<Compilation>;
  using Next = void (StepCompiler::*)(const Pointer&);

  void find_homes(const Pointer& compilation);
  void settle(const Pointer& compilation, const Placement::Homes& homes);
  void find_tasks(const Pointer& compilation);
  void register_parts(const Pointer& compilation);
  void mark_handles(const Compilation& compilation, std::vector<NodeDef>& nodes) const;
  void log_placement(const std::vector<NodeDef>& nodes);
  void finish(const Pointer& compilation);
  void arrived(
      const Pointer& compilation, const std::string& from, const Status& status, Next next);

  SessionMailbox::pointer self_ = nullptr;
  TaskActor task_;
  const SessionSettings* settings_ = nullptr;
  Registering registering_;
  std::set<std::pair<std::string, std::string>> logged_;  // nodes and their devices
};

}  // namespace troupe
