#include "troupe/devices/cpu/reduction/reduce.hpp"

namespace troupe::cpu {
namespace {

/// One fold of a tensor. The walk `nest` leads over `in` and, broadcast along the folded axes,
/// `out`.
struct Folding {
  const FoldElements& elements;
  LoopNest<1> nest;
  const std::byte* in;
  std::byte* out;
  int64_t out_count;

  int64_t in_size() const { return int64_t(size_of(elements.in)); }
  int64_t out_size() const { return int64_t(size_of(elements.folded)); }
  int64_t rows_each() const { return nest.rank() > 1 ? nest.rows() / nest.outer_size() : 1; }

  /// Folds rows [begin, end) onto the elements of `to` that they lead to.
  void fold_rows(std::byte* to, int64_t begin, int64_t end) const {
    auto size = nest.row_size();
    auto is_row_each =
        nest.rank() == 2 && nest.row_strides()[0] == 0 && nest.outer_strides()[0] == 1;
    if (is_row_each && size < short_row && elements.fold_short_rows) {
      elements.fold_short_rows(
          to + begin * out_size(), in + begin * size * in_size(), end - begin, size);
      return;
    }
    auto fold = nest.row_strides()[0] != 0 ? elements.fold_each : elements.fold_row;
    nest.each_row(begin, end, [&](int64_t row, const auto& at) {
      fold(to + at[0] * out_size(), in + row * size * in_size(), size);
    });
  }

  /// Folds parts of the outermost axis that run side by side, each onto a copy of the result; their
  /// number is fixed, so that the same input always gives the same sum.
  Status fold_in_parts(const Launch& launch) const {
    constexpr int64_t parts = 16;
    auto copies = launch.allocate(elements.folded, {parts, out_count});
    if (!copies) return copies.status();
    auto* copy = static_cast<std::byte*>(copies->mutable_raw());
    elements.set_none(copy, parts * out_count);
    auto outer = nest.outer_size(), rows_each = this->rows_each();
    split_ranges(parts, 1, [&](int64_t begin, int64_t end) {
      for (auto part = begin; part < end; ++part) {
        auto first = outer * part / parts, last = outer * (part + 1) / parts;
        auto* to = copy + part * out_count * out_size();
        if (nest.rank() == 1) elements.fold_row(to, in + first * in_size(), last - first);
        else fold_rows(to, first * rows_each, last * rows_each);
      }
    });
    for (int64_t part = 0; part < parts; ++part)
      elements.join(out, copy + part * out_count * out_size(), out_count);
    return {};
  }

  Status fold(const Launch& launch) const {
    constexpr int64_t split_elements = 256 * 1024;
    elements.set_none(out, out_count);
    if (nest.elements() == 0) return {};
    auto is_large = nest.elements() > split_elements, folds_outer = nest.outer_strides()[0] == 0;
    if (!is_large || (folds_outer && out_count > split_elements / 16)) {
      fold_rows(out, 0, nest.rows());
      return {};
    }
    if (folds_outer) return fold_in_parts(launch);
    auto outer = nest.outer_size(), rows_each = nest.rank() > 1 ? this->rows_each() : 0;
    parallel_ranges(outer, nest.elements() / outer, [&](int64_t begin, int64_t end) {
      fold_rows(out, begin * rows_each, end * rows_each);
    });
    return {};
  }
};

/// What was folded, with elements of the dtype of the input.
Result<Tensor> narrowed(const Launch& launch, const FoldElements& elements, Tensor folded) {
  if (!elements.narrow) return folded;
  auto narrow = launch.allocate(elements.in, folded.shape());
  if (narrow) elements.narrow(narrow->mutable_raw(), folded.raw(), folded.elements());
  return narrow;
}

}  // namespace

Result<Tensor> reduce(
    const Launch& launch, const FoldElements& elements, const Tensor& in, const Shape& kept,
    const Shape& result, const std::function<void(void*, int64_t)>& finish) {
  auto folded = launch.allocate(elements.folded, result);
  if (!folded) return folded;
  auto* sums = static_cast<std::byte*>(folded->mutable_raw());
  Folding folding{
      .elements = elements,
      .nest = broadcast_nest(kept, in.shape()),
      .in = static_cast<const std::byte*>(in.raw()),
      .out = sums,
      .out_count = kept.elements()};
  auto status = folding.fold(launch);
  if (!status.ok()) return status;
  if (finish) finish(sums, folded->elements());
  return narrowed(launch, elements, *std::move(folded));
}

Status set_folded(Launch& launch, const FoldElements& elements, Tensor folded) {
  auto result = narrowed(launch, elements, std::move(folded));
  if (result) launch.set(0, *std::move(result));
  return result.status();
}

}  // namespace troupe::cpu
