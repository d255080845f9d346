#include "troupe/devices/control_flow.hpp"

#include "troupe/devices/device.hpp"
#include "troupe/devices/resources/stack.hpp"
#include "troupe/devices/step_resources.hpp"
#include "troupe/graph/ops/loops.hpp"

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

/// The numbers of its inputs are made once, as a Merge of a loop runs in each iteration.
Result<Kernel> make_merge(const Node& node) {
  Tensors numbers;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    numbers.push_back(Tensor::scalar(static_cast<int32_t>(i)));
  auto compute = [numbers](Launch& launch) -> Status {
    for (int i = 0; i < launch.input_count(); ++i) {
      if (!launch.input(i).is_set()) continue;
      launch.set(0, launch.take_input(i));
      launch.set(1, numbers[static_cast<size_t>(i)]);
      return {};
    }
    return internal("a Merge ran without a value");
  };
  return Kernel{.compute = compute, .host_outputs = {1}, .merges = true};
}

Status pass_on(Launch& launch) {
  launch.set(0, launch.take_input(0));
  return {};
}

Status run_loop_cond(Launch& launch) {
  const auto& shape = launch.input(0).shape();
  if (!shape.is_scalar())
    return invalid_argument("the condition must be a scalar, not " + shape.to_string());
  return pass_on(launch);
}

KernelCatalog::Make make_passing(LoopRole role) {
  return [role](const Node&) -> Result<Kernel> {
    return Kernel{.compute = pass_on, .loop_role = role};
  };
}

Result<Kernel> make_enter(const Node& node) {
  auto role = node.attr<bool>("is_constant") ? LoopRole::constant_enter : LoopRole::enter;
  return make_passing(role)(node);
}

Status run_ref_select(Launch& launch) {
  const auto& shape = launch.input(0).shape();
  if (!shape.is_scalar())
    return invalid_argument("index must be a scalar, not " + shape.to_string());
  auto index = launch.input(0).value<int32_t>();
  if (index < 0 || index >= launch.input_count() - 1)
    return invalid_argument(
        "index must be in [0, " + std::to_string(launch.input_count() - 1) + "), not " +
        std::to_string(index));
  launch.set(0, launch.take_input(index + 1));
  return {};
}

Result<Kernel> make_abort(const Node& node) {
  return Kernel{.compute = [message = node.attr<std::string>("error_msg")](Launch&) {
    return aborted(message.empty() ? "the graph ended the step" : message);
  }};
}

void add_loop_kernels(KernelCatalog& catalog) {
  catalog.add(loops::enter, make_enter);
  catalog.add(loops::ref_enter, make_enter);
  catalog.add(loops::exit, make_passing(LoopRole::exit));
  catalog.add(loops::ref_exit, make_passing(LoopRole::exit));
  catalog.add(loops::next_iteration, make_passing(LoopRole::next_iteration));
  catalog.add(loops::ref_next_iteration, make_passing(LoopRole::next_iteration));
  catalog.add_compute(loops::loop_cond, run_loop_cond);
  catalog.on_host(loops::loop_cond, {0}, {0});
  catalog.add("ControlTrigger", [](const Node&) -> Result<Kernel> {
    return Kernel{.compute = [](Launch&) { return Status(); }, .takes_dead = true};
  });
  catalog.add("Abort", make_abort);
}

Result<Kernel> make_stack(const Node& node) {
  const auto& given = node.attr<std::string>("stack_name");
  auto name = given.empty() ? node.name : given;
  auto has_size = !node.inputs.empty();
  auto compute = [name, has_size, dtype = node.attr<DType>("elem_type")](Launch& launch) -> Status {
    if (has_size && !launch.input(0).shape().is_scalar())
      return invalid_argument(
          "max_size must be a scalar, not " + launch.input(0).shape().to_string());
    auto size_max = has_size ? launch.input(0).value<int32_t>() : -1;
    auto stack = std::make_shared<StackResource>(dtype, size_max);
    launch.set(0, Tensor::scalar(launch.step_resources().add(name, std::move(stack))));
    return {};
  };
  return Kernel{.compute = compute, .host_inputs = has_size ? std::vector{0} : std::vector<int>()};
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

Result<Kernel> make_pop(const Node& node) {
  auto compute = [dtype = node.attr<DType>("elem_type")](Launch& launch) -> Status {
    auto stack = stack_input(launch);
    if (!stack) return stack.status();
    if ((*stack)->dtype() != dtype)
      return invalid_argument(
          std::string("the stack holds ") + to_string((*stack)->dtype()) + ", not " +
          to_string(dtype));
    auto element = (*stack)->pop();
    if (element) launch.set(0, *std::move(element));
    return element.status();
  };
  return Kernel{.compute = compute};
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
  catalog.add_compute("RefSwitch", run_switch);
  catalog.on_host("RefSwitch", {1});
  catalog.add(loops::ref_merge, make_merge);
  catalog.add_compute("RefSelect", run_ref_select);
  catalog.on_host("RefSelect", {0});
  add_loop_kernels(catalog);
  for (const std::string version : {"", "V2"}) {
    catalog.add("Stack" + version, make_stack);
    catalog.add_compute("StackPush" + version, run_push);
    catalog.add("StackPop" + version, make_pop);
    catalog.add_compute("StackClose" + version, run_close);
  }
}

}  // namespace troupe
