#include "troupe/actors/world/simulation.hpp"

#include <tuple>

#include "troupe/actors/messages.hpp"

namespace troupe {
namespace {

/// A handle of an actor of another node: a message to it crosses the simulated network.
class Link final : public caf::actor_proxy {
 public:
  Link(
      caf::actor_config& config, Simulation& simulation, Simulation::Node viewer,
      Simulation::Node owner, caf::strong_actor_ptr target)
      : caf::actor_proxy(config),
        simulation_(simulation),
        viewer_(viewer),
        owner_(owner),
        target_(std::move(target)) {}

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    if (target_) simulation_.transmit(viewer_, owner_, target_, std::move(what));
    else bounce(what);
  }

  void kill_proxy(caf::execution_unit* unit, caf::error reason) override {
    target_ = nullptr;
    cleanup(std::move(reason), unit);
  }

 private:
  Simulation& simulation_;
  Simulation::Node viewer_;
  Simulation::Node owner_;
  caf::strong_actor_ptr target_;
};

class SimulatedWorld final : public World {
 public:
  SimulatedWorld(Simulation& simulation, Simulation::Node node)
      : simulation_(simulation), node_(node) {}

  caf::actor_system& system() override { return simulation_.system(); }
  void connect(const Address& address, std::chrono::milliseconds timeout, Connected done) override {
    simulation_.connect(node_, address, simulation_.now() + timeout, done);
  }
  uint64_t random() override { return simulation_.random(); }

 private:
  Simulation& simulation_;
  Simulation::Node node_;
};

}  // namespace

Simulation::Simulation(caf::actor_system& system, uint64_t seed, NetworkOptions options)
    : system_(system),
      scheduler_(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())),
      random_(seed),
      options_(options) {}

Simulation::~Simulation() {
  for (Node node = 0; node < static_cast<Node>(nodes_.size()); ++node) crash(node);
}

void Simulation::at(Time time, Work work) {
  events_.push({std::max(time, now_), next_event_++, std::move(work)});
}

bool Simulation::run(const std::function<bool()>& stop, Time limit) {
  run_actors();
  while (!stop()) {
    if (!step(limit)) return false;
    run_actors();
  }
  return true;
}

void Simulation::run_actors() {
  // Not run(): that one lets all timers expire, too.
  while (scheduler_.try_run_once()) {
  }
}

/// Lets the next thing happen: a timer of the actors, or an event, whichever is due first.
bool Simulation::step(Time limit) {
  auto& clock = scheduler_.clock();
  auto due_in = Time::max();
  if (!clock.schedule().empty())
    due_in = std::max(Time(0), Time(clock.schedule().begin()->first - clock.now()));
  auto next_event = events_.empty() ? Time::max() : events_.top().time;
  auto next_timer = due_in == Time::max() ? Time::max() : now_ + due_in;
  auto next = std::min(next_event, next_timer);
  if (next == Time::max() || next > limit) return false;
  if (next > now_ || next == next_timer) clock.advance_time(next - now_);
  now_ = next;
  if (next_event > next) return true;
  auto work = std::move(const_cast<Event&>(events_.top()).work);
  events_.pop();
  work();
  return true;
}

Simulation::Node Simulation::add_node() {
  nodes_.emplace_back();
  return static_cast<Node>(nodes_.size()) - 1;
}

std::shared_ptr<World> Simulation::world_of(Node node) {
  return std::make_shared<SimulatedWorld>(*this, node);
}

void Simulation::serve(Node node, const Address& address, caf::strong_actor_ptr task) {
  served_[address] = {node, std::move(task)};
}

Simulation::Time Simulation::draw_latency() {
  auto span = static_cast<uint64_t>((options_.latency_max - options_.latency_min).count()) + 1;
  return options_.latency_min + Time(random() % span);
}

caf::strong_actor_ptr Simulation::link(
    Node viewer, Node owner, const caf::strong_actor_ptr& actor) {
  if (!actor || viewer == owner) return actor;
  auto& link = nodes_[viewer].links[actor->id()];
  if (link) return link;
  caf::actor_config config;
  link = caf::make_actor<Link, caf::strong_actor_ptr>(
      system_.next_actor_id(), system_.node(), &system_, config, *this, viewer, owner, actor);
  nodes_[viewer].owners[actor->id()] = owner;
  auto* target = static_cast<caf::monitorable_actor*>(actor->get());
  target->attach_functor([this, viewer, owner, id = actor->id()] {
    if (nodes_[owner].alive) after(draw_latency(), [this, viewer, id] { drop_link(viewer, id); });
  });
  return link;
}

