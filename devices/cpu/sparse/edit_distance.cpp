#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"

namespace troupe::cpu {
namespace {

/// The entries of a sparse tensor as sequences along its last axis: which sequence of the result
/// each belongs to, in order, and its number.
struct Sequences {
  struct Entry {
    int64_t sequence, number;
  };
  std::vector<Entry> entries;

  Sequences(const SparsePlaces& places, const Strides& strides) {
    for (auto number : places.order()) {
      auto index = places[number];
      int64_t sequence = 0;
      for (size_t axis = 0; axis + 1 < index.size(); ++axis)
        sequence += index[axis] * strides[axis];
      entries.push_back({sequence, number});
    }
  }

  /// The entries of the sequence at `begin`, which is then the next one's; none of another.
  std::span<const Entry> take(int64_t sequence, size_t& begin) const {
    auto end = begin;
    while (end < entries.size() && entries[end].sequence == sequence) ++end;
    std::span<const Entry> taken(entries.data() + begin, end - begin);
    begin = end;
    return taken;
  }
};

/// How many changes make one sequence of values of the other; a row of the table at a time.
using EditDistance = int64_t (*)(
    const void* a_values, std::span<const Sequences::Entry> a, const void* b_values,
    std::span<const Sequences::Entry> b);

template <class T>
int64_t edit_distance(
    const void* a_values, std::span<const Sequences::Entry> a, const void* b_values,
    std::span<const Sequences::Entry> b) {
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), int64_t{0});
  for (const auto& x : a) {
    const auto& value = static_cast<const T*>(a_values)[x.number];
    auto diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      auto is_equal = value == static_cast<const T*>(b_values)[b[j].number];
      auto replaced = diagonal + (is_equal ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
    }
  }
  return row.back();
}

/// The shape of the result: the greater sizes of both, without the last axis.
Result<Shape> distances_shape(const SparsePlaces& a, const SparsePlaces& b) {
  if (a.rank() != b.rank() || a.rank() < 1)
    return invalid_argument(
        "both tensors must have the same rank, of at least 1, but have the shapes " +
        show_index(a.sizes()) + " and " + show_index(b.sizes()));
  std::vector<int64_t> sizes;
  for (size_t axis = 0; axis + 1 < a.sizes().size(); ++axis)
    sizes.push_back(std::max(a.sizes()[axis], b.sizes()[axis]));
  return Shape::make(sizes);
}

Status compute_edit_distance(Launch& launch, EditDistance edit_distance, bool normalize) {
  auto hypothesis = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!hypothesis) return hypothesis.status();
  auto truth = SparsePlaces::of(launch.input(3), launch.input(4), launch.input(5));
  if (!truth) return truth.status();
  auto shape = distances_shape(*hypothesis, *truth);
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::float32, *shape);
  if (!out) return out.status();
  auto strides = strides_of(*shape);
  Sequences guesses(*hypothesis, strides), truths(*truth, strides);
  size_t next_guess = 0, next_truth = 0;
  for (int64_t i = 0; i < out->elements(); ++i) {
    auto guess = guesses.take(i, next_guess), real = truths.take(i, next_truth);
    auto changes = edit_distance(launch.input(1).raw(), guess, launch.input(4).raw(), real);
    auto distance = static_cast<float>(changes);
    if (normalize && !real.empty()) distance /= static_cast<float>(real.size());
    else if (normalize && !guess.empty()) distance = std::numeric_limits<float>::infinity();
    out->mutable_data<float>()[i] = distance;
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_edit_distance_kernels(KernelCatalog& catalog) {
  catalog.add("EditDistance", [](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    constexpr auto types = AllPlain{} + Types<std::string>{};
    auto distance = choose(types, dtype, [](auto zero) { return edit_distance<decltype(zero)>; });
    if (!distance) return no_kernel(dtype);
    return Kernel{.compute = [distance, normalize = node.attr<bool>("normalize")](Launch& launch) {
      return compute_edit_distance(launch, distance, normalize);
    }};
  });
}

}  // namespace troupe::cpu
