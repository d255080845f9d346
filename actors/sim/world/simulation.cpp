#include "troupe/actors/sim/world/simulation.hpp"

#include <array>
#include <caf/scheduler/test_coordinator.hpp>

namespace troupe {
namespace {

/// A random stream of the seed: drawing from one stream does not change the others.
uint64_t stream(uint64_t seed, uint64_t number) {
  std::seed_seq mixed{seed, seed >> 32, number};
  std::array<uint32_t, 2> words;
  mixed.generate(words.begin(), words.end());
  return (uint64_t{words[0]} << 32) | words[1];
}

}  // namespace

/// The World of one node.
class Simulation::NodeWorld final : public World {
 public:
  NodeWorld(Simulation& simulation, Node node) : simulation_(simulation), node_(node) {}

  caf::actor_system& system() override { return simulation_.system_; }
  uint64_t random() override { return simulation_.random(); }

  void connect(const Address& address, std::chrono::milliseconds timeout, Connected done) override {
    simulation_.network_.connect(node_, address, timeout, std::move(done));
  }

  void probe(const Address& address, std::chrono::milliseconds timeout, Probed done) override {
    simulation_.probe(node_, address, timeout, std::move(done));
  }

  void run_in_background(std::function<void()> work) override {
    simulation_.after(
        simulation_.network_.draw_latency(),
        [&simulation = simulation_, node = node_, work = std::move(work)] {
          simulation.scheduler_.run_as(node, work);
        });
  }

  /// Some of what is short, too, so that it is tested.
  bool takes_long(size_t nodes) override {
    return World::takes_long(nodes) || simulation_.random() % 4 == 0;
  }

  Time now() override { return simulation_.clocks_[node_].reading(simulation_.now()); }

  void after(Time delay, const caf::strong_actor_ptr& to, caf::message message) override {
    simulation_.wake_at(node_, now() + delay, to, std::move(message));
  }

 private:
  Simulation& simulation_;
  Node node_;
};

Simulation::Simulation(caf::actor_system& system, uint64_t seed, const NetworkOptions& options)
    : system_(system),
      scheduler_(system, events_, stream(seed, 0)),
      network_(
          {.system = system,
           .events = events_,
           .scheduler = scheduler_,
           .options = options,
           .random = std::mt19937_64(stream(seed, 1))}),
      random_(stream(seed, 2)),
      timer_random_(stream(seed, 3)) {}

Simulation::~Simulation() {
  for (Node node = 0; node < static_cast<Node>(clocks_.size()); ++node) crash(node);
}

// -- time

bool Simulation::run(const std::function<bool()>& stop, Time limit) {
  scheduler_.run();
  while (!stop()) {
    if (!step(limit)) return false;
    scheduler_.run();
    if (check_) check_();
  }
  return true;
}

/// Runs the next CAF timers or the next event, whichever is due first.
bool Simulation::step(Time limit) {
  auto& clock = static_cast<caf::scheduler::test_coordinator&>(system_.scheduler()).clock();
  auto next_timer = Time::max();
  if (!clock.schedule().empty())
    next_timer = now() + std::max(Time(0), Time(clock.schedule().begin()->first - clock.now()));
  auto next = std::min(events_.next_time(), next_timer);
  if (next == Time::max() || next > limit) return false;
  auto passed = next - now();
  events_.advance_to(next);
  if (passed > Time(0) || next == next_timer) clock.advance_time(passed);
  if (next < next_timer) events_.run_next();
  return true;
}

void Simulation::wake_at(
    Node node, Time reading, const caf::strong_actor_ptr& to, caf::message message) {
  Time late(0);
  if (timer_delay_max_ > Time(0))
    late = Time(
        static_cast<int64_t>(timer_random_() % static_cast<uint64_t>(timer_delay_max_.count())));
  after(clocks_[node].until(reading, now()) + late, [=, this] {
    if (!scheduler_.is_alive(node)) return;
    if (clocks_[node].reading(now()) < reading) return wake_at(node, reading, to, message);
    to->enqueue(nullptr, caf::make_message_id(), message, scheduler_.unit());
  });
}

void Simulation::device_work(Node node, Time delay, Work work) {
  auto factor = scheduler_.slowness(node);
  if (factor > 1) delay = Time(static_cast<int64_t>(factor * static_cast<double>(delay.count())));
  after(delay, [this, node, work = std::move(work)] { scheduler_.run_as(node, work); });
}

// -- nodes

Simulation::Node Simulation::add_node() {
  clocks_.emplace_back();
  return scheduler_.add_node();
}

std::shared_ptr<World> Simulation::world_of(Node node) {
  return std::make_shared<NodeWorld>(*this, node);
}

void Simulation::serve(
    Node node, const Address& address, caf::strong_actor_ptr task, uint64_t incarnation,
    Allocator& allocator) {
  scheduler_.assign(node, task);
  network_.serve(
      node, {.address = address,
             .root = std::move(task),
             .incarnation = incarnation,
             .allocator = allocator});
}

void Simulation::crash(Node node) {
  if (!scheduler_.is_alive(node)) return;
  scheduler_.crash(node);
  network_.crash(node);
}

// -- connections

bool Simulation::is_reachable(Node from, Node node) const {
  return !scheduler_.is_frozen(node) && network_.is_open(from, node);
}

/// A node that is frozen or cut off when the probe arrives does not answer it later either.
void Simulation::probe(Node from, const Address& address, Time timeout, World::Probed done) {
  ++probes_sent_;
  after(round_trip(), [=, this, begun = now(), done = std::move(done)] {
    const auto* found = network_.listener(address);
    Result<uint64_t> answer = not_found("no node serves at " + address.to_string());
    auto left = Time(0);
    if (found) {
      answer = found->incarnation;
      if (!is_reachable(from, found->node)) {
        answer = unavailable(address.to_string() + " does not answer");
        left = begun + timeout - now();
      }
    }
    after(left, [=, this] { scheduler_.run_as(from, [=] { done(answer); }); });
  });
}

}  // namespace troupe
