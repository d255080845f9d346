#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/distinct.hpp"
#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/indexing/stitches.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

Status compute_dynamic_partition(Launch& launch, GatherSlices gather, int64_t parts) {
  const auto& data = launch.input(0);
  auto split = read_parts(launch, parts);
  if (!split) return split.status();
  int index = 0;
  for (const auto& positions : split->parts) {
    auto count = static_cast<int64_t>(positions.size());
    auto shape = shape_of_slices(count, split->slice);
    auto out = shape ? launch.allocate(data.dtype(), *shape) : Result<Tensor>(shape.status());
    if (!out) return out.status();
    gather(out->mutable_raw(), data.raw(), positions.data(), count, split->slice.elements());
    launch.set(index++, *std::move(out));
  }
  return {};
}

Status compute_dynamic_stitch(Launch& launch, UpdateSlices replace) {
  auto count = launch.input_count() / 2;
  auto stitches = read_stitches(launch);
  if (!stitches) return stitches.status();
  auto shape = shape_of_slices(stitches->count, stitches->slice);
  if (!shape) return shape.status();
  auto out = launch.allocate(launch.input(count).dtype(), *shape);
  if (!out) return out.status();
  auto size = stitches->slice.elements();
  if (!stitches->is_full) set_zeros(*out);
  for (int i = 0; i < count; ++i) {
    auto places = launch.input(i).values<int32_t>();
    std::vector<int64_t> positions(places.begin(), places.end());
    replace(out->mutable_raw(), launch.input(count + i).raw(), positions, size, 0, size);
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class I>
Status compute_invert_permutation(Launch& launch) {
  const auto& x = launch.input(0);
  if (x.shape().rank() != 1)
    return invalid_argument("x must be a vector, but has the shape " + x.shape().to_string());
  auto out = launch.allocate(x.dtype(), x.shape());
  if (!out) return out.status();
  auto* to = out->template mutable_data<I>();
  std::fill_n(to, x.elements(), I{-1});
  for (int64_t i = 0; i < x.elements(); ++i) {
    auto place = x.data<I>()[i];
    if (place < 0 || int64_t{place} >= x.elements())
      return invalid_argument(
          std::to_string(place) + " is not in [0, " + std::to_string(x.elements()) +
          "), as in a permutation");
    if (to[place] != I{-1})
      return invalid_argument(std::to_string(place) + " is twice in the permutation");
    to[place] = static_cast<I>(i);
  }
  launch.set(0, *std::move(out));
  return {};
}

/// The places of those elements of x that y lacks.
using PlacesLeft = std::vector<int64_t> (*)(const Tensor& x, const Tensor& y);

template <class T>
std::vector<int64_t> places_left(const Tensor& x, const Tensor& y) {
  std::vector<DistinctKey<T>> without;
  DistinctTable table;
  auto is = [&](const DistinctKey<T>& key) {
    return [&](int64_t number) { return without[static_cast<size_t>(number)] == key; };
  };
  for (const auto& value : y.values<T>()) {
    const auto& key = distinct_key(value);
    if (table.find_or_add(DistinctHash()(key), is(key)) == std::ssize(without))
      without.push_back(key);
  }
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < x.elements(); ++i) {
    const auto& value = x.data<T>()[i];
    const auto& key = distinct_key(value);
    if (equals_nothing(value) || table.find(DistinctHash()(key), is(key)) == table.size())
      chosen.push_back(i);
  }
  return chosen;
}

Status compute_list_diff(Launch& launch, PlacesLeft places_left, DType index_dtype) {
  const auto &x = launch.input(0), &y = launch.input(1);
  if (auto status = check_lists(launch); !status.ok()) return status;
  auto chosen = places_left(x, y);
  auto count = static_cast<int64_t>(chosen.size());
  auto out = launch.allocate(x.dtype(), {count});
  if (!out) return out.status();
  find_gather(x.dtype())(out->mutable_raw(), x.raw(), chosen.data(), count, 1);
  launch.set(0, *std::move(out));
  return set_ints(launch, 1, index_dtype, chosen);
}

Result<Kernel> make_list_diff(const Node& node) {
  constexpr auto types = AllPlain{} + Types<std::string>{};
  auto dtype = node.attr<DType>("T");
  auto places = choose(types, dtype, [](auto zero) { return places_left<decltype(zero)>; });
  if (!places) return no_kernel(dtype);
  return Kernel{.compute = [places, index_dtype = node.attr<DType>("out_idx")](Launch& launch) {
    return compute_list_diff(launch, places, index_dtype);
  }};
}

}  // namespace

Status check_lists(const Launch& launch) {
  for (int i : {0, 1})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "x and y must be vectors, but input " + std::to_string(i) + " has the shape " +
          launch.input(i).shape().to_string());
  return {};
}

void add_partition_kernels(KernelCatalog& catalog) {
  catalog.add("DynamicPartition", [](const Node& node) {
    auto dtype = node.attr<DType>("T");
    return copying_kernel(
        dtype, [gather = find_gather(dtype), parts = node.attr<int64_t>("num_partitions")](
                   Launch& launch) { return compute_dynamic_partition(launch, gather, parts); });
  });
  for (const auto* name : {"DynamicStitch", "ParallelDynamicStitch"})
    catalog.add(name, [](const Node& node) {
      auto dtype = node.attr<DType>("T");
      return copying_kernel(dtype, [replace = find_update(Update::replace, dtype)](Launch& launch) {
        return compute_dynamic_stitch(launch, replace);
      });
    });
  catalog.add("InvertPermutation", [](const Node& node) {
    return dispatch(Indices{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_invert_permutation<decltype(zero)>};
    });
  });
  catalog.add("ListDiff", make_list_diff);
  add_rolling_kernels(catalog);
  add_search_kernels(catalog);
  add_where_kernel(catalog);
  add_unique_kernels(catalog);
}

}  // namespace troupe::cpu
