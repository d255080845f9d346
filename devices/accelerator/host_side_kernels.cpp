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
    Device& host, const std::function<Status(Launch&)>& compute, Launch& launch, size_t outputs,
    bool copies) {
  Tensors inputs, results(outputs);
  for (int i = 0; i < launch.input_count(); ++i) inputs.push_back(launch.input(i));
  Launch on_host(
      host, {.resources = &launch.step_resources(), .at = launch.at(), .item = launch.item()},
      inputs, results);
  if (auto status = compute(on_host); !status.ok()) return status;
  for (size_t i = 0; i < outputs; ++i) {
    if (!results[i].is_set()) continue;
    if (copies) {
      auto copy = launch.device().copy_in(results[i]);
      if (!copy) return copy.status();
      results[i] = *std::move(copy);
    }
    launch.set(static_cast<int>(i), std::move(results[i]));
  }
  return {};
}

/// All arguments lie on the host, but for results of those that give to the card.
KernelCatalog::Make computing_kernel(Device& host, const KernelCatalog::Make& make) {
  return [&host, make](const Node& node) {
    auto kernel = make(node);
    if (!kernel) return kernel;
    CHECK(kernel->compute);
    auto copies = gives_to_card(node.op->name());
    kernel->host_inputs = indices(node.inputs.size());
    if (!copies) kernel->host_outputs = indices(node.output_dtypes.size());
    kernel->compute = [&host, compute = std::move(kernel->compute),
                       outputs = node.output_dtypes.size(), copies](Launch& launch) {
      return compute_on_host(host, compute, launch, outputs, copies);
    };
    return kernel;
  };
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

}  // namespace troupe::accelerator
