#include <algorithm>
#include <unordered_set>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/distinct.hpp"
#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

/// The axes of `whole` after those of `prefix`, with which it must begin.
Result<std::span<const int64_t>> axes_after(const Shape& whole, const Shape& prefix) {
  auto count = static_cast<size_t>(prefix.rank());
  if (whole.rank() >= prefix.rank() &&
      std::ranges::equal(whole.sizes().first(count), prefix.sizes()))
    return whole.sizes().subspan(count);
  return invalid_argument(
      "the shape of the data, " + whole.to_string() + ", must begin with that of the indices, " +
      prefix.to_string());
}

/// A tensor of that many slices.
Result<Tensor> allocate_slices(
    const Launch& launch, DType dtype, int64_t count, std::span<const int64_t> slice) {
  std::vector<int64_t> sizes = {count};
  sizes.insert(sizes.end(), slice.begin(), slice.end());
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  return launch.allocate(dtype, *shape);
}

int64_t elements_of(std::span<const int64_t> sizes) {
  int64_t elements = 1;
  for (auto size : sizes) elements *= size;
  return elements;
}

/// Which slices each part gets.
Result<std::vector<std::vector<int64_t>>> slices_of_parts(const Tensor& chosen, int64_t parts) {
  std::vector<std::vector<int64_t>> slices(static_cast<size_t>(parts));
  for (int64_t i = 0; i < chosen.elements(); ++i) {
    auto part = chosen.data<int32_t>()[i];
    if (part < 0 || part >= parts)
      return invalid_argument(
          "partition " + std::to_string(part) + " (number " + std::to_string(i) +
          " of the partitions) is not in [0, " + std::to_string(parts) + ")");
    slices[static_cast<size_t>(part)].push_back(i);
  }
  return slices;
}

Status compute_dynamic_partition(Launch& launch, GatherSlices gather, int64_t parts) {
  const auto &data = launch.input(0), &chosen = launch.input(1);
  auto slice = axes_after(data.shape(), chosen.shape());
  if (!slice) return slice.status();
  auto slices = slices_of_parts(chosen, parts);
  if (!slices) return slices.status();
  int index = 0;
  for (const auto& positions : *slices) {
    auto count = static_cast<int64_t>(positions.size());
    auto out = allocate_slices(launch, data.dtype(), count, *slice);
    if (!out) return out.status();
    gather(out->mutable_raw(), data.raw(), positions.data(), count, elements_of(*slice));
    launch.set(index++, *std::move(out));
  }
  return {};
}

/// The number of slices that are stitched together, from inputs of indices and as many of data,
/// which are checked.
Result<int64_t> check_stitches(const Launch& launch, int count) {
  int64_t most = -1;
  for (int i = 0; i < count; ++i) {
    const auto& indices = launch.input(i);
    for (int64_t k = 0; k < indices.elements(); ++k) {
      auto index = indices.data<int32_t>()[k];
      if (index < 0)
        return invalid_argument(
            "index " + std::to_string(index) + " (number " + std::to_string(k) + " of indices " +
            std::to_string(i) + ") is negative");
      most = std::max(most, int64_t{index});
    }
    auto first = axes_after(launch.input(count).shape(), launch.input(0).shape());
    auto slice = axes_after(launch.input(count + i).shape(), indices.shape());
    for (const auto* axes : {&first, &slice})
      if (!*axes) return axes->status();
    if (!std::ranges::equal(*first, *slice))
      return invalid_argument(
          "the slices of data " + std::to_string(i) + " have the shape " +
          Shape(*slice).to_string() + ", but those before have " + Shape(*first).to_string());
  }
  return most + 1;
}

Status compute_dynamic_stitch(Launch& launch, UpdateSlices replace) {
  auto count = launch.input_count() / 2;
  auto slices = check_stitches(launch, count);
  if (!slices) return slices.status();
  const auto& data = launch.input(count);
  auto slice = axes_after(data.shape(), launch.input(0).shape());
  auto out = allocate_slices(launch, data.dtype(), *slices, *slice);
  if (!out) return out.status();
  auto size = elements_of(*slice);
  int64_t given = 0;
  for (int i = 0; i < count; ++i) given += launch.input(i).elements();
  // With fewer indices than slices, and perhaps with as many, some places stay without a slice.
  std::vector<bool> is_named(given >= *slices ? static_cast<size_t>(*slices) : 0);
  auto is_full = !is_named.empty();
  if (is_full) {
    for (int i = 0; i < count; ++i)
      for (auto place : launch.input(i).values<int32_t>())
        is_named[static_cast<size_t>(place)] = true;
    is_full = std::ranges::count(is_named, false) == 0;
  }
  if (!is_full) set_zeros(*out);
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
  std::unordered_set<DistinctKey<T>, DistinctHash> without;
  for (const auto& value : y.values<T>()) without.insert(distinct_key(value));
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < x.elements(); ++i) {
    const auto& value = x.data<T>()[i];
    if (equals_nothing(value) || !without.contains(distinct_key(value))) chosen.push_back(i);
  }
  return chosen;
}

Status compute_list_diff(Launch& launch, PlacesLeft places_left, DType index_dtype) {
  const auto &x = launch.input(0), &y = launch.input(1);
  for (int i : {0, 1})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "x and y must be vectors, but input " + std::to_string(i) + " has the shape " +
          launch.input(i).shape().to_string());
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
  add_unique_kernels(catalog);
}

}  // namespace troupe::cpu
