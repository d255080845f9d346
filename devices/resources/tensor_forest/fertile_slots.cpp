#include "troupe/devices/resources/tensor_forest/fertile_slots.hpp"

namespace troupe::forest {

Result<FertileSlots> FertileSlots::make(
    std::shared_ptr<const Params> params, const FertileStats& stats) {
  if (auto status = params->check(); !status.ok()) return status;
  FertileSlots slots;
  slots.params_ = std::move(params);
  for (const auto& slot : stats.node_to_slot) {
    auto status = slots.allocate(slot.node_id, slot.depth);
    if (status.ok()) status = slots.slots_[slot.node_id]->restore(slot);
    if (!status.ok()) return status;
  }
  if (slots.slots_.empty())
    if (auto status = slots.allocate(0, 0); !status.ok()) return status;
  return slots;
}

FertileStats FertileSlots::store() const {
  FertileStats stats;
  for (const auto& [node, held] : slots_) {
    auto& slot = stats.node_to_slot.emplace_back();
    slot.node_id = node;
    if (params_->checkpoint_stats) held->store(slot);
    slot.depth = held->depth();
  }
  return stats;
}

Result<NodeStats*> FertileSlots::find(int32_t node) {
  auto found = slots_.find(node);
  if (found != slots_.end()) return found->second.get();
  return invalid_argument("there are no statistics of node " + std::to_string(node));
}

Status FertileSlots::allocate(int32_t node, int32_t depth) {
  auto made = NodeStats::make(params_, depth);
  if (!made) return made.status();
  slots_[node] = *std::move(made);
  return {};
}

}  // namespace troupe::forest
