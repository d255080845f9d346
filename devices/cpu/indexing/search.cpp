#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/indexing/partition.hpp"
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

/// For each value of `values`, where in the sorted elements of the same row it would be put in.
template <class T, bool is_lower>
Status compute_bound(Launch& launch, DType index_dtype) {
  const auto &sorted = launch.input(0), &values = launch.input(1);
  if (sorted.shape().rank() != 2 || values.shape().rank() != 2 ||
      sorted.shape()[0] != values.shape()[0])
    return invalid_argument(
        "'sorted_inputs' and 'values' must be matrices with as many rows, but have the shapes " +
        sorted.shape().to_string() + " and " + values.shape().to_string());
  auto size = sorted.shape()[1], count = values.shape()[1];
  if (index_dtype == DType::int32 && size > std::numeric_limits<int32_t>::max())
    return invalid_argument("rows of " + std::to_string(size) + " are too long for int32");
  auto out = launch.allocate(index_dtype, values.shape());
  if (!out) return out.status();
  auto is_less = [](const T& a, const T& b) { return promote(a) < promote(b); };
  for_dtype(Indices{}, index_dtype, [&](auto zero) {
    using I = decltype(zero);
    auto* to = out->template mutable_data<I>();
    parallel_ranges(values.elements(), 32, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i) {
        const auto* row = sorted.data<T>() + i / count * size;
        const auto& value = values.data<T>()[i];
        const auto* place = is_lower ? std::lower_bound(row, row + size, value, is_less)
                                     : std::upper_bound(row, row + size, value, is_less);
        to[i] = static_cast<I>(place - row);
      }
    });
  });
  launch.set(0, *std::move(out));
  return {};
}

template <bool is_lower>
Result<Kernel> make_bound(const Node& node) {
  return dispatch(Real{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [index_dtype = node.attr<DType>("out_type")](Launch& launch) {
      return compute_bound<decltype(zero), is_lower>(launch, index_dtype);
    }};
  });
}

}  // namespace

void add_search_kernels(KernelCatalog& catalog) {
  catalog.add("Where", [](const Node& node) {
    return dispatch(AllPlain{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = [](Launch& launch) {
        return set_coordinates(launch, places_of_nonzero<decltype(zero)>(launch.input(0)));
      }};
    });
  });
  catalog.add("LowerBound", make_bound<true>);
  catalog.add("UpperBound", make_bound<false>);
}

}  // namespace troupe::cpu
