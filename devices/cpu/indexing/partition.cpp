#include <algorithm>
#include <unordered_set>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/distinct.hpp"
#include "troupe/devices/cpu/indexing/partition.hpp"
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

/// How many slices each part gets.
Result<std::vector<int64_t>> count_parts(const Tensor& chosen, int64_t parts) {
  std::vector<int64_t> counts(static_cast<size_t>(parts), 0);
  for (int64_t i = 0; i < chosen.elements(); ++i) {
    auto part = chosen.data<int32_t>()[i];
    if (part < 0 || part >= parts)
      return invalid_argument(
          "partition " + std::to_string(part) + " (number " + std::to_string(i) +
          " of the partitions) is not in [0, " + std::to_string(parts) + ")");
    ++counts[static_cast<size_t>(part)];
  }
  return counts;
}

template <class C>
Status compute_dynamic_partition(Launch& launch, int64_t parts) {
  const auto &data = launch.input(0), &chosen = launch.input(1);
  auto slice = axes_after(data.shape(), chosen.shape());
  if (!slice) return slice.status();
  auto counts = count_parts(chosen, parts);
  if (!counts) return counts.status();
  std::vector<Tensor> outs;
  std::vector<C*> ends;
  for (auto count : *counts) {
    auto out = allocate_slices(launch, data.dtype(), count, *slice);
    if (!out) return out.status();
    outs.push_back(*std::move(out));
    ends.push_back(mutable_cells<C>(outs.back()));
  }
  auto size = elements_of(*slice);
  const auto* from = cells<C>(data);
  for (int64_t i = 0; i < chosen.elements() && size > 0; ++i) {
    auto& end = ends[static_cast<size_t>(chosen.data<int32_t>()[i])];
    copy_row(end, 1, from + i * size, 1, size);
    end += size;
  }
  for (size_t i = 0; i < outs.size(); ++i) launch.set(static_cast<int>(i), std::move(outs[i]));
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

template <class C>
Status compute_dynamic_stitch(Launch& launch) {
  auto count = launch.input_count() / 2;
  auto slices = check_stitches(launch, count);
  if (!slices) return slices.status();
  const auto& data = launch.input(count);
  auto slice = axes_after(data.shape(), launch.input(0).shape());
  auto out = allocate_slices(launch, data.dtype(), *slices, *slice);
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  auto size = elements_of(*slice);
  int64_t given = 0;
  for (int i = 0; i < count; ++i) given += launch.input(i).elements();
  // With fewer indices than slices, and perhaps with as many, some places stay without a slice.
  std::vector<bool> is_named(given >= *slices ? static_cast<size_t>(*slices) : 0);
  if (is_named.empty()) fill_zeros(to, out->elements());
  for (int i = 0; i < count; ++i)
    for (int64_t k = 0; k < launch.input(i).elements() && size > 0; ++k) {
      int64_t place = launch.input(i).data<int32_t>()[k];
      copy_row(to + place * size, 1, cells<C>(launch.input(count + i)) + k * size, 1, size);
      if (!is_named.empty()) is_named[static_cast<size_t>(place)] = true;
    }
  for (size_t place = 0; place < is_named.size(); ++place)
    if (!is_named[place]) std::fill_n(to + static_cast<int64_t>(place) * size, size, C{});
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

template <class T>
Status compute_list_diff(Launch& launch, DType index_dtype) {
  const auto &x = launch.input(0), &y = launch.input(1);
  for (int i : {0, 1})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "x and y must be vectors, but input " + std::to_string(i) + " has the shape " +
          launch.input(i).shape().to_string());
  std::unordered_set<DistinctKey<T>, DistinctHash> without;
  for (const auto& value : y.values<T>()) without.insert(distinct_key(value));
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < x.elements(); ++i) {
    const auto& value = x.data<T>()[i];
    if (equals_nothing(value) || !without.contains(distinct_key(value))) chosen.push_back(i);
  }
  auto out = launch.allocate(x.dtype(), {static_cast<int64_t>(chosen.size())});
  if (!out) return out.status();
  for (size_t i = 0; i < chosen.size(); ++i)
    out->template mutable_data<T>()[i] = x.data<T>()[chosen[i]];
  launch.set(0, *std::move(out));
  return set_ints(launch, 1, index_dtype, chosen);
}

Result<Kernel> make_list_diff(const Node& node) {
  constexpr auto types = AllPlain{} + Types<std::string>{};
  return dispatch(types, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [index_dtype = node.attr<DType>("out_idx")](Launch& launch) {
      return compute_list_diff<decltype(zero)>(launch, index_dtype);
    }};
  });
}

}  // namespace

void add_partition_kernels(KernelCatalog& catalog) {
  catalog.add("DynamicPartition", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{.compute = [parts = node.attr<int64_t>("num_partitions")](Launch& launch) {
        return compute_dynamic_partition<decltype(cell)>(launch, parts);
      }};
    });
  });
  for (const auto* name : {"DynamicStitch", "ParallelDynamicStitch"})
    catalog.add(name, [](const Node& node) {
      return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
        return Kernel{.compute = compute_dynamic_stitch<decltype(cell)>};
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
