#include <algorithm>
#include <cmath>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/math/division.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"

namespace troupe::cpu {
namespace {

/// The numbers of two operands' entries at one place; -1 where an operand has none.
struct EntryPair {
  int64_t a, b;
};

struct EntryPairs {
  std::vector<EntryPair> pairs;  // in the order of their places

  /// Of tensors whose entries are in order.
  static EntryPairs of(const SparsePlaces& a, const SparsePlaces& b) {
    EntryPairs all;
    int64_t i = 0, j = 0;
    while (i < a.count() || j < b.count()) {
      auto has_a = i < a.count(), has_b = j < b.count();
      auto a_is_first = has_a && (!has_b || std::ranges::lexicographical_compare(a[i], b[j]));
      auto b_is_first = has_b && (!has_a || std::ranges::lexicographical_compare(b[j], a[i]));
      all.pairs.push_back({b_is_first ? -1 : i++, a_is_first ? -1 : j++});
    }
    return all;
  }

  Status set_places(
      Launch& launch, int output, const SparsePlaces& a, const SparsePlaces& b) const {
    std::vector<int64_t> indices;
    indices.reserve(pairs.size() * a.sizes().size());
    for (const auto& pair : pairs) {
      auto index = pair.a >= 0 ? a[pair.a] : b[pair.b];
      indices.insert(indices.end(), index.begin(), index.end());
    }
    return set_indices(launch, output, std::ssize(pairs), a.rank(), indices);
  }
};

/// Two sparse tensors of one shape, in inputs 0 to 2 and 3 to 5.
struct SparseOperands {
  SparsePlaces a, b;

