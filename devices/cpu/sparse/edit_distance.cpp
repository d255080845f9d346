#include <algorithm>
#include <limits>
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

/// How many changes make one sequence of the other; a row of the table at a time.
template <class Equal>
int64_t edit_distance(int64_t a_size, int64_t b_size, const Equal& are_equal) {
  std::vector<int64_t> row(static_cast<size_t>(b_size) + 1);
  for (int64_t j = 0; j <= b_size; ++j) row[static_cast<size_t>(j)] = j;
  for (int64_t i = 0; i < a_size; ++i) {
    auto diagonal = row[0]++;
    for (int64_t j = 0; j < b_size; ++j) {
      auto &left = row[static_cast<size_t>(j)], &above = row[static_cast<size_t>(j) + 1];
      auto replaced = diagonal + (are_equal(i, j) ? 0 : 1);
      diagonal = above;
      above = std::min({left + 1, above + 1, replaced});
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

template <class T>
Status compute_edit_distance(Launch& launch, bool normalize) {
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
  const auto *a = launch.input(1).data<T>(), *b = launch.input(4).data<T>();
  for (int64_t i = 0; i < out->elements(); ++i) {
    auto guess = guesses.take(i, next_guess), real = truths.take(i, next_truth);
    auto guess_size = static_cast<int64_t>(guess.size());
    auto size = static_cast<int64_t>(real.size());
    auto distance = static_cast<float>(edit_distance(guess_size, size, [&](int64_t j, int64_t k) {
      return a[guess[static_cast<size_t>(j)].number] == b[real[static_cast<size_t>(k)].number];
    }));
    if (normalize && size > 0) distance /= static_cast<float>(size);
    else if (normalize && guess_size > 0) distance = std::numeric_limits<float>::infinity();
    out->mutable_data<float>()[i] = distance;
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_edit_distance_kernels(KernelCatalog& catalog) {
  catalog.add("EditDistance", [](const Node& node) {
    auto normalize = node.attr<bool>("normalize");
    return dispatch(AllPlain{} + Types<std::string>{}, node.attr<DType>("T"), [&](auto zero) {
      return Kernel{.compute = [normalize](Launch& launch) {
        return compute_edit_distance<decltype(zero)>(launch, normalize);
      }};
    });
  });
}

}  // namespace troupe::cpu
