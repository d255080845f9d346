#include "troupe/devices/accelerator/host_side_kernels.hpp"

#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/devices/control_flow.hpp"
#include "troupe/devices/host_arguments.hpp"
#include "troupe/devices/temporary_variable.hpp"
#include "troupe/devices/transfer.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe::accelerator {
namespace {

/// Their kernels give on what they were given, maybe under another shape.
constexpr std::string_view passing[] = {
    "Assign",
    "AssignVariableOp",
    "EnsureShape",
    "ExpandDims",
    "GuaranteeConst",
    "Identity",
    "IdentityN",
    "NoOp",
    "PlaceholderWithDefault",
    "ReadVariableOp",
    "Reshape",
    "PreventGradient",
    "Snapshot",
    "Squeeze",
    "StopGradient",
    transfer::read};

/// Their kernels read and write sizes and other small things, for which no work on a card is worth
/// its start.
constexpr std::string_view computing[] = {
    "Assert",
    "BroadcastArgs",
    "BroadcastGradientArgs",
    "ConcatOffset",
    "Const",
    "IsVariableInitialized",
    "LinSpace",
    "Range",
    "Rank",
    "Shape",
    "ShapeN",
    "Size",
    "VarIsInitializedOp",
    "VariableShape"};

/// Among those, the ops whose results are used by work of the card, not by what decides about it.
bool gives_to_card(std::string_view op) {
  return op == "Const" || op == "LinSpace" || op == "Range";
}

std::vector<int> indices(size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Status compute_on_host(
    Device& host, const std::function<Status(Launch&)>& compute, Launch& launch,
    const std::vector<bool>& copies) {
  Tensors inputs, results(copies.size());
  for (int i = 0; i < launch.input_count(); ++i) inputs.push_back(launch.input(i));
  Launch on_host(
      host, {.resources = &launch.step_resources(), .at = launch.at(), .item = launch.item()},
      inputs, results);
  if (auto status = compute(on_host); !status.ok()) return status;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_set()) continue;
    if (copies[i]) {
      auto copy = launch.device().copy_in(results[i]);
      if (!copy) return copy.status();
      results[i] = *std::move(copy);
    }
    launch.set(static_cast<int>(i), std::move(results[i]));
  }
  return {};
}

/// `kernel` of the host for the card: all arguments lie on the host, and so do the results that are
/// not copied.
Kernel on_host(Kernel kernel, Device& host, const Node& node, const std::vector<bool>& copies) {
  kernel.host_inputs = indices(node.inputs.size());
  for (size_t i = 0; i < copies.size(); ++i)
    if (!copies[i]) kernel.host_outputs.push_back(static_cast<int>(i));
  kernel.compute = [&host, compute = std::move(kernel.compute), copies](Launch& launch) {
    return compute_on_host(host, compute, launch, copies);
  };
  return kernel;
}

KernelCatalog::Make computing_kernel(Device& host, const KernelCatalog::Make& make) {
  return [&host, make](const Node& node) {
    auto kernel = make(node);
    if (!kernel) return kernel;
    CHECK(kernel->compute);
    std::vector<bool> copies(node.output_dtypes.size(), gives_to_card(node.op->name()));
    return Result<Kernel>(on_host(*std::move(kernel), host, node, copies));
  };
}

/// Whether all that it computes with are its inputs' values.
bool has_values_alone(const Node& node) {
  if (node.op->is_stateful()) return false;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (node.takes_reference(static_cast<int>(i))) return false;
  for (size_t i = 0; i < node.output_dtypes.size(); ++i)
    if (node.gives_reference(static_cast<int>(i))) return false;
  return true;
}

}  // namespace

void add_host_side_kernels(KernelCatalog& catalog, Device& host) {
  KernelCatalog common;
  add_transfer_kernels(common);
  add_control_flow_kernels(common);
  add_temporary_variable_kernels(common);
  for (const auto& op : common.ops())
    if (!catalog.contains(op)) catalog.add(op, common.find(op));
  for (auto op : passing)
    if (auto make = host.kernels().find(op); make && !catalog.contains(op))
      catalog.add(std::string(op), make);
  declare_host_arguments(catalog);
  // These know their arguments by themselves.
  for (auto op : computing)
    if (auto make = host.kernels().find(op); make && !catalog.contains(op))
      catalog.add(std::string(op), computing_kernel(host, make));
}

std::optional<Kernel> make_on_host(Device& host, const Node& node) {
  if (!has_values_alone(node)) return std::nullopt;
  auto kernel = host.kernels().make(node);
  if (!kernel || !kernel->compute) return std::nullopt;
  std::vector<bool> copies(node.output_dtypes.size(), true);
  for (auto output : host_arguments_of(node.op->name()).outputs)
    copies[static_cast<size_t>(output)] = false;
  return on_host(*std::move(kernel), host, node, copies);
}

}  // namespace troupe::accelerator
