#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// An element of a row, which comes before those of greater keys, and at equal ones of greater
/// places: so one sort serves all dtypes.
struct RankedElement {
  uint64_t key;
  int64_t place;

  auto operator<=>(const RankedElement&) const = default;
};

/// The greater the element, the less its key; that of NaN is the greatest.
template <class T>
uint64_t rank_key(T element) {
  auto x = promote(element);
  using A = decltype(x);
  using Bits = std::conditional_t<sizeof(A) == 8, uint64_t, uint32_t>;
  constexpr auto sign = Bits{1} << (8 * sizeof(Bits) - 1);
  if constexpr (std::is_unsigned_v<A>) return ~uint64_t{x};
  else if constexpr (std::is_integral_v<A>)
    return ~(static_cast<uint64_t>(int64_t{x}) ^ 1ull << 63);
  else {
    if (x != x) return std::numeric_limits<uint64_t>::max();
    auto bits = std::bit_cast<Bits>(x == 0 ? A(0) : x);
    return static_cast<Bits>(bits & sign ? bits : ~(bits | sign));
  }
}

using RankRow = void (*)(const void* row, std::vector<RankedElement>& ranked);

template <class T>
void rank_row(const void* row, std::vector<RankedElement>& ranked) {
  for (size_t i = 0; i < ranked.size(); ++i)
    ranked[i] = {rank_key(static_cast<const T*>(row)[i]), static_cast<int64_t>(i)};
}

RankRow find_rank_row(DType dtype) {
  return choose(Real{}, dtype, [](auto zero) { return rank_row<decltype(zero)>; });
}

/// The rows along the last axis.
struct Rows {
  int64_t count = 0;
  int64_t length = 0;

  static Result<Rows> of(const Tensor& x) {
    if (x.shape().rank() == 0)
      return invalid_argument("the input must have at least rank 1, but is a scalar");
    auto length = x.shape()[x.shape().rank() - 1];
    int64_t count = 1;
    for (auto size : x.shape().sizes().first(static_cast<size_t>(x.shape().rank() - 1)))
      count *= size;
    return Rows{.count = count, .length = length};
  }
};

Status compute_top_k(Launch& launch, RankRow rank, int64_t k, bool is_sorted) {
  const auto& x = launch.input(0);
  auto rows = Rows::of(x);
  if (!rows) return rows.status();
  if (k < 0) return invalid_argument("k must not be negative, but is " + std::to_string(k));
  if (k > rows->length)
    return invalid_argument(
        "k is " + std::to_string(k) + ", but a row of " + x.shape().to_string() + " is shorter");
  if (rows->length > std::numeric_limits<int32_t>::max())
    return invalid_argument("a row of " + x.shape().to_string() + " is too long for int32 indices");
  auto shape = x.shape();
  shape.set(shape.rank() - 1, k);
  auto values = launch.allocate(x.dtype(), shape);
  if (!values) return values.status();
  auto indices = launch.allocate(DType::int32, shape);
  if (!indices) return indices.status();
  auto* places = indices->mutable_data<int32_t>();
  const auto* from = static_cast<const std::byte*>(x.raw());
  auto row_bytes = rows->length * static_cast<int64_t>(size_of(x.dtype()));
  auto count = k > 0 ? rows->count : 0;  // else they may be many, all of them empty
  parallel_ranges(count, 16 * rows->length, [&](int64_t begin, int64_t end) {
    std::vector<RankedElement> ranked(static_cast<size_t>(rows->length));
    for (auto row = begin; row < end; ++row) {
      rank(from + row * row_bytes, ranked);
      if (k < rows->length) std::nth_element(ranked.begin(), ranked.begin() + k, ranked.end());
      if (is_sorted) std::sort(ranked.begin(), ranked.begin() + k);
      for (int64_t i = 0; i < k; ++i) {
        auto place = ranked[static_cast<size_t>(i)].place;
        places[row * k + i] = static_cast<int32_t>(place);
        copy_elements(*values, row * k + i, x, row * rows->length + place, 1);
      }
    }
  });
  launch.set(0, *std::move(values));
  launch.set(1, *std::move(indices));
  return {};
}

