#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/reduction/reduce.hpp"
#include "troupe/devices/cpu/reduction/segment_input.hpp"

namespace troupe::cpu {
namespace {

using ScaleRow = void (*)(void* row, int64_t size, double divisor);

template <class A>
void scale_row(void* row, int64_t size, double divisor) {
  auto* elements = static_cast<A*>(row);
  auto by = static_cast<A>(divisor);
  for (int64_t i = 0; i < size; ++i) elements[i] /= by;
}

ScaleRow scale_of(DType folded) {
  return folded == DType::float64 ? scale_row<double> : scale_row<float>;
}

/// Where each run of equal ids begins, and their end.
std::vector<size_t> runs_of(std::span<const int64_t> ids) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < ids.size(); ++i)
    if (i == 0 || ids[i] != ids[i - 1]) starts.push_back(i);
  starts.push_back(ids.size());
  return starts;
}

/// Columns that one thread takes of rows that several share.
constexpr int64_t shared_columns = 64;

/// Calls f(run, begin, end) with the columns of runs of rows, many threads at once. Each sum is
/// made by one of them: the same input always gives the same sum.
template <class F>
void parallel_runs(const std::vector<size_t>& starts, int64_t row_size, const F& f) {
  auto runs = static_cast<int64_t>(starts.size()) - 1;
  auto rows = static_cast<int64_t>(starts.back());
  if (rows == 0) return;
  size_t most = 0;
  for (size_t run = 0; run + 1 < starts.size(); ++run)
    most = std::max(most, starts[run + 1] - starts[run]);
  // Columns are divided only where one run has most of the rows.
  auto is_uneven = static_cast<int64_t>(most) > rows / 8;
  auto parts = is_uneven ? (row_size + shared_columns - 1) / shared_columns : 1;
  auto work = std::max<int64_t>(1, rows * row_size / (runs * std::max<int64_t>(1, parts)));
  parallel_ranges(runs * parts, work, [&](int64_t first, int64_t last) {
    for (auto i = first; i < last; ++i)
      f(static_cast<size_t>(i / parts), row_size * (i % parts) / parts,
        row_size * (i % parts + 1) / parts);
  });
}

/// Sums of rows of input 0, each over what the number of rows makes of it.
Status sum_rows(
    Launch& launch, const FoldElements& elements, const SparseSegments& rows,
    SegmentDivisor divisor) {
  const auto& data = launch.input(0);
  auto shape = with_rows(data.shape(), rows.count);
  if (!shape) return shape.status();
  auto sums = launch.allocate(elements.folded, *shape);
  if (!sums) return sums.status();
  auto* out = static_cast<std::byte*>(sums->mutable_raw());
  const auto* in = static_cast<const std::byte*>(data.raw());
  auto in_size = int64_t(size_of(elements.in)), out_size = int64_t(size_of(elements.folded));
  auto row_size = row_size_of(data.shape());
  elements.set_none(out, sums->elements());
  auto scale = divisor == SegmentDivisor::none ? nullptr : scale_of(elements.folded);
  auto starts = runs_of(rows.ids);
  parallel_runs(starts, row_size, [&](size_t run, int64_t begin, int64_t end) {
    auto first = starts[run], last = starts[run + 1];
    auto* to = out + (rows.ids[first] * row_size + begin) * out_size;
    for (auto i = first; i < last; ++i)
      elements.fold_each(to, in + (rows.indices[i] * row_size + begin) * in_size, end - begin);
    if (scale) scale(to, end - begin, divisor_of(divisor, static_cast<int64_t>(last - first)));
  });
  return set_folded(launch, elements, *std::move(sums));
}

Status compute_sparse_segment(
    Launch& launch, const FoldElements& elements, SegmentDivisor divisor, bool is_counted) {
  auto rows = read_sparse_segments(launch, is_counted);
  if (!rows) return rows.status();
  return sum_rows(launch, elements, *rows, divisor);
}

using AddScaled = void (*)(void* sums, const void* row, int64_t size, double divisor);

template <class T>
void add_scaled(void* sums, const void* row, int64_t size, double divisor) {
  using A = Promoted<T>;
  auto* to = static_cast<A*>(sums);
  const auto* from = static_cast<const T*>(row);
  auto by = static_cast<A>(divisor);
#pragma GCC ivdep
  for (int64_t i = 0; i < size; ++i) to[i] += promote(from[i]) / by;
}

/// Each row of the data gets its share of the gradients of the segments that it belongs to.
Status compute_sparse_segment_gradient(
    Launch& launch, const FoldElements& elements, AddScaled add, SegmentDivisor divisor) {
  auto rows = read_sparse_segment_gradient(launch);
  if (!rows) return rows.status();
  const auto& grad = launch.input(0);
  auto shape = with_rows(grad.shape(), rows->count);
  if (!shape) return shape.status();
  auto sums = launch.allocate(elements.folded, *shape);
  if (!sums) return sums.status();
  std::vector<int64_t> counts(static_cast<size_t>(grad.shape()[0]));
  for (auto id : rows->ids) ++counts[static_cast<size_t>(id)];
  auto* out = static_cast<std::byte*>(sums->mutable_raw());
  const auto* in = static_cast<const std::byte*>(grad.raw());
  auto in_size = int64_t(size_of(elements.in)), out_size = int64_t(size_of(elements.folded));
  auto row_size = row_size_of(grad.shape());
  elements.set_none(out, sums->elements());
  auto total = rows->ids.size();
  auto parts = (row_size + shared_columns - 1) / shared_columns;
  auto work = static_cast<int64_t>(total) * shared_columns;
  parallel_ranges(parts, work, [&](int64_t first, int64_t last) {
    auto begin = first * shared_columns, end = std::min(row_size, last * shared_columns);
    for (size_t i = 0; i < total && begin < end; ++i)
      add(out + (rows->indices[i] * row_size + begin) * out_size,
          in + (rows->ids[i] * row_size + begin) * in_size, end - begin,
          divisor_of(divisor, counts[static_cast<size_t>(rows->ids[i])]));
  });
  return set_folded(launch, elements, *std::move(sums));
}

KernelCatalog::Make make_sparse_segment(SegmentDivisor divisor, bool is_counted) {
  return [=](const Node& node) -> Result<Kernel> {
    auto elements = summation(node.attr<DType>("T"));
    if (!elements.fold_each) return no_kernel(node.attr<DType>("T"));
    return Kernel{.compute = [=](Launch& launch) {
      return compute_sparse_segment(launch, elements, divisor, is_counted);
    }};
  };
}

KernelCatalog::Make make_gradient(SegmentDivisor divisor) {
  return [=](const Node& node) {
    return dispatch(Floating{}, node.attr<DType>("T"), [=](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = [=](Launch& launch) {
        return compute_sparse_segment_gradient(
            launch, summation(dtype_of<T>()), add_scaled<T>, divisor);
      }};
    });
  };
}

}  // namespace

void add_sparse_segment_kernels(KernelCatalog& catalog) {
  auto add = [&](const std::string& name, SegmentDivisor divisor) {
    catalog.add(name, make_sparse_segment(divisor, false));
    catalog.add(name + "WithNumSegments", make_sparse_segment(divisor, true));
  };
  add("SparseSegmentSum", SegmentDivisor::none);
  add("SparseSegmentMean", SegmentDivisor::count);
  add("SparseSegmentSqrtN", SegmentDivisor::root_of_count);
  catalog.add("SparseSegmentMeanGrad", make_gradient(SegmentDivisor::count));
  catalog.add("SparseSegmentSqrtNGrad", make_gradient(SegmentDivisor::root_of_count));
}

}  // namespace troupe::cpu
