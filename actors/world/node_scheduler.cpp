#include "troupe/actors/world/node_scheduler.hpp"

#include "troupe/graph/check.hpp"

namespace troupe {
namespace {

constexpr SimulatedNode no_node = -1;
constexpr double time_of_a_message = 1000;  // nanoseconds, of a node that is a bit slow

}  // namespace

NodeScheduler::NodeScheduler(caf::actor_system& system, EventHeap& events, uint64_t seed)
    : caf::execution_unit(&system),
      scheduler_(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())),
      events_(events),
      random_(seed) {}

NodeScheduler::~NodeScheduler() {
  for (Node node = 0; node < static_cast<Node>(nodes_.size()); ++node) wake_all(node);
  std::vector<caf::resumable*> others;
  for (take_woken(); !ready_.empty(); take_woken()) {
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

void NodeScheduler::adopt(Node node, const caf::strong_actor_ptr& actor) {
  claim_new_actors(no_node);
  node_of_actor_[actor->id()] = node;
}

void NodeScheduler::act(Node node, Work work) {
  auto& state = nodes_[node];
  if (!state.alive) return;
  if (state.frozen) return state.held.push_back(std::move(work));
  claim_new_actors(no_node);
  work();
  claim_new_actors(node);
}

void NodeScheduler::crash(Node node) {
  auto& state = nodes_[node];
  state.alive = false;
  state.frozen = false;
  state.slowness = 1;
  state.held.clear();
  wake_all(node);
}

void NodeScheduler::thaw(Node node) {
  nodes_[node].frozen = false;
  wake_all(node);
  for (auto& work : std::exchange(nodes_[node].held, {})) act(node, std::move(work));
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
    take_woken();
    if (ready_.empty()) return;
    auto* actor = draw_from(ready_);
    auto node = node_of(actor);
    auto waits = node != no_node && (nodes_[node].frozen || nodes_[node].slowness > 1);
    if (waits) make_wait(node, actor);
    else resume(node, actor);
  }
}

/// Those that were woken by somebody who does not run here.
void NodeScheduler::take_woken() {
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
  claim_new_actors(no_node);
  auto result = actor->resume(this, /*max_throughput=*/1);
  claim_new_actors(node);
  if (result == caf::resumable::resume_later) ready_.push_back(actor);
  else caf::intrusive_ptr_release(actor);
}

void NodeScheduler::make_wait(Node node, caf::resumable* actor) {
  auto& state = nodes_[node];
  state.waiting.push_back(actor);
  if (state.frozen || std::exchange(state.handles, true)) return;
  auto time = EventHeap::Time(static_cast<int64_t>(time_of_a_message * state.slowness));
  events_.after(time, [this, node] { handle_next(node); });
}

void NodeScheduler::handle_next(Node node) {
  auto& state = nodes_[node];
  state.handles = false;
  if (state.frozen || state.waiting.empty()) return;
  resume(node, draw_from(state.waiting));
  wake_all(node);
}

/// Actors' ids are counted: those since the last call are of what has run since.
void NodeScheduler::claim_new_actors(Node node) {
  node_of_actor_.resize(system().latest_actor_id() + 1, node);
}

NodeScheduler::Node NodeScheduler::node_of(const caf::resumable* actor) const {
  if (actor->subtype() != caf::resumable::scheduled_actor) return no_node;
  auto id = static_cast<const caf::scheduled_actor*>(actor)->id();
  return id < node_of_actor_.size() ? node_of_actor_[id] : no_node;
}

}  // namespace troupe
