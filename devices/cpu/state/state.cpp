#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
namespace {

Status read_variable(Launch& launch, DType dtype) {
  auto variable = variable_input(launch, 0);
  if (!variable) return variable.status();
  auto value = (*variable)->read();
  if (!value.is_set()) return no_value(launch, 0);
  if (value.dtype() != dtype)
    return invalid_argument(
        std::string("the variable is ") + to_string(value.dtype()) + ", but is read as " +
        to_string(dtype));
  launch.set(0, std::move(value));
  return {};
}

Result<Kernel> make_read_variable(const Node& node) {
  return Kernel{.compute = [dtype = node.attr<DType>("dtype")](Launch& launch) {
    return read_variable(launch, dtype);
  }};
}

Status assign_variable(Launch& launch) {
  auto variable = variable_input(launch, 0);
  if (!variable) return variable.status();
  auto value = launch.take_input(1);
  auto status =
      check_fits(value.dtype(), value.shape(), (*variable)->dtype(), (*variable)->shape());
  if (!status.ok()) return status;
  (*variable)->assign(std::move(value));
  return (*variable)->is_dropped() ? no_value(launch, 0) : Status();
}

Status is_initialized(Launch& launch) {
  auto variable = variable_input(launch, 0);
  if (!variable) return variable.status();
  auto out = launch.allocate(DType::boolean, {});
  if (!out) return out.status();
  *out->mutable_data<bool>() = (*variable)->read().is_set();
  launch.set(0, *std::move(out));
  return {};
}

template <class F, class T>
Status compute_update(Launch& launch) {
  return update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& value = *values[0];
    const auto& delta = launch.input(1);
    auto status = check_fits(delta.dtype(), delta.shape(), value.dtype(), value.shape());
    if (!status.ok()) return status;
    auto updated = allocate_update(launch, value);
    if (!updated) return updated.status();
    auto* to = updated->template mutable_data<T>();
    const auto* from = value.template data<T>();
    parallel_ranges(value.elements(), 1, [&](int64_t begin, int64_t end) {
      apply<F>(to + begin, end - begin, from + begin, delta.data<T>() + begin);
    });
    value = *std::move(updated);
    return {};
  });
}

template <class F>
KernelCatalog::Make update(F) {
  return [](const Node& node) {
    return dispatch(Numeric{}, node.attr<DType>("dtype"), [](auto zero) {
      return Kernel{.compute = compute_update<F, decltype(zero)>};
    });
  };
}

}  // namespace

void add_state_kernels(KernelCatalog& catalog) {
  catalog.add("ReadVariableOp", make_read_variable);
  catalog.add_compute("AssignVariableOp", assign_variable);
  catalog.add_compute("VarIsInitializedOp", is_initialized);
  catalog.add("AssignAddVariableOp", update([](auto x, auto y) { return wrap(x) + wrap(y); }));
  catalog.add("AssignSubVariableOp", update([](auto x, auto y) { return wrap(x) - wrap(y); }));
}

}  // namespace troupe::cpu
