#include "troupe/actors/sim/world/network.hpp"

namespace troupe {

Channel& SimulatedNetwork::channel(Node from, Node to) {
  auto& forward = channels_[{from, to}];
  if (forward) return *forward;
  auto& reverse = channels_[{to, from}];
  forward = std::make_unique<Channel>(state_, from, to);
  reverse = std::make_unique<Channel>(state_, to, from);
  forward->set_reverse(*reverse);
  reverse->set_reverse(*forward);
  return *forward;
}

bool SimulatedNetwork::is_open(Node a, Node b) {
  auto& forward = channel(a, b);
  return !forward.is_cut() && !forward.reverse().is_cut();
}

caf::strong_actor_ptr SimulatedNetwork::connect(
    Node from, Node to, const caf::strong_actor_ptr& actor) {
  if (from == to) return actor;
  auto& forward = channel(from, to);
  forward.end_lost_proxies();
  forward.reverse().end_lost_proxies();
  return forward.proxy_of(actor);
}

void SimulatedNetwork::break_link(Node a, Node b) {
  for (auto* lost : {&channel(a, b), &channel(b, a)}) {
    lost->disconnect();
    state_.events.after(draw_latency(), [lost] { lost->end_lost_proxies(); });
  }
}

void SimulatedNetwork::crash(Node node) {
  for (auto next = channels_.lower_bound({node, 0}); next != channels_.end(); ++next) {
    if (next->first.first != node) break;
    auto& outgoing = *next->second;
    outgoing.disable_proxies();
    outgoing.disconnect();
    outgoing.reverse().disconnect();
    outgoing.send_notice([&incoming = outgoing.reverse()] { incoming.end_lost_proxies(); });
  }
}

}  // namespace troupe
