#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/indexing/sorted_rows.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

/// How many of elements [begin, end), less than 2^31, are not zero.
using CountNonzero = int64_t (*)(const Tensor& x, int64_t begin, int64_t end);
/// Sets `offsets` to where in elements [begin, end) those are, counted from the first. There is
/// room for one more than there are elements.
using FindNonzero = int64_t (*)(const Tensor& x, int64_t begin, int64_t end, int32_t* offsets);

template <class T>
bool is_nonzero(const T& x) {
  return !(promote(x) == Promoted<T>{});
}

template <class T>
int64_t count_nonzero(const Tensor& x, int64_t begin, int64_t end) {
  // As narrow as the elements of most dtypes, for vector instructions.
  int32_t count = 0;
  const auto* values = x.data<T>() + begin;
  for (int64_t i = 0; i < end - begin; ++i) count += is_nonzero(values[i]);
  return count;
}

/// Without branches: a processor cannot foresee them.
template <class T>
int64_t find_nonzero(const Tensor& x, int64_t begin, int64_t end, int32_t* offsets) {
  int64_t count = 0;
  const auto* values = x.data<T>() + begin;
  for (int32_t i = 0; i < static_cast<int32_t>(end - begin); ++i) {
    offsets[count] = i;
    count += is_nonzero(values[i]);
  }
  return count;
}

struct NonzeroLoops {
  CountNonzero count = nullptr;
  FindNonzero find = nullptr;
};

/// Elements whose places grow, as their coordinates. An axis is divided anew only where a row of
/// the last one ends.
struct Coordinates {
  const Shape& shape;
  int64_t row_begin = 0, row_end = 0;
  std::array<int64_t, Shape::max_rank> row{};  // the other coordinates

  void begin_row(int64_t place) {
    const auto last = shape.rank() - 1;
    const auto size = shape[last];
    auto rest = place / size;
    row_begin = rest * size;
    row_end = row_begin + size;
    for (auto axis = last - 1; axis >= 0; --axis) {
      row[static_cast<size_t>(axis)] = rest % shape[axis];
      rest /= shape[axis];
    }
  }

  /// Writes those of the elements at begin + offsets[i], and returns where they end.
  int64_t* write(int64_t* to, int64_t begin, const int32_t* offsets, int64_t count) {
    const auto others = shape.rank() - 1;
    for (int64_t i = 0; i < count; ++i) {
      const auto place = begin + offsets[i];
      if (place >= row_end) begin_row(place);
      for (int axis = 0; axis < others; ++axis) *to++ = row[static_cast<size_t>(axis)];
      *to++ = place - row_begin;
    }
    return to;
  }
};

Status compute_where(Launch& launch, const NonzeroLoops& loops) {
  constexpr int64_t part = 32 * 1024, block = 512;
  const auto& x = launch.input(0);
  const auto rank = x.shape().rank();
  const auto parts = (x.elements() + part - 1) / part;
  auto end_of = [&](int64_t i) { return std::min(x.elements(), (i + 1) * part); };
  std::vector<int64_t> starts(static_cast<size_t>(parts) + 1);
  parallel_ranges(parts, part / 4, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      starts[static_cast<size_t>(i) + 1] = loops.count(x, i * part, end_of(i));
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  auto out = launch.allocate(DType::int64, {starts.back(), rank});
  if (!out) return out.status();
  auto* to = out->mutable_data<int64_t>();
  parallel_ranges(rank == 0 ? 0 : parts, 4 * part, [&](int64_t first, int64_t last) {
    int32_t offsets[block + 1];
    for (auto i = first; i < last; ++i) {
      Coordinates coordinates{.shape = x.shape()};
      auto* at = to + starts[static_cast<size_t>(i)] * rank;
      for (auto begin = i * part; begin < end_of(i); begin += block) {
        auto count = loops.find(x, begin, std::min(end_of(i), begin + block), offsets);
        at = coordinates.write(at, begin, offsets, count);
      }
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

/// For values [begin, end), of which `count` belong to each row of `size` sorted elements, where in
/// their row they would be put in.
using FindBounds =
    void (*)(int64_t* to, const Tensor& sorted, const Tensor& values, int64_t begin, int64_t end);

template <class T, bool is_lower>
void find_bounds(
    int64_t* to, const Tensor& sorted, const Tensor& values, int64_t begin, int64_t end) {
  auto size = sorted.shape()[1], count = values.shape()[1];
  auto is_less = [](const T& a, const T& b) { return promote(a) < promote(b); };
  for (auto i = begin; i < end; ++i) {
    const auto* row = sorted.data<T>() + i / count * size;
    const auto& value = values.data<T>()[i];
    const auto* place = is_lower ? std::lower_bound(row, row + size, value, is_less)
                                 : std::upper_bound(row, row + size, value, is_less);
    to[i] = place - row;
  }
}

Status compute_bounds(Launch& launch, FindBounds find, DType index_dtype) {
  const auto &sorted = launch.input(0), &values = launch.input(1);
  auto status = check_sorted_rows(sorted.shape(), values.shape(), index_dtype);
  if (!status.ok()) return status;
  auto places = launch.allocate(DType::int64, values.shape());
  if (!places) return places.status();
  auto* to = places->mutable_data<int64_t>();
  parallel_ranges(values.elements(), 32, [&](int64_t begin, int64_t end) {
    find(to, sorted, values, begin, end);
  });
  if (index_dtype == DType::int32) {
    auto narrow = launch.allocate(index_dtype, values.shape());
    if (!narrow) return narrow.status();
    std::transform(to, to + values.elements(), narrow->mutable_data<int32_t>(), [](int64_t place) {
      return static_cast<int32_t>(place);
    });
    places = std::move(narrow);
  }
  launch.set(0, *std::move(places));
  return {};
}

template <bool is_lower>
Result<Kernel> make_bounds(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto find =
      choose(Real{}, dtype, [](auto zero) { return find_bounds<decltype(zero), is_lower>; });
  if (!find) return no_kernel(dtype);
  return Kernel{.compute = [find, index_dtype = node.attr<DType>("out_type")](Launch& launch) {
    return compute_bounds(launch, find, index_dtype);
  }};
}

Result<Kernel> make_where(const Node& node) {
  auto dtype = node.attr<DType>("T");
  NonzeroLoops loops;
  for_dtype(AllPlain{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    loops = {count_nonzero<T>, find_nonzero<T>};
  });
  if (!loops.count) return no_kernel(dtype);
  return Kernel{.compute = [loops](Launch& launch) { return compute_where(launch, loops); }};
}

}  // namespace

Status check_sorted_rows(const Shape& sorted, const Shape& values, DType places) {
  if (sorted.rank() != 2 || values.rank() != 2 || sorted[0] != values[0])
    return invalid_argument(
        "'sorted_inputs' and 'values' must be matrices with as many rows, but have the shapes " +
        sorted.to_string() + " and " + values.to_string());
  auto size = sorted[1];
  if (places == DType::int32 && size > std::numeric_limits<int32_t>::max())
    return invalid_argument("rows of " + std::to_string(size) + " are too long for int32");
  return {};
}

void add_search_kernels(KernelCatalog& catalog) {
  catalog.add("Where", make_where);
  catalog.add("LowerBound", make_bounds<true>);
  catalog.add("UpperBound", make_bounds<false>);
}

}  // namespace troupe::cpu
