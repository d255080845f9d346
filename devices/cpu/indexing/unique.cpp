#include "troupe/devices/cpu/indexing/unique.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/distinct.hpp"
#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

template <class T>
uint64_t hash_slice(const UniqueSlices& s, int64_t i) {
  uint64_t hash = 0;
  for (int64_t o = 0; o < s.outer; ++o) {
    const auto* piece = s.x.data<T>() + (o * s.count + i) * s.inner;
    for (int64_t k = 0; k < s.inner; ++k)
      hash = std::rotl(hash, 5) * 0x9e3779b97f4a7c15u + DistinctHash()(distinct_key(piece[k]));
  }
  return hash ^ hash >> 32;
}

/// Whether slices of one hash are equal.
template <class T>
bool equal_slices(const UniqueSlices& s, int64_t i, int64_t k) {
  // No two integers have one hash: each step of it can be undone.
  if (std::is_integral_v<T> && s.outer == 1 && s.inner == 1) return true;
  for (int64_t o = 0; o < s.outer; ++o) {
    const auto* a = s.x.data<T>() + (o * s.count + i) * s.inner;
    const auto* b = s.x.data<T>() + (o * s.count + k) * s.inner;
    if (!std::equal(a, a + s.inner, b)) return false;
  }
  return true;
}

/// The distinct slices, by their first places, and for each slice which of them it is.
struct DistinctSlices {
  std::vector<int64_t> first;
  std::vector<int64_t> which;
  std::vector<int64_t> counts;
};

template <class T>
DistinctSlices find_distinct(const UniqueSlices& slices) {
  DistinctSlices found;
  found.which.resize(static_cast<size_t>(slices.count));
  DistinctTable table;
  // The places of hashes in a large table are in no cache: they are asked of memory some slices
  // ahead.
  constexpr int64_t ahead = 16;
  std::array<uint64_t, ahead> hashes;
  auto hash = [&](int64_t i) {
    if (i >= slices.count) return;
    auto& of_slice = hashes[static_cast<size_t>(i % ahead)] = hash_slice<T>(slices, i);
    table.prefetch(of_slice);
  };
  for (int64_t i = 0; i < ahead; ++i) hash(i);
  for (int64_t i = 0; i < slices.count; ++i) {
    auto of_slice = hashes[static_cast<size_t>(i % ahead)];
    hash(i + ahead);
    auto number = table.find_or_add(of_slice, [&](int64_t other) {
      return equal_slices<T>(slices, found.first[static_cast<size_t>(other)], i);
    });
    if (number == std::ssize(found.first)) {
      found.first.push_back(i);
      found.counts.push_back(0);
    }
    found.which[static_cast<size_t>(i)] = number;
    ++found.counts[static_cast<size_t>(number)];
  }
  return found;
}

using FindDistinct = DistinctSlices (*)(const UniqueSlices& slices);

FindDistinct find_distinct_of(DType dtype) {
  return choose(AllPlain{} + Types<std::string>{}, dtype, [](auto zero) {
    return &find_distinct<decltype(zero)>;
  });
}

Result<Tensor> copy_distinct(
    const Launch& launch, const UniqueSlices& slices, const std::vector<int64_t>& first) {
  auto shape = slices.x.shape();
  auto count = static_cast<int64_t>(first.size());
  shape.set(slices.axis, count);
  auto out = launch.allocate(slices.x.dtype(), shape);
  if (!out) return out;
  auto gather = find_gather(out->dtype());
  auto size = static_cast<int64_t>(size_of(out->dtype())) * slices.inner;
  auto* to = static_cast<std::byte*>(out->mutable_raw());
  const auto* from = static_cast<const std::byte*>(slices.x.raw());
  for (int64_t o = 0; o < slices.outer; ++o)
    gather(
        to + o * count * size, from + o * slices.count * size, first.data(), count, slices.inner);
  return out;
}

Status compute_unique(Launch& launch, DType index_dtype, bool has_counts) {
  auto slices = unique_slices(launch);
  if (!slices) return slices.status();
  // Slices without elements are equal, whatever number of pieces they would have.
  if (slices->x.elements() == 0) slices->outer = 0;
  auto found = find_distinct_of(slices->x.dtype())(*slices);
  auto distinct = copy_distinct(launch, *slices, found.first);
  if (!distinct) return distinct.status();
  launch.set(0, *std::move(distinct));
  auto status = set_ints(launch, 1, index_dtype, found.which);
  if (status.ok() && has_counts) status = set_ints(launch, 2, index_dtype, found.counts);
  return status;
}

Result<Kernel> make_unique_kernel(const Node& node) {
  return copying_kernel(
      node.attr<DType>("T"),
      [index_dtype = node.attr<DType>("out_idx"), has_counts = node.output_dtypes.size() > 2](
          Launch& launch) { return compute_unique(launch, index_dtype, has_counts); });
}

/// The axis in input 1, if the op has one and it is not empty; else that of the vector x.
Result<int> unique_axis(const Launch& launch) {
  const auto& shape = launch.input(0).shape();
  if (launch.input_count() > 1) {
    const auto& given = launch.input(1);
    if (given.shape().rank() != 1 || given.elements() > 1)
      return invalid_argument(
          "'axis' must be a vector of one element or none, but has the shape " +
          given.shape().to_string());
    if (given.elements() == 1) {
      auto axis = IntInput::of(given);
      if (!axis) return axis.status();
      return find_axis((*axis)[0], shape.rank());
    }
  }
  if (shape.rank() == 1) return 0;
  return no_vector(shape);
}

}  // namespace

Result<UniqueSlices> unique_slices(const Launch& launch) {
  auto axis = unique_axis(launch);
  if (!axis) return axis.status();
  const auto& x = launch.input(0);
  UniqueSlices slices{.x = x, .axis = *axis, .count = x.shape()[*axis]};
  for (int i = 0; i < *axis; ++i) slices.outer *= x.shape()[i];
  for (int i = *axis + 1; i < x.shape().rank(); ++i) slices.inner *= x.shape()[i];
  return slices;
}

void add_unique_kernels(KernelCatalog& catalog) {
  for (const auto* name : {"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"})
    catalog.add(name, make_unique_kernel);
}

}  // namespace troupe::cpu