  static Result<SparseOperands> of(const Launch& launch) {
    auto a = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
    if (!a) return a.status();
    auto b = SparsePlaces::of(launch.input(3), launch.input(4), launch.input(5));
    if (!b) return b.status();
    if (a->sizes() != b->sizes())
      return invalid_argument(
          "both operands must have one shape, but have " + show_index(a->sizes()) + " and " +
          show_index(b->sizes()));
    return SparseOperands{*std::move(a), *std::move(b)};
  }
};

/// Sets out[i] to what F makes of pair i, with zeros for what has no entry.
using CombinePairs =
    void (*)(void* out, const std::vector<EntryPair>& pairs, const void* a, const void* b);

template <class F, class T>
void combine_pairs(void* out, const std::vector<EntryPair>& pairs, const void* a, const void* b) {
  auto at = [](const void* values, int64_t i) {
    return promote(i < 0 ? T{} : static_cast<const T*>(values)[i]);
  };
  auto* to = static_cast<T*>(out);
  for (const auto& pair : pairs) *to++ = static_cast<T>(F{}(at(a, pair.a), at(b, pair.b)));
}

struct AddEntries {
  template <class T>
  auto operator()(T x, T y) const {
    return wrap(x) + wrap(y);
  }
};
struct GreaterEntry {
  template <class T>
  T operator()(T x, T y) const {
    return x < y ? y : x;
  }
};
struct LesserEntry {
  template <class T>
  T operator()(T x, T y) const {
    return y < x ? y : x;
  }
};

Result<Tensor> combined(const Launch& launch, const EntryPairs& all, CombinePairs combine) {
  auto out = launch.allocate(launch.input(1).dtype(), {std::ssize(all.pairs)});
  if (out) combine(out->mutable_raw(), all.pairs, launch.input(1).raw(), launch.input(4).raw());
  return out;
}

Status compute_sparse_extreme(Launch& launch, CombinePairs combine) {
  auto operands = SparseOperands::of(launch);
  if (!operands) return operands.status();
  auto all = EntryPairs::of(operands->a, operands->b);
  auto values = combined(launch, all, combine);
  if (!values) return values.status();
  launch.set(1, *std::move(values));
  return all.set_places(launch, 0, operands->a, operands->b);
}

/// Keeps of the pairs, and of their sums, those that have one entry only or are large enough.
using DropSmall = void (*)(std::vector<EntryPair>& pairs, void* sums, const void* threshold);

/// The greatest integers that a dtype has are those of magnitudes, too.
template <class T>
auto magnitude_of(T value) {
  if constexpr (is_number<T>) return value < 0 ? -static_cast<__int128>(value) : __int128{value};
  else return std::abs(promote(value));
}

template <class T, class TReal>
void drop_small(std::vector<EntryPair>& pairs, void* sums, const void* threshold) {
  auto* values = static_cast<T*>(sums);
  auto least = promote(*static_cast<const TReal*>(threshold));
  size_t kept = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    auto is_sum = pairs[i].a >= 0 && pairs[i].b >= 0;
    if (is_sum && !(least <= magnitude_of(values[i]))) continue;
    values[kept] = values[i];
    pairs[kept++] = pairs[i];
  }
  pairs.resize(kept);
}

Status compute_sparse_add(Launch& launch, CombinePairs add, DropSmall drop) {
  auto operands = SparseOperands::of(launch);
  if (!operands) return operands.status();
  if (!launch.input(6).shape().is_scalar())
    return invalid_argument(
        "'thresh' must be a scalar, but is " + launch.input(6).shape().to_string());
  auto all = EntryPairs::of(operands->a, operands->b);
  auto sums = combined(launch, all, add);
  if (!sums) return sums.status();
  drop(all.pairs, sums->mutable_raw(), launch.input(6).raw());
  auto kept = launch.allocate(sums->dtype(), {std::ssize(all.pairs)});
  if (!kept) return kept.status();
  copy_elements(*kept, 0, *sums, 0, kept->elements());
  launch.set(1, *std::move(kept));
  launch.set(2, launch.input(2));
  return all.set_places(launch, 0, operands->a, operands->b);
}

template <class T>
struct RealPart {
  using Type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using Type = T;
};

Result<Kernel> make_sparse_add(const Node& node) {
  auto dtype = node.attr<DType>("T"), threshold = node.attr<DType>("Treal");
  return dispatch(Numeric{}, dtype, [&](auto zero) -> Result<Kernel> {
    using T = decltype(zero);
    using TReal = typename RealPart<T>::Type;
    if (threshold != dtype_of<TReal>()) return no_kernel(threshold);
    return Kernel{.compute = [](Launch& launch) {
      return compute_sparse_add(launch, combine_pairs<AddEntries, T>, drop_small<T, TReal>);
    }};
  });
}

/// For each of the entries, both in order, the gradient of the sum's entry at its place, or 0.
Status set_entry_gradients(Launch& launch, int output, const Tensor& indices) {
  const auto &gradients = launch.input(0), &sums = launch.input(3);
  auto rank = sums.shape()[1], count = indices.shape()[0];
  auto out = launch.allocate(gradients.dtype(), {count});
  if (!out) return out.status();
  set_zeros(*out);
  auto row = [rank](const Tensor& of, int64_t i) {
    return std::span(of.data<int64_t>() + i * rank, static_cast<size_t>(rank));
  };
  int64_t next = 0;
  for (int64_t i = 0; i < count; ++i) {
    auto index = row(indices, i);
    while (next < gradients.elements() &&
           std::ranges::lexicographical_compare(row(sums, next), index))
      ++next;
    if (next < gradients.elements() && std::ranges::equal(row(sums, next), index))
      copy_elements(*out, i, gradients, next, 1);
  }
  launch.set(output, *std::move(out));
  return {};
}

Status compute_sparse_add_grad(Launch& launch) {
  const auto &gradients = launch.input(0).shape(), &sums = launch.input(3).shape();
  auto fits = gradients.rank() == 1 && sums.rank() == 2 && sums[0] == gradients[0];
  for (int i : {1, 2}) {
    const auto& shape = launch.input(i).shape();
    fits = fits && shape.rank() == 2 && shape[1] == sums[1];
  }
  if (!fits)
    return invalid_argument(
        "gradients of shape " + gradients.to_string() + " and indices of " +
        launch.input(1).shape().to_string() + ", " + launch.input(2).shape().to_string() + " and " +
        sums.to_string() + " do not fit each other");
  auto status = set_entry_gradients(launch, 0, launch.input(1));
  return status.ok() ? set_entry_gradients(launch, 1, launch.input(2)) : status;
}

/// Where a dense tensor, broadcast to a sparse one, has the elements of its entries.
Result<std::vector<int64_t>> broadcast_offsets(const SparsePlaces& places, const Shape& dense) {
  auto missing = places.rank() - dense.rank();
  std::vector<int64_t> strides(static_cast<size_t>(places.rank()));
  int64_t stride = 1;
  for (int axis = dense.rank() - 1; axis >= 0; --axis) {
    if (missing < 0 || (dense[axis] != 1 && dense[axis] != places.sizes()[missing + axis]))
      return invalid_argument(
          "a dense tensor of shape " + dense.to_string() + " cannot be broadcast to " +
          show_index(places.sizes()));
    strides[missing + axis] = dense[axis] == 1 ? 0 : stride;
    stride *= dense[axis];
  }
  std::vector<int64_t> offsets(static_cast<size_t>(places.count()));
  for (int64_t i = 0; i < places.count(); ++i)
    for (size_t axis = 0; axis < strides.size(); ++axis)
      offsets[i] += places[i][axis] * strides[axis];
  return offsets;
}

/// out[i] = F(values[i], dense[offsets[i]])
using CombineDense = Status (*)(
    void* out, const void* values, const void* dense, const std::vector<int64_t>& offsets);

template <class F, class T>
Status combine_dense(
    void* out, const void* values, const void* dense, const std::vector<int64_t>& offsets) {
  auto* to = static_cast<T*>(out);
  const auto *x = static_cast<const T*>(values), *y = static_cast<const T*>(dense);
  for (size_t i = 0; i < offsets.size(); ++i) {
    if constexpr (F::divides && is_number<T>)
      if (y[offsets[i]] == 0) return invalid_argument("integer division by zero");
    to[i] = static_cast<T>(F{}(promote(x[i]), promote(y[offsets[i]])));
  }
  return {};
}

struct AddDense {
  static constexpr bool divides = false;
  template <class T>
  auto operator()(T x, T y) const {
    return wrap(x) + wrap(y);
  }
};
struct MultiplyDense {
  static constexpr bool divides = false;
  template <class T>
  auto operator()(T x, T y) const {
    return wrap(x) * wrap(y);
  }
};
struct DivideDense {
  static constexpr bool divides = true;
  template <class T>
  auto operator()(T x, T y) const {
    return divide(x, y);
  }
};

Status compute_sparse_dense(Launch& launch, CombineDense combine) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto offsets = broadcast_offsets(*places, launch.input(3).shape());
  if (!offsets) return offsets.status();
  auto out = launch.allocate(launch.input(1).dtype(), {places->count()});
  if (!out) return out.status();
  auto status = combine(out->mutable_raw(), launch.input(1).raw(), launch.input(3).raw(), *offsets);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

template <class T>
Status compute_sparse_softmax(Launch& launch) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  if (places->rank() < 2)
    return invalid_argument(
        "a softmax takes at least rank 2, but the rank is " + std::to_string(places->rank()));
  auto out = launch.allocate(launch.input(1).dtype(), {places->count()});
  if (!out) return out.status();
  const auto* in = launch.input(1).data<T>();
  auto* to = out->template mutable_data<T>();
  auto order = places->order();
  auto row_of = [&](size_t i) { return (*places)[order[i]].first(places->sizes().size() - 1); };
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && std::ranges::equal(row_of(begin), row_of(end))) ++end;
    auto row = std::span(order).subspan(begin, end - begin);
    auto greatest = in[row[0]];
    for (auto i : row) greatest = std::max(greatest, in[i]);
    T sum = 0;
    for (auto i : row) sum += to[i] = std::exp(in[i] - greatest);
    for (auto i : row) to[i] /= sum;
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class F, class Allowed>
KernelCatalog::Make sparse_extreme_maker() {
  return [](const Node& node) {
    return dispatch(Allowed{}, node.attr<DType>("T"), [](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = [](Launch& launch) {
        return compute_sparse_extreme(launch, combine_pairs<F, T>);
      }};
    });
  };
}

template <class F>
Result<Kernel> make_sparse_dense(const Node& node) {
  return dispatch(Numeric{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [](Launch& launch) {
      return compute_sparse_dense(launch, combine_dense<F, T>);
    }};
  });
}

}  // namespace

void add_sparse_arithmetic_kernels(KernelCatalog& catalog) {
  catalog.add("SparseAdd", make_sparse_add);
  catalog.add("SparseAddGrad", [](const Node& node) {
    return copying_kernel(node.attr<DType>("T"), compute_sparse_add_grad);
  });
  catalog.add("SparseSparseMaximum", sparse_extreme_maker<GreaterEntry, Real>());
  catalog.add("SparseSparseMinimum", sparse_extreme_maker<LesserEntry, Real>());
  catalog.add("SparseDenseCwiseAdd", make_sparse_dense<AddDense>);
  catalog.add("SparseDenseCwiseMul", make_sparse_dense<MultiplyDense>);
  catalog.add("SparseDenseCwiseDiv", make_sparse_dense<DivideDense>);
  catalog.add("SparseSoftmax", [](const Node& node) {
    return dispatch(Types<float, double>{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_sparse_softmax<decltype(zero)>};
    });
  });
}

}  // namespace troupe::cpu
