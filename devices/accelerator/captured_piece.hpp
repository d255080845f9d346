#pragma once

#include <memory>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/accelerator/graph_cache.hpp"
#include "troupe/devices/accelerator/stream_ordered_pool.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/pieces/plan_piece.hpp"

namespace troupe::accelerator {

/// What captured pieces have of their device.
struct CaptureParts {
  Device& device;
  std::shared_ptr<Driver> driver;
  std::shared_ptr<StreamOrderedPool> pool;
  std::shared_ptr<GraphCache> graphs;
};

/// The kernel of a piece of a plan. The first run for inputs of certain shapes is one of node by
/// node, so that libraries make what they need; the second captures the work on the compute lane,
/// and from then on that is replayed. What the work computes with lies in memory of its own:
///
/// - An input whose address is another than in the run before is copied there; one that stays where
///   it is, as a variable, is read in place, and where it has moved all the same, the work is
///   captured anew.
/// - What leaves the piece is copied out of it, so that a step can keep it while the next one runs.
///
/// It is run node by node where that is more than it saves, or what a kernel does cannot be
/// captured; GraphCache::describe() says why.
Kernel make_captured_piece(std::shared_ptr<const PlanPiece> piece, CaptureParts parts);

}  // namespace troupe::accelerator
