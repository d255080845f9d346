#pragma once

#include <cstdint>
#include <vector>

#include "troupe/devices/pieces/plan_draft.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

/// The items of each piece of the plan (plan_piece.hpp) that has as many launches that put work on
/// the stream, each behind those that it needs.
std::vector<std::vector<int32_t>> find_pieces(
    const Graph& graph, const PlanDraft& draft, int launches_min);

}  // namespace troupe
