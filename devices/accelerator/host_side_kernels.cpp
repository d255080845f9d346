#include "troupe/devices/accelerator/host_side_kernels.hpp"

#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/devices/control_flow.hpp"
#include "troupe/devices/memory/host_arguments.hpp"
#include "troupe/devices/session_tensor_kernels.hpp"
#include "troupe/devices/temporary_variable.hpp"
#include "troupe/devices/transfer.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe::accelerator {
namespace {

/// Their kernels work on variables or staged tensors as a whole, or on nothing.
constexpr std::string_view whole[] = {
    "Assign",
    "AssignVariableOp",
    "MapClear",
    "MapPeek",
    "MapStage",
    "MapUnstage",
    "MapUnstageNoKey",
    "NoOp",
    "OrderedMapClear",
    "OrderedMapPeek",
    "OrderedMapStage",
    "OrderedMapUnstage",
    "OrderedMapUnstageNoKey",
    "ReadVariableOp",
    "Stage",
    "StageClear",
    "StagePeek",
    "Unstage",
    transfer::read};

/// Their kernels give on what they were given, maybe under another shape.
constexpr std::string_view passing[] = {"EnsureShape", "ExpandDims",      "GuaranteeConst",
                                        "Identity",    "IdentityN",       "PlaceholderWithDefault",
                                        "Reshape",     "PreventGradient", "Snapshot",
                                        "Squeeze",     "StopGradient"};

/// Their kernels read and write sizes and other small things, for which no work on a card is worth
/// its start.
constexpr std::string_view computing[] = {
    "Assert",
    "BroadcastArgs",
    "BroadcastGradientArgs",
    "ConcatOffset",
    "Const",
    "InvertPermutation",
    "IsVariableInitialized",
    "LinSpace",
    "MapIncompleteSize",
    "MapSize",
    "OrderedMapIncompleteSize",
    "OrderedMapSize",
    "Range",
    "Rank",
    "Shape",
    "ShapeN",
    "Size",
    "StageSize",
    "Timestamp",
    "VarIsInitializedOp",
    "VariableShape"};

/// No kernel of a card computes them, or none where the vendor's library for them is not installed,
/// but in TensorFlow kernels of GPUs do: a program that asks for a GPU gets one, whose results the
/// host computes.
constexpr std::string_view on_request[] = {
    "Cholesky",
    "CholeskyGrad",
    "CombinedNonMaxSuppression",
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv3D",
    "Conv3DBackpropFilterV2",
    "Conv3DBackpropInputV2",
    "CopyHost",
    "FFT",
    "FFT2D",
    "FFT3D",
    "FusedBatchNorm",
    "FusedBatchNormGrad",
    "FusedBatchNormGradV2",
    "FusedBatchNormGradV3",
    "FusedBatchNormV2",
    "FusedBatchNormV3",
    "IFFT",
    "IFFT2D",
    "IFFT3D",
    "IRFFT",
    "IRFFT2D",
    "IRFFT3D",
    "LogMatrixDeterminant",
    "Lu",
    "MatrixDeterminant",
    "MatrixInverse",
    "MatrixSolve",
    "MatrixTriangularSolve",
    "Qr",
    "RFFT",
    "RFFT2D",
    "RFFT3D",
    "SelfAdjointEigV2",
    "Svd"};

/// Among `computing`, the ops whose results follow from shapes and from values on the host alone.
bool follows_from_shapes(std::string_view op) {
  return op == "BroadcastArgs" || op == "BroadcastGradientArgs" || op == "ConcatOffset" ||
         op == "Rank" || op == "Shape" || op == "ShapeN" || op == "Size";
}

/// The ops that look at shapes only, wherever the elements lie.
bool reads_no_elements(std::string_view op) {
  return op == "Rank" || op == "Shape" || op == "ShapeN" || op == "Size";
}

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
  kernel.repeats = Repeats::no;
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
    auto op = node.op->name();
    std::vector<bool> copies(node.output_dtypes.size(), gives_to_card(op));
    auto on = on_host(*std::move(kernel), host, node, copies);
    if (reads_no_elements(op)) {
      on.takes_any_memory = true;
      on.host_inputs.clear();
    }
    if (follows_from_shapes(op)) on.repeats = Repeats::without_work;
    return Result<Kernel>(std::move(on));
  };
}

/// A kernel that gives on its first input, wherever that lies, and reads the others.
KernelCatalog::Make printing_kernel(const KernelCatalog::Make& make) {
  return [make](const Node& node) {
    auto kernel = make(node);
    if (!kernel) return kernel;
    auto read = indices(node.inputs.size());
    kernel->host_inputs.assign(read.begin() + 1, read.end());
    return kernel;
  };
}

/// Which outputs of a node of the host go to the card: all but those that the card has there.
std::vector<bool> copied_outputs(const Node& node) {
  std::vector<bool> copies(node.output_dtypes.size(), true);
  for (auto output : host_arguments_of(node.op->name()).outputs)
    copies[static_cast<size_t>(output)] = false;
  return copies;
}

Status no_kernel_that_waits(const Node& node) {
  return unimplemented(
      "the host's kernel for op " + node.op->name() + " waits, and cannot compute for a card");
}

KernelCatalog::Make copied_kernel(Device& host, const KernelCatalog::Make& make) {
  return [&host, make](const Node& node) {
    auto kernel = make(node);
    if (!kernel) return kernel;
    return kernel->compute
               ? Result<Kernel>(on_host(*std::move(kernel), host, node, copied_outputs(node)))
               : no_kernel_that_waits(node);
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
  add_session_tensor_kernels(common);
  for (const auto& op : common.ops())
    if (!catalog.contains(op)) catalog.add(op, common.find(op));
  auto add_from_host = [&](std::string_view op) {
    auto make = host.kernels().find(op);
    if (make && !catalog.contains(op)) catalog.add(std::string(op), make);
  };
  for (auto op : whole) add_from_host(op);
  for (auto op : passing) add_from_host(op);
  for (auto op : passing)
    if (catalog.contains(op)) catalog.set_repeats(op, Repeats::without_work);
  declare_host_arguments(catalog);
  // These know their arguments by themselves.
  for (auto op : computing)
    if (auto make = host.kernels().find(op); make && !catalog.contains(op))
      catalog.add(std::string(op), computing_kernel(host, make));
  if (auto make = host.kernels().find("Print")) catalog.add("Print", printing_kernel(make));
  for (auto op : on_request)
    if (auto make = host.kernels().find(op); make && !catalog.contains(op))
      catalog.add_on_request(std::string(op), copied_kernel(host, make));
}

std::optional<Kernel> make_on_host(Device& host, const Node& node) {
  if (!has_values_alone(node)) return std::nullopt;
  auto kernel = host.kernels().make(node);
  if (!kernel || !kernel->compute) return std::nullopt;
  return on_host(*std::move(kernel), host, node, copied_outputs(node));
}

Result<Kernel> make_for_host(Device& host, const Node& node) {
  auto kernel = host.kernels().make(node);
  if (!kernel) return kernel;
  if (!kernel->compute) return no_kernel_that_waits(node);
  return on_host(
      *std::move(kernel), host, node, std::vector<bool>(node.output_dtypes.size(), false));
}

}  // namespace troupe::accelerator
