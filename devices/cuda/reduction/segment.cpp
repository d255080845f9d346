#include "troupe/devices/cuda/reduction/segment.hpp"

#include <bit>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/reduction/segment_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cuda {
namespace {

using cpu::SegmentDivisor;

struct SegmentOp {
  LaunchSegments function;
  SegmentFinish finish = SegmentFinish::nothing;
  int64_t empty = 0;
};

/// Which rows are folded to which; the ids lie on the host, as they say how large the result is.
struct Segments {
  int64_t count = 0;
  std::vector<int64_t> starts;
  std::vector<int64_t> rows;     // empty: the entries themselves
  std::vector<double> divisors;  // empty: none

  /// Where the entries of each number begin, and the last ones end.
  static std::vector<int64_t> counted(std::span<const int64_t> numbers, int64_t count) {
    std::vector<int64_t> starts(static_cast<size_t>(count) + 1);
    for (auto number : numbers) ++starts[static_cast<size_t>(number) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    return starts;
  }
};

/// Folds input 0, and sets output 0.
Status set_folded(Launch& launch, const SegmentOp& op, const Segments& segments) {
  const auto& data = launch.input(0);
  auto shape = cpu::with_rows(data.shape(), segments.count);
  if (!shape) return shape.status();
  auto result = launch.allocate(data.dtype(), *shape);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "segments");
  // All arrays are copied at once.
  auto numbers = segments.starts;
  numbers.insert(numbers.end(), segments.rows.begin(), segments.rows.end());
  for (auto divisor : segments.divisors) numbers.push_back(std::bit_cast<int64_t>(divisor));
  auto on_host = Tensor::of<int64_t>({std::ssize(numbers)}, std::span<const int64_t>(numbers));
  auto copy = launch.device().copy_in(on_host);
  if (!copy) return copy.status();
  const auto* arrays = static_cast<const int64_t*>(copy->raw());
  const auto* rows = arrays + segments.starts.size();
  const auto* divisors = reinterpret_cast<const double*>(rows + segments.rows.size());
  op.function(
      {.out = result->mutable_raw(),
       .from = data.raw(),
       .starts = arrays,
       .rows = segments.rows.empty() ? nullptr : rows,
       .divisors = segments.divisors.empty() ? nullptr : divisors,
       .count = segments.count,
       .inner = cpu::row_size_of(data.shape()),
       .finish = op.finish,
       .empty = op.empty,
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "segments");
}

Status compute_sorted(Launch& launch, const SegmentOp& op) {
  auto ids = to_ints(launch.input(1));
  CHECK(ids);
  auto count = cpu::count_sorted_segments(launch.input(0).shape(), launch.input(1).shape(), *ids);
  if (!count) return count.status();
  return set_folded(launch, op, {.count = *count, .starts = Segments::counted(*ids, *count)});
}

Status compute_sparse(Launch& launch, const SegmentOp& op, bool is_counted) {
  auto given = cpu::read_sparse_segments(launch, is_counted);
  if (!given) return given.status();
  return set_folded(
      launch, op,
      {.count = given->count,
       .starts = Segments::counted(given->ids, given->count),
       .rows = std::move(given->indices)});
}

/// Each row of the result gets the gradients of its segments, over what their rows make of them.
Status compute_gradient(Launch& launch, const SegmentOp& op, SegmentDivisor divisor) {
  auto given = cpu::read_sparse_segment_gradient(launch);
  if (!given) return given.status();
  Segments segments{
      .count = given->count, .starts = Segments::counted(given->indices, given->count)};
  std::vector<int64_t> sizes(static_cast<size_t>(launch.input(0).shape()[0]));
  for (auto id : given->ids) ++sizes[static_cast<size_t>(id)];
  auto next = segments.starts;
  segments.rows.resize(given->ids.size());
  segments.divisors.resize(given->ids.size());
  for (size_t i = 0; i < given->ids.size(); ++i) {
    auto entry = static_cast<size_t>(next[static_cast<size_t>(given->indices[i])]++);
    auto id = given->ids[i];
    segments.rows[entry] = id;
    segments.divisors[entry] = cpu::divisor_of(divisor, sizes[static_cast<size_t>(id)]);
  }
  return set_folded(launch, op, segments);
}

KernelCatalog::Make make(const char* fold, SegmentOp op, auto compute) {
  return [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto with_function = op;
    with_function.function = find_segments(fold, element_of(dtype));
    auto divides = op.finish == SegmentFinish::divide_by_root_of_rows;
    if (!with_function.function || (divides && dtype == DType::int32)) return no_kernel(dtype);
    return Kernel{.compute = [=](Launch& launch) { return compute(launch, with_function); }};
  };
}

}  // namespace

void add_segment_kernels(KernelCatalog& catalog) {
  constexpr auto mean = SegmentFinish::divide_by_rows;
  constexpr auto sqrt_n = SegmentFinish::divide_by_root_of_rows;
  catalog.add("SegmentSum", make("Sum", {}, compute_sorted));
  catalog.add("SegmentMean", make("Sum", {.finish = mean}, compute_sorted));
  catalog.add("SegmentProd", make("Prod", {.empty = 1}, compute_sorted));
  catalog.add("SegmentMin", make("Min", {}, compute_sorted));
  catalog.add("SegmentMax", make("Max", {}, compute_sorted));
  auto add_sparse = [&](const std::string& op, SegmentFinish finish) {
    for (bool is_counted : {false, true})
      catalog.add(
          op + (is_counted ? "WithNumSegments" : ""),
          make("Sum", {.finish = finish}, [=](Launch& launch, const SegmentOp& with_function) {
            return compute_sparse(launch, with_function, is_counted);
          }));
  };
  add_sparse("SparseSegmentSum", SegmentFinish::nothing);
  add_sparse("SparseSegmentMean", mean);
  add_sparse("SparseSegmentSqrtN", sqrt_n);
  auto add_gradient = [&](const char* op, SegmentDivisor divisor) {
    catalog.add(op, make("Sum", {}, [=](Launch& launch, const SegmentOp& with_function) {
                  return compute_gradient(launch, with_function, divisor);
                }));
  };
  add_gradient("SparseSegmentMeanGrad", SegmentDivisor::count);
  add_gradient("SparseSegmentSqrtNGrad", SegmentDivisor::root_of_count);
}

}  // namespace troupe::cuda