void Simulation::drop_link(Node viewer, caf::actor_id target) {
  auto link = nodes_[viewer].links.extract(target);
  nodes_[viewer].owners.erase(target);
  if (!link) return;
  static_cast<caf::actor_proxy*>(link.mapped()->get())
      ->kill_proxy(nullptr, caf::exit_reason::remote_link_unreachable);
}

void Simulation::transmit(
    Node from, Node to, caf::strong_actor_ptr target, caf::mailbox_element_ptr what) {
  if (!nodes_[from].alive) return;  // SM-2
  auto& direction = directions_[{from, to}];
  auto arrival = std::max(now_ + draw_latency(), direction.last_arrival);  // SM-1
  direction.last_arrival = arrival;
  auto carried = std::make_shared<caf::mailbox_element_ptr>(std::move(what));
  at(arrival, [this, from, to, target = std::move(target), carried] {
    arrive(from, to, [this, from, to, target, carried] {
      deliver(from, to, target, std::move(*carried));
    });
  });
}

/// Does what arriving means, unless the way or the node makes it wait.
void Simulation::arrive(Node from, Node to, Work work) {
  auto& direction = directions_[{from, to}];
  if (direction.cut) direction.held.push_back(std::move(work));
  else if (nodes_[to].frozen) nodes_[to].arrived_while_frozen.push_back(std::move(work));
  else work();
}

void Simulation::deliver(
    Node from, Node to, const caf::strong_actor_ptr& target, caf::mailbox_element_ptr what) {
  if (!nodes_[from].alive || !nodes_[to].alive) return;
  auto sender = link(to, from, what->sender);
  auto id = what->mid;
  auto content = as_seen_by(to, from, what->move_content_to_message());
  note(from, to, content);
  target->enqueue(std::move(sender), id, std::move(content), nullptr);
}

/// Handles inside a message must be links where it arrives; one type of message has any.
caf::message Simulation::as_seen_by(Node viewer, Node owner, caf::message content) {
  if (!content.match_elements<Status, TaskDescription>()) return content;
  auto task = content.get_as<TaskDescription>(1);
  for (auto& device : task.devices) device.actor = link(viewer, owner, device.actor);
  return caf::make_message(content.get_as<Status>(0), std::move(task));
}

void Simulation::note(Node from, Node to, const caf::message& content) {
  ++messages_delivered_;
  auto mix = [this](uint64_t value) { trace_hash_ = (trace_hash_ ^ value) * 1099511628211u; };
  mix(static_cast<uint64_t>(now_.count()));
  mix(static_cast<uint64_t>(from));
  mix(static_cast<uint64_t>(to));
  for (size_t i = 0; i < content.size(); ++i) {
    auto* type = content.type(i).second;
    for (const char* c = type ? type->name() : ""; *c; ++c) mix(static_cast<uint64_t>(*c));
  }
}

void Simulation::connect(
    Node from, const Address& address, Time deadline, const World::Connected& done) {
  after(2 * draw_latency(), [this, from, address, deadline, done] {
    if (!nodes_[from].alive) return;
    auto found = served_.find(address);
    auto reachable = [&](Node node) {
      return nodes_[node].alive && !nodes_[node].frozen && !directions_[{from, node}].cut &&
             !directions_[{node, from}].cut;
    };
    if (found != served_.end() && reachable(found->second.first))
      return done(link(from, found->second.first, found->second.second));
    if (now_ + options_.retry < deadline)
      return after(options_.retry, [=, this] { connect(from, address, deadline, done); });
    after(deadline - now_, [address, done] {
      done(unavailable("nobody answers at " + address.to_string()));
    });
  });
}

void Simulation::crash(Node node) {
  if (!nodes_[node].alive) return;
  nodes_[node].alive = false;
  nodes_[node].arrived_while_frozen.clear();
  for (auto served = served_.begin(); served != served_.end();)
    served = served->second.first == node ? served_.erase(served) : std::next(served);
  for (Node viewer = 0; viewer < static_cast<Node>(nodes_.size()); ++viewer) {
    std::vector<caf::actor_id> lost;
    for (const auto& [target, owner] : nodes_[viewer].owners)
      if (owner == node || viewer == node) lost.push_back(target);
    for (auto target : lost) after(draw_latency(), [=, this] { drop_link(viewer, target); });
  }
}

void Simulation::freeze(Node node) { nodes_[node].frozen = true; }

void Simulation::thaw(Node node) {
  nodes_[node].frozen = false;
  for (auto& work : std::exchange(nodes_[node].arrived_while_frozen, {})) work();
}

void Simulation::cut(Node from, Node to) { directions_[{from, to}].cut = true; }

void Simulation::heal(Node from, Node to) {
  auto& direction = directions_[{from, to}];
  direction.cut = false;
  for (auto& work : std::exchange(direction.held, {})) arrive(from, to, std::move(work));
}

}  // namespace troupe
