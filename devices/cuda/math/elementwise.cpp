#include "troupe/devices/cuda/math/elementwise.hpp"

#include <map>
#include <vector>

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/math/special.hpp"

namespace troupe::cuda {
namespace {

/// Ops that compute what another one does.
constexpr std::pair<std::string_view, std::string_view> same_ops[] = {
    {"AddV2", "Add"},
    {"RealDiv", "Div"},
    {"Inv", "Reciprocal"},
    {"Mod", "TruncateMod"},
    {"ReciprocalGrad", "InvGrad"},
};

template <class Function>
using Functions = std::map<Element, Function>;

/// The dtype of results, from that of the operands.
using ResultDType = DType (*)(DType operands);
constexpr ResultDType as_operands = [](DType dtype) { return dtype; };
constexpr ResultDType boolean = [](DType) { return DType::boolean; };
constexpr ResultDType bytes = [](DType) { return DType::uint8; };
constexpr ResultDType parts = [](DType dtype) {
  return dtype == DType::complex64 ? DType::float32 : DType::float64;
};
constexpr ResultDType made_of_parts = [](DType dtype) {
  return dtype == DType::float32 ? DType::complex64 : DType::complex128;
};

/// All entries of two tables.
template <class Entry>
std::vector<Entry> joined(std::span<const Entry> first, std::span<const Entry> second) {
  std::vector<Entry> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

template <class Entry>
auto find_in(
    std::initializer_list<std::span<const Entry>> tables, std::string_view op, Element element)
    -> decltype(Entry::launch) {
  for (auto entries : tables)
    for (const auto& entry : entries)
      if (entry.op == op && entry.element == element) return entry.launch;
  return nullptr;
}

Status compute_unary(Launch& launch, LaunchUnary function, DType dtype) {
  const auto shape = launch.input(0).shape();
  const auto* x = launch.input(0).raw();
  auto result = launch.reuse_or_allocate({0}, dtype, shape);
  if (!result) return result.status();
  if (result->elements() > 0)
    function(result->mutable_raw(), x, result->elements(), stream_of(launch));
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Status start_binary(Launch& launch, LaunchBinary function, DType dtype, const Shape& shape) {
  const Shape shapes[] = {launch.input(0).shape(), launch.input(1).shape()};
  BinaryCall call{
      .out = nullptr,
      .x = launch.input(0).raw(),
      .y = launch.input(1).raw(),
      .walk = broadcast_walk<2>(shape, shapes),
      .stream = stream_of(launch)};
  // An operand of the result's shape is not repeated.
  auto result = launch.reuse_or_allocate({0, 1}, dtype, shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (result->elements() > 0) function(call);
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Status compute_binary(Launch& launch, LaunchBinary function, DType dtype) {
  auto shape = broadcast(launch.input(0).shape(), launch.input(1).shape());
  if (!shape) return shape.status();
  return start_binary(launch, function, dtype, *shape);
}

Status compute_pairwise(Launch& launch, LaunchBinary function, DType dtype) {
  const auto x = launch.input(0).shape(), y = launch.input(1).shape();
  if (x == y) return start_binary(launch, function, dtype, x);
  return invalid_argument(
      "both operands must have one shape, but are " + x.to_string() + " and " + y.to_string());
}

/// The attribute T, or of the ops on bools, which have none, that.
DType dtype_of_node(const Node& node) {
  return node.attrs.contains("T") ? node.attr<DType>("T") : DType::boolean;
}

/// Adds a kernel for each op of the entries: compute(launch, function, dtype of the result).
template <class Function, class Compute>
void add_entries(
    KernelCatalog& catalog, const auto& entries, Compute compute,
    ResultDType result_dtype = as_operands) {
  std::map<std::string_view, Functions<Function>> by_op;
  for (const auto& entry : entries) by_op[entry.op].emplace(entry.element, entry.launch);
  for (auto [op, same] : same_ops)
    if (auto found = by_op.find(same); found != by_op.end()) by_op[op] = found->second;
  for (const auto& [op, functions] : by_op)
    catalog.add(std::string(op), [=](const Node& node) -> Result<Kernel> {
      auto dtype = dtype_of_node(node);
      auto found = functions.find(element_of(dtype));
      if (found == functions.end()) return no_kernel(dtype);
      auto result = result_dtype(dtype);
      return Kernel{.compute = [=, function = found->second](Launch& launch) {
        return compute(launch, function, result);
      }};
    });
}

Status set_flag(Launch& launch, bool flag) {
  auto result = launch.allocate(DType::boolean, {});
  if (!result) return result.status();
  auto status = to_status(
      cudaMemsetAsync(result->mutable_raw(), flag ? 1 : 0, 1, stream_of(launch)), "a fill");
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

/// Shapes that cannot be broadcast together are an error, or one `unequal`.
void allow_unequal_shapes(KernelCatalog& from, KernelCatalog& catalog, const char* op) {
  auto unequal = std::string_view(op) == "NotEqual";
  catalog.add(op, [make = from.find(op), unequal](const Node& node) {
    auto kernel = make(node);
    if (!kernel || node.attr<bool>("incompatible_shape_error")) return kernel;
    kernel->compute = [compute = kernel->compute, unequal](Launch& launch) {
      if (broadcast(launch.input(0).shape(), launch.input(1).shape())) return compute(launch);
      return set_flag(launch, unequal);
    };
    return kernel;
  });
}

Result<Kernel> make_cast(const Node& node) {
  auto from = node.attr<DType>("SrcT"), to = node.attr<DType>("DstT");
  if (from == to)
    return Kernel{.compute = [](Launch& launch) {
      launch.set(0, launch.take_input(0));
      return Status();
    }};
  for (auto dtype : {from, to})
    if (!is_plain(dtype)) return no_kernel(dtype);
  if (node.attr<bool>("Truncate"))
    return unimplemented("there is no CUDA kernel for casts that truncate");
  return Kernel{.compute = [from, to](Launch& launch) -> Status {
    const auto& x = launch.input(0);
    auto result = launch.allocate(to, x.shape());
    if (!result) return result.status();
    if (x.elements() > 0)
      launch_cast(
          result->mutable_raw(), element_of(to), x.raw(), element_of(from), x.elements(),
          stream_of(launch));
    return set_launched(launch, 0, *std::move(result), "a cast");
  }};
}

}  // namespace

LaunchUnary find_unary(std::string_view op, Element element) {
  return find_in({unary_entries(), complex_unary_entries()}, op, element);
}
LaunchBinary find_binary(std::string_view op, Element element) {
  return find_in({binary_entries(), complex_binary_entries()}, op, element);
}

LaunchBinary find_sum(Element element) { return find_binary("Add", element); }

void add_elementwise_kernels(KernelCatalog& catalog) {
  add_entries<LaunchUnary>(
      catalog, joined(unary_entries(), complex_unary_entries()), compute_unary);
  add_entries<LaunchUnary>(catalog, part_entries(), compute_unary, parts);
  add_entries<LaunchUnary>(catalog, flag_entries(), compute_unary, boolean);
  add_entries<LaunchUnary>(catalog, invert_entries(), compute_unary);
  add_entries<LaunchUnary>(catalog, special_unary_entries(), compute_unary);
  add_entries<LaunchUnary>(catalog, count_entries(), compute_unary, bytes);
  add_entries<LaunchBinary>(
      catalog, joined(binary_entries(), complex_binary_entries()), compute_binary);
  add_entries<LaunchBinary>(catalog, complex_making_entries(), compute_binary, made_of_parts);
  add_entries<LaunchBinary>(catalog, bitwise_entries(), compute_binary);
  add_entries<LaunchBinary>(catalog, special_binary_entries(), compute_binary);
  add_entries<LaunchBinary>(
      catalog, joined(pairwise_entries(), complex_pairwise_entries()), compute_pairwise);
  KernelCatalog comparisons;
  add_entries<LaunchBinary>(
      comparisons, joined(comparison_entries(), complex_comparison_entries()), compute_binary,
      boolean);
  for (const auto& op : comparisons.ops())
    if (op != "Equal" && op != "NotEqual") catalog.add(op, comparisons.find(op));
  for (const auto* op : {"Equal", "NotEqual"}) allow_unequal_shapes(comparisons, catalog, op);
  catalog.add("Cast", make_cast);
}

}  // namespace troupe::cuda
