#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/reduction/reduce.hpp"

namespace troupe::cpu {
namespace {

/// How the rows of a segment become one.
struct SegmentFold {
  FoldElements elements;
  /// Sets what stands for a segment without rows.
  void (*set_empty)(void* out, int64_t count) = nullptr;
  /// Divides sums by the number of rows; of means only.
  void (*divide)(void* sums, int64_t count, int64_t rows) = nullptr;
};

/// Which segment each row of the data belongs to; -1: none.
struct Segments {
  Tensor ids;  // int64
  int64_t count = 0;
  int ids_rank = 1;
};

Result<Tensor> wide_ids(const Launch& launch, const Tensor& ids) {
  if (ids.dtype() == DType::int64) return ids;
  auto wide = launch.allocate(DType::int64, ids.shape());
  if (wide)
    std::copy_n(ids.data<int32_t>(), ids.elements(), wide->template mutable_data<int64_t>());
  return wide;
}

Status fold_segments(Launch& launch, const SegmentFold& fold, const Segments& segments) {
  const auto& data = launch.input(0);
  std::vector<int64_t> sizes(
      data.shape().sizes().begin() + segments.ids_rank, data.shape().sizes().end());
  int64_t inner = 1;
  for (auto size : sizes) inner *= size;
  sizes.insert(sizes.begin(), segments.count);
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  const auto& elements = fold.elements;
  auto folded = launch.allocate(elements.folded, *shape);
  if (!folded) return folded.status();
  auto counts = launch.allocate(DType::int64, {segments.count});
  if (!counts) return counts.status();
  auto ids = segments.ids.values<int64_t>();
  auto* rows_of = counts->mutable_data<int64_t>();
  std::fill_n(rows_of, segments.count, 0);
  for (auto id : ids)
    if (id >= 0) ++rows_of[id];
  auto* out = static_cast<std::byte*>(folded->mutable_raw());
  const auto* in = static_cast<const std::byte*>(data.raw());
  auto in_size = int64_t(size_of(elements.in)), out_size = int64_t(size_of(elements.folded));
  elements.set_none(out, folded->elements());
  auto rows = static_cast<int64_t>(ids.size());
  // Columns, not rows, are split: the same input always gives the same sum.
  parallel_ranges(inner, rows, [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < rows && begin < end; ++row)
      if (auto id = ids[static_cast<size_t>(row)]; id >= 0)
        elements.fold_each(
            out + (id * inner + begin) * out_size, in + (row * inner + begin) * in_size,
            end - begin);
  });
  for (int64_t id = 0; id < segments.count; ++id) {
    auto* segment = out + id * inner * out_size;
    if (rows_of[id] == 0) fold.set_empty(segment, inner);
    else if (fold.divide) fold.divide(segment, inner, rows_of[id]);
  }
  if (!elements.narrow) {
    launch.set(0, *std::move(folded));
    return {};
  }
  auto narrow = launch.allocate(elements.in, *shape);
  if (!narrow) return narrow.status();
  elements.narrow(narrow->mutable_raw(), out, folded->elements());
  launch.set(0, *std::move(narrow));
  return {};
}

Status compute_segment(Launch& launch, const SegmentFold& fold) {
  const auto &data = launch.input(0), &ids = launch.input(1);
  if (data.shape().is_scalar() || ids.shape().rank() != 1 || ids.elements() != data.shape()[0])
    return invalid_argument(
        "segment_ids must be a vector with an id for each row of the data, of shape " +
        data.shape().to_string() + ", but has the shape " + ids.shape().to_string());
  auto wide = wide_ids(launch, ids);
  if (!wide) return wide.status();
  int64_t last = -1;
  for (auto id : wide->values<int64_t>()) {
    if (id < 0) return invalid_argument("segment id " + std::to_string(id) + " is negative");
    if (id < last)
      return invalid_argument(
          "segment ids must not decrease, but " + std::to_string(id) + " comes after " +
          std::to_string(last));
    last = id;
  }
  if (last == std::numeric_limits<int64_t>::max())
    return invalid_argument("segment id " + std::to_string(last) + " is too large");
  return fold_segments(launch, fold, {.ids = *wide, .count = last + 1});
}

Status compute_unsorted_segment(Launch& launch, const SegmentFold& fold) {
  const auto &data = launch.input(0), &ids = launch.input(1);
  auto given = scalar_input(launch.input(2), "num_segments");
  if (!given) return given.status();
  auto count = *given;
  if (count < 0)
    return invalid_argument("the number of segments " + std::to_string(count) + " is negative");
  auto rank = ids.shape().rank();
  auto is_prefix = rank <= data.shape().rank();
  for (int i = 0; is_prefix && i < rank; ++i) is_prefix = ids.shape()[i] == data.shape()[i];
  if (!is_prefix)
    return invalid_argument(
        "the shape of the data, " + data.shape().to_string() +
        ", must begin with that of "
        "segment_ids, " +
        ids.shape().to_string());
  auto wide = wide_ids(launch, ids);
  if (!wide) return wide.status();
  for (auto id : wide->values<int64_t>())
    if (id >= count)
      return invalid_argument(
          "segment id " + std::to_string(id) + " is not below the number of segments, " +
          std::to_string(count));
  return fold_segments(launch, fold, {.ids = *wide, .count = count, .ids_rank = rank});
}

// What stands for a segment without rows.
struct ZeroIfEmpty {
  template <class T>
  static T value() {
    return T(0);
  }
};
struct OneIfEmpty {
  template <class T>
  static T value() {
    return T(1);
  }
};
struct LeastIfEmpty {
  template <class T>
  static T value() {
    return std::numeric_limits<T>::lowest();
  }
};
struct GreatestIfEmpty {
  template <class T>
  static T value() {
    return std::numeric_limits<T>::max();
  }
};

template <class A>
void divide_rows(void* sums, int64_t count, int64_t rows) {
  auto* sum = static_cast<A*>(sums);
  if constexpr (is_number<A>) {
    using Wide = std::conditional_t<std::is_signed_v<A>, int64_t, uint64_t>;
    for (int64_t i = 0; i < count; ++i)
      sum[i] = static_cast<A>(Wide{sum[i]} / static_cast<Wide>(rows));
  } else {
    for (int64_t i = 0; i < count; ++i) sum[i] /= static_cast<A>(rows);
  }
}

using ComputeSegments = Status (*)(Launch&, const SegmentFold&);

template <class Fold, class IfEmpty, class Allowed>
KernelCatalog::Make segment_maker(ComputeSegments compute, bool is_mean = false) {
  return [=](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [=](auto zero) {
      using T = decltype(zero);
      using A = Promoted<T>;
      SegmentFold fold{
          .elements = fold_elements<Fold, T>(), .set_empty = [](void* out, int64_t count) {
            std::fill_n(static_cast<A*>(out), count, static_cast<A>(IfEmpty::template value<T>()));
          }};
      if (is_mean) fold.divide = divide_rows<A>;
      return Kernel{.compute = [=](Launch& launch) { return compute(launch, fold); }};
    });
  };
}

}  // namespace