Result<Kernel> make_top_k(const Node& node) {
  auto is_sorted = node.attr<bool>("sorted");
  auto fixed = node.op->name() == "TopK" ? std::optional(node.attr<int64_t>("k")) : std::nullopt;
  auto dtype = node.attr<DType>("T");
  auto rank = find_rank_row(dtype);
  if (!rank) return no_kernel(dtype);
  return Kernel{.compute = [=](Launch& launch) -> Status {
    if (fixed) return compute_top_k(launch, rank, *fixed, is_sorted);
    auto k = scalar_input(launch.input(1), "k");
    return k ? compute_top_k(launch, rank, *k, is_sorted) : k.status();
  }};
}

/// Whether fewer than k classes have a greater prediction than the target.
template <class T>
bool is_in_top_k(const float* row, int64_t classes, T target, int64_t k) {
  if (target < 0 || target >= classes) return false;
  auto own = row[target];
  int64_t greater = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(row[i])) return false;
    greater += row[i] > own;
  }
  return greater < k;
}

template <class T>
Status compute_in_top_k(Launch& launch, int64_t k) {
  const auto& predictions = launch.input(0);
  const auto& targets = launch.input(1);
  if (predictions.shape().rank() != 2)
    return invalid_argument(
        "predictions must have rank 2, not the shape " + predictions.shape().to_string());
  if (targets.shape().rank() != 1 || targets.shape()[0] != predictions.shape()[0])
    return invalid_argument(
        "targets must have one element for each row of predictions, of shape " +
        predictions.shape().to_string() + ", but have the shape " + targets.shape().to_string());
  auto out = launch.allocate(DType::boolean, targets.shape());
  if (!out) return out.status();
  auto classes = predictions.shape()[1];
  auto* result = out->template mutable_data<bool>();
  parallel_ranges(targets.elements(), classes, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      result[i] =
          is_in_top_k(predictions.data<float>() + i * classes, classes, targets.data<T>()[i], k);
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_in_top_k(const Node& node) {
  auto fixed = node.op->name() == "InTopK" ? std::optional(node.attr<int64_t>("k")) : std::nullopt;
  return dispatch(Types<int32_t, int64_t>{}, node.attr<DType>("T"), [=](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) -> Status {
      if (fixed) return compute_in_top_k<T>(launch, *fixed);
      auto k = scalar_input(launch.input(2), "k");
      return k ? compute_in_top_k<T>(launch, *k) : k.status();
    }};
  });
}

Status compute_nth_element(Launch& launch, RankRow rank, bool reverse) {
  const auto& x = launch.input(0);
  auto rows = Rows::of(x);
  if (!rows) return rows.status();
  auto n = scalar_input(launch.input(1), "n");
  if (!n) return n.status();
  if (*n < 0 || *n >= rows->length)
    return invalid_argument(
        "n is " + std::to_string(*n) + ", but the last axis of " + x.shape().to_string() +
        " has no such element");
  auto out = launch.allocate(
      x.dtype(), Shape(x.shape().sizes().first(static_cast<size_t>(x.shape().rank() - 1))));
  if (!out) return out.status();
  auto place = reverse ? *n : rows->length - 1 - *n;  // the greatest come first
  const auto* from = static_cast<const std::byte*>(x.raw());
  auto row_bytes = rows->length * static_cast<int64_t>(size_of(x.dtype()));
  parallel_ranges(rows->count, 8 * rows->length, [&](int64_t begin, int64_t end) {
    std::vector<RankedElement> ranked(static_cast<size_t>(rows->length));
    for (auto row = begin; row < end; ++row) {
      rank(from + row * row_bytes, ranked);
      std::nth_element(ranked.begin(), ranked.begin() + place, ranked.end());
      auto found = ranked[static_cast<size_t>(place)].place;
      copy_elements(*out, row, x, row * rows->length + found, 1);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_nth_element(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto rank = find_rank_row(dtype);
  if (!rank) return no_kernel(dtype);
  return Kernel{.compute = [rank, reverse = node.attr<bool>("reverse")](Launch& launch) {
    return compute_nth_element(launch, rank, reverse);
  }};
}

}  // namespace

void add_ranking_kernels(KernelCatalog& catalog) {
  catalog.add("TopK", make_top_k);
  catalog.add("TopKV2", make_top_k);
  catalog.add("InTopK", make_in_top_k);
  catalog.add("InTopKV2", make_in_top_k);
  catalog.add("NthElement", make_nth_element);
}

}  // namespace troupe::cpu
