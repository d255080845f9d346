#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/reduction/reduce.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"

namespace troupe::cpu {
namespace {

/// The entries of a sparse tensor that are folded to one, group by group.
struct EntryGroups {
  std::vector<int64_t> order;  // of the entries
  std::vector<size_t> ends;    // in `order`, of the groups
  std::vector<bool> is_folded;

  int64_t count() const { return std::ssize(ends); }
  size_t begin(size_t group) const { return group == 0 ? 0 : ends[group - 1]; }
};

/// Negative, 0 or positive, as the one index comes before the other without the folded axes.
int compare_kept(
    std::span<const int64_t> a, std::span<const int64_t> b, const std::vector<bool>& is_folded) {
  for (size_t axis = 0; axis < a.size(); ++axis)
    if (!is_folded[axis] && a[axis] != b[axis]) return a[axis] < b[axis] ? -1 : 1;
  return 0;
}

Result<EntryGroups> group_entries(const SparsePlaces& places, const Tensor& given) {
  auto axes = IntInput::of(given);
  if (!axes) return axes.status();
  EntryGroups groups;
  groups.is_folded.resize(places.sizes().size());
  for (auto each : axes->values()) {
    auto axis = find_axis(each, places.rank());
    if (!axis) return axis.status();
    groups.is_folded[static_cast<size_t>(*axis)] = true;
  }
  auto compare = [&](int64_t a, int64_t b) {
    return compare_kept(places[a], places[b], groups.is_folded);
  };
  groups.order = places.order();
  std::ranges::stable_sort(groups.order, [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
  for (size_t i = 1; i <= groups.order.size(); ++i)
    if (i == groups.order.size() || compare(groups.order[i - 1], groups.order[i]) != 0)
      groups.ends.push_back(i);
  return groups;
}

/// One number for each group, as a vector.
Result<Tensor> fold_groups(
    const Launch& launch, const FoldElements& elements, const EntryGroups& groups) {
  auto folded = launch.allocate(elements.folded, {groups.count()});
  if (!folded) return folded;
  auto in_size = int64_t(size_of(elements.in)), out_size = int64_t(size_of(elements.folded));
  const auto* values = static_cast<const std::byte*>(launch.input(1).raw());
  auto* out = static_cast<std::byte*>(folded->mutable_raw());
  elements.set_none(out, groups.count());
  for (size_t group = 0; group < groups.ends.size(); ++group)
    for (auto i = groups.begin(group); i < groups.ends[group]; ++i)
      elements.fold_each(
          out + static_cast<int64_t>(group) * out_size, values + groups.order[i] * in_size, 1);
  if (!elements.narrow) return folded;
  auto narrow = launch.allocate(elements.in, {groups.count()});
  if (narrow) elements.narrow(narrow->mutable_raw(), out, groups.count());
  return narrow;
}

/// The sizes of the result, or an index of it: without the folded axes, or with `in_folded` there.
void append_kept(
    std::vector<int64_t>& to, std::span<const int64_t> from, const std::vector<bool>& is_folded,
    bool keep_dims, int64_t in_folded) {
  for (size_t axis = 0; axis < from.size(); ++axis)
    if (!is_folded[axis]) to.push_back(from[axis]);
    else if (keep_dims) to.push_back(in_folded);
}

struct SparseReduction {
  FoldElements elements;
  bool keep_dims;
};

Status reduce_to_sparse(Launch& launch, const SparseReduction& reduction) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto groups = group_entries(*places, launch.input(3));
  if (!groups) return groups.status();
  auto values = fold_groups(launch, reduction.elements, *groups);
  if (!values) return values.status();
  std::vector<int64_t> indices, sizes;
  append_kept(sizes, places->sizes(), groups->is_folded, reduction.keep_dims, 1);
  for (size_t group = 0; group < groups->ends.size(); ++group) {
    auto index = (*places)[groups->order[groups->begin(group)]];
    append_kept(indices, index, groups->is_folded, reduction.keep_dims, 0);
  }
  auto shape = launch.allocate(DType::int64, {std::ssize(sizes)});
  if (!shape) return shape.status();
  std::ranges::copy(sizes, shape->mutable_data<int64_t>());
  launch.set(1, *std::move(values));
  launch.set(2, *std::move(shape));
  return set_indices(launch, 0, groups->count(), std::ssize(sizes), indices);
}

Status reduce_to_dense(Launch& launch, const SparseReduction& reduction) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto groups = group_entries(*places, launch.input(3));
  if (!groups) return groups.status();
  auto values = fold_groups(launch, reduction.elements, *groups);
  if (!values) return values.status();
  std::vector<int64_t> sizes;
  append_kept(sizes, places->sizes(), groups->is_folded, reduction.keep_dims, 1);
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto out = launch.allocate(values->dtype(), *shape);
  if (!out) return out.status();
  auto element = size_of(values->dtype());
  auto* to = static_cast<std::byte*>(out->mutable_raw());
  std::fill_n(to, out->elements() * int64_t(element), std::byte{0});
  const auto* from = static_cast<const std::byte*>(values->raw());
  for (size_t group = 0; group < groups->ends.size(); ++group) {
    auto index = (*places)[groups->order[groups->begin(group)]];
    int64_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      if (!groups->is_folded[axis]) offset = offset * places->sizes()[axis] + index[axis];
    std::copy_n(from + group * element, element, to + offset * int64_t(element));
  }
  launch.set(0, *std::move(out));
  return {};
}

using ComputeReduction = Status (*)(Launch&, const SparseReduction&);

template <class Fold, class Allowed>
KernelCatalog::Make sparse_reduction_maker(ComputeReduction compute) {
  return [=](const Node& node) {
    auto keep_dims = node.attr<bool>("keep_dims");
    return dispatch(Allowed{}, node.attr<DType>("T"), [=](auto zero) {
      SparseReduction reduction{
          .elements = fold_elements<Fold, decltype(zero)>(), .keep_dims = keep_dims};
      return Kernel{.compute = [=](Launch& launch) { return compute(launch, reduction); }};
    });
  };
}

}  // namespace

void add_sparse_reduction_kernels(KernelCatalog& catalog) {
  catalog.add("SparseReduceMax", sparse_reduction_maker<FoldMaximum, Real>(reduce_to_dense));
  catalog.add("SparseReduceMaxSparse", sparse_reduction_maker<FoldMaximum, Real>(reduce_to_sparse));
  catalog.add("SparseReduceSumSparse", sparse_reduction_maker<FoldSum, Numeric>(reduce_to_sparse));
}

}  // namespace troupe::cpu
