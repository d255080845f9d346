#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/indexing/sorted_rows.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

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
  catalog.add("LowerBound", make_bounds<true>);
  catalog.add("UpperBound", make_bounds<false>);
}

}  // namespace troupe::cpu
