#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {
namespace {

Result<Kernel> make_const(const Node& node) {
  return Kernel{.compute = [value = node.attr<Tensor>("value")](Launch& launch) {
    launch.set(0, value);
    return Status();
  }};
}

Result<Kernel> make_placeholder(const Node& node) {
  auto refusal = invalid_argument(
      "placeholder '" + node.name + "' must be fed (" + to_string(node.attr<DType>("dtype")) +
      ", " + node.attr<Shape>("shape").to_string() + ")");
  return Kernel{.compute = [refusal](Launch&) { return refusal; }};
}

}  // namespace

void add_source_kernels(KernelCatalog& catalog) {
  catalog.add("Const", make_const);
  catalog.add("Placeholder", make_placeholder);
  catalog.add("PlaceholderV2", make_placeholder);
  catalog.add_compute("NoOp", [](Launch&) { return Status(); });
}

}  // namespace troupe::cpu
