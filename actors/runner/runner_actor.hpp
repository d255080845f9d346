#pragma once

#include <functional>
#include <memory>
#include <string>

#include <caf/all.hpp>

#include "troupe/actors/metrics.hpp"
#include "troupe/actors/post.hpp"
#include "troupe/actors/runner/runner_messages.hpp"
#include "troupe/actors/session/session_actor.hpp"
#include "troupe/actors/world/world.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

struct RunnerSettings {
  ResourceName name;
  RunnerSpec spec;
  std::string task;           // "/job:ps/task:0", which the runner is on
  OwnedSessionActor session;  // the runner's own, which has the graph
  std::shared_ptr<World> world;
  std::shared_ptr<Metrics> metrics;
  std::function<void(const std::string&)> log;  // writes a line to the node's log; may be empty
};

/// Starts the first steps. Sent once the runner's container holds its name.
struct BeginRunner {};

/// Ends the steps of a runner, which is listed as ended from then on.
struct EndRunner {
  Status why;
};

/// The runner's name is free: ends its steps and the actor.
struct DropRunner {};

struct DescribeRunner {};

/// Runs the enqueue ops of a RunnerSpec in a session, one step of each after the other. Pausing
/// lets the steps that run end: to cancel one could lose what it has computed, such as the next
/// number of a counter, or half of an enqueue of many. Resuming goes on in the same session, so
/// what it has there (readers without a shared name, sequences of random numbers) goes on, too.
///
/// RU-1: of each enqueue op at most one step runs at a time.
/// RU-2: once it has ended, or while it is paused, it starts no step of them.
/// RU-3: the close op or the cancel op is run at most once, and no step of an enqueue op after it.
using RunnerActor = caf::typed_actor<
    caf::reacts_to<BeginRunner>, caf::reacts_to<EndRunner>, caf::reacts_to<DropRunner>,
    // Of a stop, answered when its last step has ended and the session has been told to close.
    caf::replies_to<ControlTaskRunner>::with<Status>,
    caf::replies_to<DescribeRunner>::with<ListedRunner>, caf::reacts_to<Post>>;

RunnerActor spawn_runner(caf::actor_system& system, RunnerSettings settings);

/// A runner as its container holds it: so it is listed with the resources, its name is free for no
/// other, and a reset of the container stops it.
class RunnerResource final : public Resource {
 public:
  explicit RunnerResource(RunnerActor actor) : actor_(std::move(actor)) {}

  const char* kind() const override { return "runner"; }
  void drop() override;
  bool is_dropped() const override { return is_dropped_; }
  Description describe() const override { return {}; }

 private:
  const RunnerActor actor_;
  std::atomic<bool> is_dropped_ = false;
};

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::BeginRunner)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::EndRunner)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DropRunner)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DescribeRunner)
