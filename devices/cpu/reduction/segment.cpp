#include <limits>
#include <numeric>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/reduction/segment_input.hpp"
#include "troupe/devices/cpu/reduction/vector_fold.hpp"

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
  bool is_sorted = false;  // and without -1
};

Result<Tensor> wide_ids(const Launch& launch, const Tensor& ids) {
  if (ids.dtype() == DType::int64) return ids;
  auto wide = launch.allocate(DType::int64, ids.shape());
  if (wide)
    std::copy_n(ids.data<int32_t>(), ids.elements(), wide->template mutable_data<int64_t>());
  return wide;
}

/// The rows of each segment, in their order: those of segment i are places[starts[i]] to before
/// places[starts[i + 1]], or, of sorted segments, which have no places, starts[i] and so on.
struct SegmentRows {
  Tensor starts, places;  // int64
  int64_t most = 0;       // in one segment
  bool is_sorted = false;

  static Result<SegmentRows> of(const Launch& launch, const Segments& segments) {
    auto ids = segments.ids.values<int64_t>();
    auto starts = launch.allocate(DType::int64, {segments.count + 2});
    if (!starts) return starts.status();
    auto* start = starts->mutable_data<int64_t>();
    SegmentRows rows;
    rows.is_sorted = segments.is_sorted;
    if (rows.is_sorted) {
      int64_t row = 0, next = 0;
      for (auto id : ids) {
        while (next <= id) start[next++] = row;
        ++row;
      }
      std::fill(start + next, start + segments.count + 2, row);
    } else {
      // Counted two places further on: setting the places moves each start to its end.
      std::fill_n(start, segments.count + 2, 0);
      for (auto id : ids)
        if (id >= 0) ++start[id + 2];
      std::partial_sum(start, start + segments.count + 2, start);
    }
    const auto* ends = start + (rows.is_sorted ? 1 : 2);
    for (int64_t id = 0; id < segments.count; ++id)
      rows.most = std::max(rows.most, ends[id] - ends[id - 1]);
    rows.starts = *std::move(starts);
    if (rows.is_sorted) return rows;
    auto places = launch.allocate(DType::int64, segments.ids.shape());
    if (!places) return places.status();
    auto* place = places->mutable_data<int64_t>();
    int64_t row = 0;
    for (auto id : ids) {
      if (id >= 0) place[start[id + 1]++] = row;
      ++row;
    }
    rows.places = *std::move(places);
    return rows;
  }

  int64_t place(int64_t i) const { return is_sorted ? i : places.data<int64_t>()[i]; }
};

/// Folds the rows of one segment, in their order, to columns [begin, end) of its result.
void fold_columns(
    const SegmentFold& fold, std::byte* out, const std::byte* in, int64_t inner,
    const SegmentRows& rows, int64_t id, int64_t begin, int64_t end) {
  const auto& elements = fold.elements;
  const auto in_size = int64_t(size_of(elements.in)), count = end - begin;
  auto* to = out + begin * int64_t(size_of(elements.folded));
  const auto first = rows.starts.data<int64_t>()[id], last = rows.starts.data<int64_t>()[id + 1];
  if (first == last) return fold.set_empty(to, count);
  elements.set_none(to, count);
  if (rows.is_sorted && count == inner)
    elements.fold_rows(to, in + first * inner * in_size, last - first, inner);
  else
    for (auto i = first; i < last; ++i)
      elements.fold_each(to, in + (rows.place(i) * inner + begin) * in_size, count);
  if (fold.divide) fold.divide(to, count, last - first);
}

/// Fills `out` with the segments. Each element is folded by one thread, in the order of the rows:
/// the same input always gives the same sum.
void fill_segments(
    const SegmentFold& fold, Tensor& out, const Tensor& data, int64_t inner,
    const SegmentRows& rows) {
  auto count = rows.starts.elements() - 2, kept = rows.starts.data<int64_t>()[count];
  // Columns of segments are divided only where one of them has most of the rows.
  constexpr int64_t columns = 64;
  auto is_uneven = rows.most > kept / 8 && kept * inner > 256 * 1024;
  auto parts = is_uneven ? (inner + columns - 1) / columns : 1;
  auto* folded = static_cast<std::byte*>(out.mutable_raw());
  const auto* in = static_cast<const std::byte*>(data.raw());
  const auto size = int64_t(size_of(fold.elements.folded));
  auto work = (kept + count) * inner / (count * parts);
  parallel_ranges(count * parts, std::max<int64_t>(1, work), [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto id = i / parts, part = i % parts;
      fold_columns(
          fold, folded + id * inner * size, in, inner, rows, id, inner * part / parts,
          inner * (part + 1) / parts);
    }
  });
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
  if (folded->elements() > 0) {
    auto rows = SegmentRows::of(launch, segments);
    if (!rows) return rows.status();
    fill_segments(fold, *folded, data, inner, *rows);
  }
  if (!elements.narrow) {
    launch.set(0, *std::move(folded));
    return {};
  }
  auto narrow = launch.allocate(elements.in, *shape);
  if (!narrow) return narrow.status();
  elements.narrow(narrow->mutable_raw(), folded->raw(), folded->elements());
  launch.set(0, *std::move(narrow));
  return {};
}

Status compute_segment(Launch& launch, const SegmentFold& fold) {
  const auto &data = launch.input(0), &ids = launch.input(1);
  auto wide = wide_ids(launch, ids);
  if (!wide) return wide.status();
  auto count = count_sorted_segments(data.shape(), ids.shape(), wide->values<int64_t>());
  if (!count) return count.status();
  return fold_segments(launch, fold, {.ids = *wide, .count = *count, .is_sorted = true});
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

/// How elements are folded: by vectors, where there are any for the fold.
template <class Fold, class T>
FoldElements elements_of() {
  using vector::Arithmetic;
  if constexpr (std::is_same_v<Fold, FoldSum>)
    return vector_fold_elements<Arithmetic::add, Fold, T>();
  else if constexpr (std::is_same_v<Fold, FoldMaximum>)
    return vector_fold_elements<Arithmetic::maximum, Fold, T>();
  else if constexpr (std::is_same_v<Fold, FoldMinimum>)
    return vector_fold_elements<Arithmetic::minimum, Fold, T>();
  else return fold_elements<Fold, T>();
}

template <class Fold, class IfEmpty, class Allowed>
KernelCatalog::Make segment_maker(ComputeSegments compute, bool is_mean = false) {
  return [=](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [=](auto zero) {
      using T = decltype(zero);
      using A = Promoted<T>;
      SegmentFold fold{
          .elements = elements_of<Fold, T>(), .set_empty = [](void* out, int64_t count) {
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
