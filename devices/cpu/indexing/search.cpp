#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/indexing/sorted_rows.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

/// Where the elements are that are not zero, counted in row-major order.
template <class T>
std::vector<int64_t> places_of_nonzero(const Tensor& x) {
  std::vector<int64_t> places;
  const auto* values = x.data<T>();
  for (int64_t i = 0; i < x.elements(); ++i)
    if (!(promote(values[i]) == Promoted<T>{})) places.push_back(i);
  return places;
}

Status set_coordinates(Launch& launch, const std::vector<int64_t>& places) {
  const auto shape = launch.input(0).shape();
  auto rank = shape.rank();
  auto out = launch.allocate(DType::int64, {static_cast<int64_t>(places.size()), rank});
  if (!out) return out.status();
  auto* to = out->mutable_data<int64_t>();
  parallel_ranges(static_cast<int64_t>(places.size()), 8 * rank, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto rest = places[static_cast<size_t>(i)];
      for (int axis = rank - 1; axis >= 0; --axis) {
        to[i * rank + axis] = rest % shape[axis];
        rest /= shape[axis];
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
  auto places =
      choose(AllPlain{}, dtype, [](auto zero) { return places_of_nonzero<decltype(zero)>; });
  if (!places) return no_kernel(dtype);
  return Kernel{.compute = [places](Launch& launch) {
    return set_coordinates(launch, places(launch.input(0)));
  }};
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
