#include "troupe/devices/cpu/state/state.hpp"
#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cpu/state/variable_read.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

Result<Kernel> make_read_variable(const Node& node) {
  auto set_value = [](Launch& launch, Tensor value) {
    launch.set(0, std::move(value));
    return Status();
  };
  return reading_kernel(node.attr<DType>("dtype"), set_value);
}

/// The value, or a copy of it if it lies in memory that is only lent: a variable would keep that
/// from another process, or a whole message of a client.
Result<Tensor> in_own_memory(const Launch& launch, Tensor value) {
  if (value.allocator() == &launch.device().allocator() || !is_plain(value.dtype())) return value;
  auto copy = launch.allocate(value.dtype(), value.shape());
  if (!copy) return copy;
  auto* to = static_cast<std::byte*>(copy->mutable_raw());
  const auto* from = static_cast<const std::byte*>(std::as_const(value).raw());
  parallel_ranges(static_cast<int64_t>(value.bytes()), 1, [&](int64_t begin, int64_t end) {
    std::copy(from + begin, from + end, to + begin);
  });
  return copy;
}

Status assign_variable(Launch& launch) {
  auto variable = variable_input(launch, 0);
  return variable ? assign_value(launch, (*variable)->shape()) : variable.status();
}

Status is_initialized(Launch& launch) {
  auto variable = variable_input(launch, 0);
  if (!variable) return variable.status();
  auto out = launch.allocate(DType::boolean, {});
  if (!out) return out.status();
  *out->mutable_data<bool>() = (*variable)->has_value();
  launch.set(0, *std::move(out));
  return {};
}

Status compute_update(Launch& launch, const BinaryElements& elements) {
  return update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& value = *values[0];
    const auto& delta = launch.input(1);
    auto status = check_fits(delta.dtype(), delta.shape(), value.dtype(), value.shape());
    if (!status.ok()) return status;
    auto updated = allocate_update(launch, value);
    if (!updated) return updated.status();
    auto* to = static_cast<std::byte*>(updated->mutable_raw());
    const auto* from = static_cast<const std::byte*>(std::as_const(value).raw());
    const auto* by = static_cast<const std::byte*>(delta.raw());
    auto size = int64_t(size_of(elements.in));
    parallel_ranges(value.elements(), 1, [&](int64_t begin, int64_t end) {
      auto at = begin * size;
      elements.loop(to + at, from + at, by + at, end - begin, Repeat::none);
    });
    value = *std::move(updated);
    return {};
  });
}

KernelCatalog::Make update(BinaryElements (*choose)(DType)) {
  return [choose](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("dtype");
    auto elements = choose(dtype);
    if (!elements.loop) return no_kernel(dtype);
    return Kernel{
        .compute = [elements](Launch& launch) { return compute_update(launch, elements); }};
  };
}

}  // namespace

Status assign_value(Launch& launch, const Shape& shape) {
  auto variable = variable_input(launch, 0);
  if (!variable) return variable.status();
  auto value = launch.take_input(1);
  auto status = check_fits(value.dtype(), value.shape(), (*variable)->dtype(), shape);
  if (!status.ok()) return status;
  auto own = in_own_memory(launch, std::move(value));
  if (!own) return own.status();
  (*variable)->assign(*std::move(own));
  note_change(launch, 0);
  return (*variable)->is_dropped() ? no_value(launch, 0) : Status();
}

void add_state_kernels(KernelCatalog& catalog) {
  catalog.add("ReadVariableOp", make_read_variable);
  catalog.add_compute("AssignVariableOp", assign_variable);
  catalog.add_compute("VarIsInitializedOp", is_initialized);
  catalog.add("AssignAddVariableOp", update(addition));
  catalog.add("AssignSubVariableOp", update(subtraction));
  add_scatter_kernels(catalog);
  add_variable_parts_kernels(catalog);
  add_strided_assign_kernels(catalog);
}

}  // namespace troupe::cpu
