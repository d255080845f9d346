#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/vector/search.hpp"

namespace troupe::cpu {
namespace {

/// As the vector loops, for elements that have none.
template <class T>
void find_nonzero(const void* elements, int64_t count, uint64_t* bits) {
  const auto* values = static_cast<const T*>(elements);
  for (int64_t begin = 0; begin < count; begin += 64) {
    uint64_t word = 0;
    for (int64_t i = begin; i < std::min(count, begin + 64); ++i)
      word |= uint64_t{!(promote(values[i]) == Promoted<T>{})} << (i - begin);
    *bits++ = word;
  }
}

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

  /// Writes those of elements from `begin` on whose bits are set, and returns where they end.
  int64_t* write(int64_t* to, int64_t begin, uint64_t bits) {
    const auto others = shape.rank() - 1;
    if (others == 0 && bits == ~uint64_t{0}) {
      std::iota(to, to + 64, begin);
      return to + 64;
    }
    for (; bits != 0; bits &= bits - 1) {
      const auto place = begin + std::countr_zero(bits);
      if (place >= row_end) begin_row(place);
      for (int axis = 0; axis < others; ++axis) *to++ = row[static_cast<size_t>(axis)];
      *to++ = place - row_begin;
    }
    return to;
  }
};

Status compute_where(Launch& launch, vector::FindNonzero find) {
  constexpr int64_t word = 64, part = 512;  // elements of a word, words of a part
  const auto& x = launch.input(0);
  const auto rank = x.shape().rank();
  const auto words = (x.elements() + word - 1) / word, parts = (words + part - 1) / part;
  auto found = launch.allocate(DType::uint64, {words});
  if (!found) return found.status();
  auto* bits = found->mutable_data<uint64_t>();
  std::vector<int64_t> starts(static_cast<size_t>(parts) + 1);
  auto end_of = [&](int64_t i) { return std::min(words, (i + 1) * part); };
  const auto* elements = static_cast<const std::byte*>(x.raw());
  const auto size = static_cast<int64_t>(size_of(x.dtype()));
  parallel_ranges(parts, part * word / 8, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto first = i * part * word, count = std::min(x.elements() - first, part * word);
      find(elements + first * size, count, bits + i * part);
      for (auto at = i * part; at < end_of(i); ++at)
        starts[static_cast<size_t>(i) + 1] += std::popcount(bits[at]);
    }
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  auto out = launch.allocate(DType::int64, {starts.back(), rank});
  if (!out) return out.status();
  auto* to = out->mutable_data<int64_t>();
  parallel_ranges(rank == 0 ? 0 : parts, part * word, [&](int64_t first, int64_t last) {
    for (auto i = first; i < last; ++i) {
      Coordinates coordinates{.shape = x.shape()};
      auto* at = to + starts[static_cast<size_t>(i)] * rank;
      for (auto k = i * part; k < end_of(i); ++k)
        if (bits[k] != 0) at = coordinates.write(at, k * word, bits[k]);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_where(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto find = vector::find_nonzero_loop(dtype);
  if (!find)
    find = choose(AllPlain{}, dtype, [](auto zero) { return find_nonzero<decltype(zero)>; });
  if (!find) return no_kernel(dtype);
  return Kernel{.compute = [find](Launch& launch) { return compute_where(launch, find); }};
}

}  // namespace

void add_where_kernel(KernelCatalog& catalog) { catalog.add("Where", make_where); }

}  // namespace troupe::cpu
