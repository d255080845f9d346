#include "troupe/actors/sim/world/network.hpp"

#include <algorithm>

#include "troupe/actors/node_messages.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

/// A first packet that is lost is sent again after a second, so many times.
constexpr std::chrono::seconds resend_time{1};
constexpr int resends = 3;

}  // namespace

/// The links of one node.
class SimulatedNetwork::NodeLinks final : public LinkNetwork {
 public:
  NodeLinks(SimulatedNetwork& network, Node node, caf::strong_actor_ptr root, Allocator& allocator)
      : network_(network),
        node_(node),
        links_(
            {.system = network.state_.system,
             .unit = network.state_.scheduler.unit(),
             .allocator = allocator,
             .sizes = network.state_.options.link_sizes},
            *this, protocol_version, std::move(root)) {}

  LinkSet& links() { return links_; }

  void dial(
      const Address& address, std::function<void(std::shared_ptr<Link>)> opened,
      Dialed failed) override {
    network_.open(node_, address, resends, opened, failed);
  }
  void after(std::chrono::milliseconds delay, std::function<void()> work) override {
    auto& state = network_.state_;
    state.events.after(delay, [&state, node = node_, work = std::move(work)] {
      state.scheduler.run_as(node, work);
    });
  }
  uint64_t random() override { return network_.state_.random(); }
  void log(const std::string&) override {}
  /// CAF orders handles by the process first. With one less than the number of this process, the
  /// order of maps would differ between runs.
  ProcessIdentity identity() override {
    auto identity = LinkNetwork::identity();
    std::fill(identity.end() - sizeof(uint32_t), identity.end(), '\xFF');
    return identity;
  }

 private:
  SimulatedNetwork& network_;
  const Node node_;
  LinkSet links_;
};

SimulatedNetwork::SimulatedNetwork(NetworkState state) : state_(std::move(state)) {}

SimulatedNetwork::~SimulatedNetwork() = default;

// -- connecting

void SimulatedNetwork::serve(Node node, const Served& served) {
  auto made =
      links_.emplace(node, std::make_unique<NodeLinks>(*this, node, served.root, served.allocator));
  CHECK(made.second);
  listeners_[served.address] = {node, served.incarnation};
}

const SimulatedNetwork::Listener* SimulatedNetwork::listener(const Address& address) const {
  auto found = listeners_.find(address);
  return found == listeners_.end() ? nullptr : &found->second;
}

SimulatedNetwork::NodeLinks& SimulatedNetwork::links_of(Node node) {
  auto& links = links_[node];
  if (!links) links = std::make_unique<NodeLinks>(*this, node, nullptr, heap_allocator());
  return *links;
}

void SimulatedNetwork::connect(
    Node from, const Address& address, std::chrono::milliseconds timeout, Connected done) {
  if (!state_.scheduler.is_alive(from)) return;
  links_of(from).links().connect(
      address, timeout,
      [this, from, done = std::move(done)](const Result<caf::strong_actor_ptr>& answer) {
        state_.scheduler.run_as(from, [done, answer] { done(answer); });
      });
}

/// A frozen process has connections, as the system accepts them; it notices when it thaws.
void SimulatedNetwork::open(
    Node from, const Address& address, int tries_left,
    const std::function<void(std::shared_ptr<Link>)>& opened, const LinkNetwork::Dialed& failed) {
  auto round_trip = state_.draw_latency() + state_.draw_latency();
  state_.events.after(round_trip, [=, this] {
    state_.scheduler.run_as(from, [=, this] {
      const auto* found = listener(address);
      if (!found) return failed(unavailable("it refused the connection, as no node serves there"));
      if (is_open(from, found->node)) return opened(make_connection(from, found->node));
      if (tries_left == 0) return failed(unavailable("it does not answer"));
      state_.events.after(
          resend_time, [=, this] { open(from, address, tries_left - 1, opened, failed); });
    });
  });
}

std::shared_ptr<Link> SimulatedNetwork::make_connection(Node from, Node to) {
  auto near = std::make_shared<ConnectionEnd>(state_, from, to);
  auto far = std::make_shared<ConnectionEnd>(state_, to, from);
  near->set_other(far);
  far->set_other(near);
  add({from, to}, near);
  add({to, from}, far);
  auto start = [this](Node node, const std::shared_ptr<ConnectionEnd>& end) {
    auto& links = links_of(node).links();
    auto link = links.make_link(*end);
    end->start(links, link);
    return link;
  };
  state_.scheduler.run_as(to, [=] { start(to, far); });
  return start(from, near);
}

void SimulatedNetwork::add(std::pair<Node, Node> nodes, const std::shared_ptr<ConnectionEnd>& end) {
  auto& ends = ends_[nodes];
  std::erase_if(ends, [](const auto& old) { return old->is_over(); });
  ends.push_back(end);
}

// -- faults

void SimulatedNetwork::heal(Node from, Node to) {
  if (state_.cuts.erase({from, to}) == 0) return;
  for (const auto& end : Ends(ends_[{from, to}])) end->heal();
}

void SimulatedNetwork::break_link(Node a, Node b) {
  for (const auto& nodes : {std::pair(a, b), std::pair(b, a)})
    for (const auto& end : ends_[nodes]) {
      end->lose_bytes();
      end->notice_break_later();
    }
}

void SimulatedNetwork::crash(Node node) {
  std::erase_if(listeners_, [node](const auto& entry) { return entry.second.node == node; });
  for (auto next = ends_.lower_bound({node, 0}); next != ends_.end(); ++next) {
    if (next->first.first != node) break;
    for (const auto& end : next->second) end->crash();
  }
  links_.erase(node);
}

}  // namespace troupe
