#include "troupe/actors/world/network.hpp"

namespace troupe {

Way& SimulatedNetwork::way(Node from, Node to) {
  auto& way = ways_[{from, to}];
  if (way) return *way;
  auto& back = ways_[{to, from}];
  way = std::make_unique<Way>(medium_, from, to);
  back = std::make_unique<Way>(medium_, to, from);
  way->set_back(*back);
  back->set_back(*way);
  return *way;
}

bool SimulatedNetwork::is_open(Node a, Node b) {
  auto& there = way(a, b);
  return !there.is_cut() && !there.back().is_cut();
}

caf::strong_actor_ptr SimulatedNetwork::connect(
    Node from, Node to, const caf::strong_actor_ptr& actor) {
  if (from == to) return actor;
  auto& there = way(from, to);
  there.end_lost_links();
  there.back().end_lost_links();
  return there.link_to(actor);
}

void SimulatedNetwork::break_link(Node a, Node b) {
  for (auto* lost : {&way(a, b), &way(b, a)}) {
    lost->disconnect();
    medium_.events.after(draw_latency(), [lost] { lost->end_lost_links(); });
  }
}

void SimulatedNetwork::crash(Node node) {
  for (auto next = ways_.lower_bound({node, 0}); next != ways_.end(); ++next) {
    if (next->first.first != node) break;
    auto& way = *next->second;
    way.sever_links();
    way.disconnect();
    way.back().disconnect();
    way.send_notice([&back = way.back()] { back.end_lost_links(); });
  }
}

}  // namespace troupe