void add_segment_kernels(KernelCatalog& catalog) {
  auto sorted = compute_segment, unsorted = compute_unsorted_segment;
  catalog.add("SegmentSum", segment_maker<FoldSum, ZeroIfEmpty, Numeric>(sorted));
  catalog.add("SegmentMean", segment_maker<FoldSum, ZeroIfEmpty, Numeric>(sorted, true));
  catalog.add("SegmentProd", segment_maker<FoldProduct, OneIfEmpty, Numeric>(sorted));
  catalog.add("SegmentMin", segment_maker<FoldMinimum, ZeroIfEmpty, Real>(sorted));
  catalog.add("SegmentMax", segment_maker<FoldMaximum, ZeroIfEmpty, Real>(sorted));
  catalog.add("UnsortedSegmentSum", segment_maker<FoldSum, ZeroIfEmpty, Numeric>(unsorted));
  catalog.add("UnsortedSegmentProd", segment_maker<FoldProduct, OneIfEmpty, Numeric>(unsorted));
  catalog.add("UnsortedSegmentMin", segment_maker<FoldMinimum, GreatestIfEmpty, Real>(unsorted));
  catalog.add("UnsortedSegmentMax", segment_maker<FoldMaximum, LeastIfEmpty, Real>(unsorted));
}

}  // namespace troupe::cpu
