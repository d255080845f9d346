#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "troupe/devices/pieces/plan_draft.hpp"
#include "troupe/devices/pieces/plan_piece.hpp"

namespace troupe {

/// Makes one item of each piece that the device is to run as one. Returns the pieces, by item.
std::map<int32_t, std::shared_ptr<const PlanPiece>> join_pieces(
    const std::shared_ptr<const Graph>& graph, Device& device, PlanDraft draft, int launches_min);

}  // namespace troupe
