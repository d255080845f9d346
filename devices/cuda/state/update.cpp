#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {
namespace {

/// Adds a value to a variable, or subtracts it, where the variable lies if nobody reads it.
Status compute_update(Launch& launch, LaunchBinary function) {
  return cpu::update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& value = *values[0];
    const auto& delta = launch.input(1);
    auto status = cpu::check_fits(delta.dtype(), delta.shape(), value.dtype(), value.shape());
    if (!status.ok()) return status;
    auto updated = cpu::allocate_update(launch, value);
    if (!updated) return updated.status();
    BinaryCall call{
        .out = updated->mutable_raw(),
        .x = std::as_const(value).raw(),
        .y = delta.raw(),
        .walk = {},
        .stream = stream_of(launch)};
    call.walk.add_axis(value.elements(), {{1, 1}});
    if (value.elements() > 0) function(call);
    status = launched("an update of a variable");
    if (status.ok()) value = *std::move(updated);
    return status;
  });
}

KernelCatalog::Make update(const char* op) {
  return [op](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("dtype");
    auto function = find_binary(op, element_of(dtype));
    if (!function) return no_kernel(dtype);
    return Kernel{
        .compute = [function](Launch& launch) { return compute_update(launch, function); }};
  };
}

}  // namespace

void add_update_kernels(KernelCatalog& catalog) {
  catalog.add("AssignAddVariableOp", update("Add"));
  catalog.add("AssignSubVariableOp", update("Sub"));
}

}  // namespace troupe::cuda
