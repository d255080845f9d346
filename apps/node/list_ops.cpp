#include "troupe/apps/node/list_ops.hpp"

#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/op_signature.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/loaded_ops.hpp"

namespace troupe {
namespace {

const char* gradient_of(const Op& op) {
  if (!op.gradient()) return "no gradient";
  auto* function = op.gradient().target<void (*)(Gradient&)>();
  return function && *function == &not_differentiable ? "not differentiable" : "gradient";
}

}  // namespace

std::string list_ops() {
  auto catalog = op_catalog();
  auto ops = loaded_ops::all();
  for (const auto& [name, op] : catalog->all())
    if (name[0] != '_') ops.push_back(&op);  // those are the runtime's own
  std::ranges::sort(ops, {}, &Op::name);
  auto kernels = cpu::make_kernel_catalog();
  std::string lines;
  for (const auto* op : ops) {
    // Calls are inlined and handles bound before a device sees them.
    auto device = kernels.contains(op->name()) ? "CPU" : "any";
    lines += signature(*op) + "\t" + dtypes_text(*op) + "\t" + gradient_of(*op) + "\t" + device +
             "\t" + op->family() + "\n";
  }
  return lines;
}

}  // namespace troupe
