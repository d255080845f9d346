#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "troupe/devices/plan.hpp"

namespace troupe {

/// The value of an input that no edge brings.
struct ConstantInput {
  int32_t item;
  int32_t input;
  Tensor value;
};

/// What a plan's compiler has laid out so far. The slots of edges count from their consumer's
/// first.
struct PlanDraft {
  std::vector<Plan::NodeItem>& items;
  std::vector<KernelCatalog::Compute>& computes;    // by item
  std::vector<std::vector<Plan::Edge>>& consumers;  // by item
  std::vector<ConstantInput>& constants;
  std::deque<Kernel>& kernels;
};

}  // namespace troupe
