#include "troupe/actors/sim/world/node_scheduler.hpp"

#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

constexpr SimulatedNode no_node = -1;
constexpr double time_of_a_message = 1000;  // nanoseconds, times the slowness of the node

}  // namespace

NodeScheduler::NodeScheduler(caf::actor_system& system, EventHeap& events, uint64_t seed)
    : caf::execution_unit(&system),
      scheduler_(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())),
      events_(events),
      random_(seed) {}

NodeScheduler::~NodeScheduler() {
  for (Node node = 0; node < static_cast<Node>(nodes_.size()); ++node) wake_all(node);
  std::vector<caf::resumable*> others;
  for (take_woken_actors(); !ready_.empty(); take_woken_actors()) {
    auto* actor = ready_.back();
    ready_.pop_back();
    if (node_of(actor) == no_node) {
      others.push_back(actor);
      continue;
    }
    static_cast<caf::scheduled_actor*>(actor)->cleanup(caf::exit_reason::kill, this);
    caf::intrusive_ptr_release(actor);
  }
  scheduler_.jobs.assign(others.begin(), others.end());
}

NodeScheduler::Node NodeScheduler::add_node() {
  nodes_.emplace_back();
  return static_cast<Node>(nodes_.size()) - 1;
}

void NodeScheduler::assign(Node node, const caf::strong_actor_ptr& actor) {
  assign_new_actors(no_node);
  node_of_actor_[actor->id()] = node;
}

void NodeScheduler::run_as(Node node, Work work) {
  auto& state = nodes_[node];
  if (!state.alive) return;
  if (state.frozen) return state.deferred.push_back(std::move(work));
  assign_new_actors(no_node);
  work();
  assign_new_actors(node);
}

void NodeScheduler::crash(Node node) {
  auto& state = nodes_[node];
  state.alive = false;
  state.frozen = false;
  state.slowness = 1;
  state.deferred.clear();
  wake_all(node);
}

void NodeScheduler::thaw(Node node) {
  nodes_[node].frozen = false;
  wake_all(node);
  for (auto& work : std::exchange(nodes_[node].deferred, {})) run_as(node, std::move(work));
}

void NodeScheduler::slow(Node node, double factor) {
  CHECK(factor >= 1);
  if (!nodes_[node].alive) return;
  nodes_[node].slowness = factor;
  wake_all(node);
}

void NodeScheduler::wake_all(Node node) {
  for (auto* actor : std::exchange(nodes_[node].waiting, {})) ready_.push_back(actor);
}

void NodeScheduler::run() {
  for (;;) {
    take_woken_actors();
    if (ready_.empty()) return;
    auto* actor = draw_from(ready_);
    auto node = node_of(actor);
    auto waits = node != no_node && (nodes_[node].frozen || nodes_[node].slowness > 1);
    if (waits) defer(node, actor);
    else resume(node, actor);
  }
}

/// Moves the actors that CAF scheduled outside of exec_later(), as by a timer, to the ready ones.
void NodeScheduler::take_woken_actors() {
  ready_.insert(ready_.end(), scheduler_.jobs.begin(), scheduler_.jobs.end());
  scheduler_.jobs.clear();
}

caf::resumable* NodeScheduler::draw_from(std::vector<caf::resumable*>& actors) {
  auto& drawn = actors[actors.size() == 1 ? 0 : random_() % actors.size()];
  auto* actor = std::exchange(drawn, actors.back());
  actors.pop_back();
  return actor;
}

void NodeScheduler::resume(Node node, caf::resumable* actor) {
  assign_new_actors(no_node);
  auto result = actor->resume(this, /*max_throughput=*/1);
  assign_new_actors(node);
  if (result == caf::resumable::resume_later) ready_.push_back(actor);
  else caf::intrusive_ptr_release(actor);
}

void NodeScheduler::defer(Node node, caf::resumable* actor) {
  auto& state = nodes_[node];
  state.waiting.push_back(actor);
  if (state.frozen || std::exchange(state.is_busy, true)) return;
  auto time = EventHeap::Time(static_cast<int64_t>(time_of_a_message * state.slowness));
  events_.after(time, [this, node] { handle_next(node); });
}

void NodeScheduler::handle_next(Node node) {
  auto& state = nodes_[node];
  state.is_busy = false;
  if (state.frozen || state.waiting.empty()) return;
  resume(node, draw_from(state.waiting));
  wake_all(node);
}

/// CAF numbers actors in the order of their creation, so the ids that are new since the last call
/// belong to what has run since.
void NodeScheduler::assign_new_actors(Node node) {
  node_of_actor_.resize(system().latest_actor_id() + 1, node);
}

NodeScheduler::Node NodeScheduler::node_of(const caf::resumable* actor) const {
  if (actor->subtype() != caf::resumable::scheduled_actor) return no_node;
  auto id = static_cast<const caf::scheduled_actor*>(actor)->id();
  return id < node_of_actor_.size() ? node_of_actor_[id] : no_node;
}

}  // namespace troupe
