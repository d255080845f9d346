#include "troupe/actors/sim/world/delivery_log.hpp"

namespace troupe {
namespace {

constexpr size_t entries_max = 512;

uint64_t hash_of(const DeliveryLog::Entry& entry, uint64_t before) {
  const auto& facts = entry.facts;
  auto type = facts.type.second ? facts.type.second->hash_code() : facts.type.first;
  for (uint64_t value :
       {static_cast<uint64_t>(entry.arrived.count()), static_cast<uint64_t>(entry.from),
        static_cast<uint64_t>(entry.to), uint64_t{type}, uint64_t{facts.is_reply},
        static_cast<uint64_t>(facts.code), uint64_t{facts.edges}, facts.session, facts.step,
        facts.bytes})
    before = (before ^ value) * 1099511628211u;
  return before;
}

}  // namespace

void DeliveryLog::add(const Entry& entry) {
  if (!entry.lost) {
    ++delivered_;
    hash_ = hash_of(entry, hash_);
  }
  if (entry.facts.is_heartbeat) return;  // would fill the ring and hide all else
  if (entries_.size() < entries_max) entries_.push_back(entry);
  else entries_[added_ % entries_max] = entry;
  ++added_;
}

std::deque<Delivery> DeliveryLog::recent(const caf::actor_system& system) const {
  std::deque<Delivery> result;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const auto& entry = entries_[(added_ + i) % entries_.size()];
    result.push_back(
        {.sent = entry.sent,
         .arrived = entry.arrived,
         .from = entry.from,
         .to = entry.to,
         .what = describe(entry.facts, system),
         .session = entry.facts.session,
         .step = entry.facts.step,
         .lost = entry.lost});
  }
  return result;
}

}  // namespace troupe
