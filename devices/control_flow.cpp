#include "troupe/devices/control_flow.hpp"

#include "troupe/devices/device.hpp"
#include "troupe/devices/resources/stack.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe {
namespace {

Status run_switch(Launch& launch) {
  const auto& pred = launch.input(1);
  if (!pred.shape().is_scalar())
    return invalid_argument("pred must be a scalar, not " + pred.shape().to_string());
  auto output = pred.value<bool>() ? 1 : 0;
  launch.set(output, launch.take_input(0));
  return {};
}

Status run_merge(Launch& launch) {
  for (int i = 0; i < launch.input_count(); ++i) {
    if (!launch.input(i).is_set()) continue;
    launch.set(0, launch.take_input(i));
    launch.set(1, Tensor::scalar(static_cast<int32_t>(i)));
    return {};
  }
  return internal("a Merge ran without a value");
}

Result<Kernel> make_merge(const Node&) {
  return Kernel{.compute = run_merge, .host_outputs = {1}, .merges = true};
}

Result<Kernel> make_stack(const Node& node) {
  const auto& given = node.attr<std::string>("stack_name");
  auto name = given.empty() ? node.name : given;
  auto compute = [name, dtype = node.attr<DType>("elem_type")](Launch& launch) {
    auto stack = std::make_shared<StackResource>(dtype, launch.input(0).value<int32_t>());
    launch.set(0, Tensor::scalar(launch.step_resources().add(name, std::move(stack))));
    return Status();
  };
  return Kernel{.compute = compute, .host_inputs = {0}};
}

Result<StackResource*> stack_input(const Launch& launch) {
  const auto& handle = launch.input(0).value<ResourceHandle>();
  auto* stack = dynamic_cast<StackResource*>(handle.resource.get());
  if (!stack) return invalid_argument("'" + handle.name + "' is no stack");
  return stack;
}

Status run_push(Launch& launch) {
  auto stack = stack_input(launch);
  if (!stack) return stack.status();
  launch.set(0, launch.input(1));
  return (*stack)->push(launch.take_input(1));
}

Status run_pop(Launch& launch) {
  auto stack = stack_input(launch);
  if (!stack) return stack.status();
  auto element = (*stack)->pop();
  if (element) launch.set(0, *std::move(element));
  return element.status();
}

Status run_close(Launch& launch) {
  launch.step_resources().drop(launch.input(0).value<ResourceHandle>());
  return {};
}

}  // namespace

void add_control_flow_kernels(KernelCatalog& catalog) {
  catalog.add_compute("Switch", run_switch);
  catalog.on_host("Switch", {1});
  catalog.add("Merge", make_merge);
  catalog.add("StackV2", make_stack);
  catalog.add_compute("StackPushV2", run_push);
  catalog.add_compute("StackPopV2", run_pop);
  catalog.add_compute("StackCloseV2", run_close);
}

}  // namespace troupe
