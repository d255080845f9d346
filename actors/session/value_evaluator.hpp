#pragma once

#include <cstdint>
#include <memory>

#include "troupe/devices/device.hpp"
#include "troupe/graph/optimize/passes.hpp"

namespace troupe {

/// The most time, in nanoseconds as kernels estimate it, that one evaluator spends on all nodes,
/// and on one node; what would take more is not folded.
inline constexpr int64_t evaluated_ns_max = 50'000'000;
inline constexpr int64_t evaluated_node_ns_max = 5'000'000;

/// Computes nodes for constant folding with the kernels of a device in host memory, at once and on
/// the calling thread: those that do not wait and cost little. Results lie in memory of their own,
/// not in that of the device.
EvaluateNode make_value_evaluator(std::shared_ptr<Device> device);

}  // namespace troupe
