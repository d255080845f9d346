#pragma once

#include <functional>
#include <memory>
#include <set>

#include <caf/all.hpp>

#include "troupe/actors/session/compiled_step.hpp"
#include "troupe/actors/session/session_actor.hpp"
#include "troupe/actors/session/session_costs.hpp"
#include "troupe/actors/session/session_protocol.hpp"

namespace troupe {

/// Compiles the steps of a session: prunes them, replaces their calls of functions, finds where the
/// resources are that they use, connects to the tasks, places the nodes, cuts them into partitions,
/// and registers these with the device actors, which commit the resources that are new. Belongs to
/// the session actor; what takes long of a large graph runs beside that (World::run_in_background).
class StepCompiler {
 public:
  using Done = std::function<void(const Status&)>;
  using SharedGraph = std::shared_ptr<const Graph>;
  /// Called with each partition before it is registered.
  using OnRegister = std::function<void(const CompiledStep::DevicePartition&)>;

  /// The settings and the costs must outlive it; their view may change between calls.
  void begin(
      SessionProtocol::pointer self, const TaskActor& task, const SessionSettings& settings,
      const SessionCosts& costs, OnRegister on_register);

  /// Fills in a step whose signature and plan are set. Calls back once, when all its partitions are
  /// registered, or the compilation has failed. Aborted: a resource was placed elsewhere meanwhile;
  /// the step can be compiled again.
  void compile(const SharedGraph& graph, const std::shared_ptr<CompiledStep>& step, Done done);

  /// Places and cuts the step of a signature as compile() does, and answers how and why. Nothing is
  /// registered.
  void explain(
      const SharedGraph& graph, StepSignature signature, troupe::Done<StepExplanation> done);

 private:
  struct Compilation;
  using Pointer = std::shared_ptr<Compilation>;
  using Next = void (StepCompiler::*)(const Pointer&);

  Pointer make_compilation(
      const SharedGraph& graph, const std::shared_ptr<CompiledStep>& step, Done done) const;
  static Status begin_placement(Compilation& compilation);
  static void note_plan(Compilation& compilation, const std::vector<Candidate>& candidates);
  static Status end_placement(Compilation& compilation);
  void run_in_background(const Pointer& compilation, Status (*work)(Compilation&), Next next);
  void proceed(const Pointer& compilation, const Status& status, Next next);
  void find_resources(const Pointer& compilation);
  void assign_devices(
      const Pointer& compilation, const Placement::ResourceDevices& resource_devices);
  void find_tasks(const Pointer& compilation);
  void place(const Pointer& compilation);
  void register_partitions(const Pointer& compilation);
  void mark_handles(const Compilation& compilation, std::vector<NodeDef>& nodes) const;
  void log_prediction(const StepExplanation& plan);
  void log_placement(const std::vector<NodeDef>& nodes);
  void finish(const Pointer& compilation);
  void arrived(
      const Pointer& compilation, const std::string& from, const Status& status, Next next);

  SessionProtocol::pointer self_ = nullptr;
  TaskActor task_;
  const SessionSettings* settings_ = nullptr;
  const SessionCosts* costs_ = nullptr;
  OnRegister on_register_;
  /// Where resources of the session alone are, since the first step that uses them.
  Placement::ResourceDevices own_devices_;
  std::set<std::pair<std::string, std::string>> logged_;  // nodes with their devices
};

}  // namespace troupe
