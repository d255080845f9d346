#include "troupe/devices/cuda/reduction/ranking.hpp"

#include <algorithm>
#include <optional>

#include "troupe/devices/cpu/reduction/ranking_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {
namespace {

/// Rows are sorted in memory of about that size.
constexpr int64_t scratch_bytes = int64_t{64} << 20;

/// Sets output 0 to the elements of those ranks, and output 1 to their places, where it is wanted.
Status set_ranked(
    Launch& launch, const Ranking& ranking, const cpu::RankedRows& rows, int64_t first,
    int64_t count, bool with_places) {
  const auto& x = launch.input(0);
  auto values = launch.allocate(x.dtype(), rows.result);
  if (!values) return values.status();
  Tensor places;
  if (with_places) {
    auto made = launch.allocate(DType::int32, rows.result);
    if (!made) return made.status();
    places = *std::move(made);
  }
  if (values->elements() > 0) {
    auto row_bytes = ranking.row_bytes(rows.length);
    auto at_once = std::clamp<int64_t>(scratch_bytes / row_bytes, 1, rows.count);
    auto memory = scratch(launch, static_cast<size_t>(at_once * row_bytes));
    if (!memory) return memory.status();
    ranking.function(
        {.values = values->mutable_raw(),
         .places = with_places ? out<int32_t>(places) : nullptr,
         .from = x.raw(),
         .rows = rows.count,
         .length = rows.length,
         .first = first,
         .count = count,
         .scratch = memory->mutable_raw(),
         .rows_at_once = at_once,
         .unsorted = nullptr,
         .stream = stream_of(launch)});
  }
  if (with_places) launch.set(1, std::move(places));
  return set_launched(launch, 0, *std::move(values), "a sort");
}

std::optional<int64_t> fixed_k(const Node& node) {
  return node.op->find_attr("k") ? std::optional(node.attr<int64_t>("k")) : std::nullopt;
}

/// The greatest come in order, whether they have to or not.
Result<Kernel> make_top_k(const Node& node) {
  auto ranking = find_ranking(element_of(node.attr<DType>("T")));
  if (!ranking.function) return no_kernel(node.attr<DType>("T"));
  return Kernel{.compute = [ranking, fixed = fixed_k(node)](Launch& launch) -> Status {
    auto rows = cpu::read_top_k(launch, fixed);
    if (!rows) return rows.status();
    return set_ranked(launch, ranking, *rows, 0, rows->wanted, /*with_places=*/true);
  }};
}

Result<Kernel> make_nth_element(const Node& node) {
  auto ranking = find_ranking(element_of(node.attr<DType>("T")));
  if (!ranking.function) return no_kernel(node.attr<DType>("T"));
  return Kernel{.compute = [ranking, reverse = node.attr<bool>("reverse")](Launch& launch) {
    auto rows = cpu::read_nth_element(launch, reverse);
    if (!rows) return rows.status();
    return set_ranked(launch, ranking, *rows, rows->wanted, 1, /*with_places=*/false);
  }};
}

Result<Kernel> make_in_top_k(const Node& node) {
  return Kernel{.compute = [fixed = fixed_k(node)](Launch& launch) -> Status {
    auto k = cpu::read_in_top_k(launch, fixed);
    if (!k) return k.status();
    const auto &predictions = launch.input(0), &targets = launch.input(1);
    auto result = launch.allocate(DType::boolean, targets.shape());
    if (!result) return result.status();
    if (result->elements() > 0)
      launch_in_top(
          {.out = out<bool>(*result),
           .predictions = in<float>(launch, 0),
           .targets = targets.raw(),
           .has_long_targets = targets.dtype() == DType::int64,
           .rows = targets.elements(),
           .classes = predictions.shape()[1],
           .k = *k,
           .stream = stream_of(launch)});
    return set_launched(launch, 0, *std::move(result), "a comparison of predictions");
  }};
}

}  // namespace

void add_ranking_kernels(KernelCatalog& catalog) {
  for (const auto* op : {"TopK", "TopKV2"}) catalog.add(op, make_top_k);
  for (const auto* op : {"InTopK", "InTopKV2"}) catalog.add(op, make_in_top_k);
  catalog.add("NthElement", make_nth_element);
}

}  // namespace troupe::cuda
