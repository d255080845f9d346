#include "troupe/graph/ops/array/strided_slice.hpp"

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The length of begin, end and strides, at inputs from `first` on; unknown if none tells it.
Result<int64_t> slice_length(const ShapeInference& s, int first) {
  Shape length = Shape::of_rank(1);
  for (int i = first; i < first + 3; ++i) {
    auto merged = length.merge(s.input(i));
    if (!merged)
      return invalid_argument(
          "begin, end and strides must be vectors of one length, but input " + std::to_string(i) +
          " has the shape " + s.input(i).to_string() + " instead of " + length.to_string());
    length = *merged;
  }
  if (length[0] > ops::SliceEntries::most)
    return invalid_argument(
        "a slice can have at most " + std::to_string(ops::SliceEntries::most) + " entries, not " +
        std::to_string(length[0]));
  return length[0];
}

/// What is known of one of the three, entry by entry.
Status read_known(
    const ShapeInference& s, int input, ops::SliceEntries& entries,
    std::optional<int64_t> ops::SliceEntries::Entry::* field) {
  if (auto ints = s.constant_ints(input)) {
    for (int i = 0; i < entries.count; ++i) entries.entries[i].*field = (*ints)[i];
    return {};
  }
  if (entries.count > Shape::max_rank) return {};
  auto sizes = s.input_as_shape(input);
  if (!sizes) return sizes.status();
  for (int i = 0; i < sizes->rank(); ++i)
    if ((*sizes)[i] != Shape::unknown) entries.entries[i].*field = (*sizes)[i];
  return {};
}

/// The slice of a tensor of that shape by the inputs from `first` on. Fails, or leaves the shape
/// of the result without a rank, where too little is known.
Result<Shape> infer_slice_of(const ShapeInference& s, const Shape& whole, int first) {
  auto length = slice_length(s, first);
  if (!length) return length.status();
  if (*length == Shape::unknown || !whole.has_rank()) return Shape::unknown_rank();
  using Entry = ops::SliceEntries::Entry;
  ops::SliceEntries entries{.count = static_cast<int>(*length), .entries = {}};
  std::array fields = {&Entry::begin, &Entry::end, &Entry::stride};
  for (int i = 0; i < 3; ++i)
    if (auto status = read_known(s, first + i, entries, fields[i]); !status.ok()) return status;
  auto slice = ops::resolve_slice(whole, entries, ops::SliceMasks::of(s));
  if (!slice) return slice.status();
  return slice->result;
}

Status infer_strided_slice(ShapeInference& s) {
  auto shape = infer_slice_of(s, s.input(0), 1);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_strided_slice_grad(ShapeInference& s) {
  auto whole = s.input_as_shape(0);
  if (!whole) return whole.status();
  auto part = infer_slice_of(s, *whole, 1);
  if (!part) return part.status();
  if (!part->is_compatible_with(s.input(4)))
    return invalid_argument(
        "'dy' must have the shape " + part->to_string() + " of the slice, but has " +
        s.input(4).to_string());
  s.set(0, *whole);
  return {};
}

constexpr const char* mask_names[] = {
    "begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"};

Attrs masks_of(const Node& node) {
  Attrs masks;
  for (auto name : mask_names) masks[name] = node.attr<int64_t>(name);
  return masks;
}

void strided_slice_gradient(Gradient& g) {
  const auto& x = g.in(0);
  // A constant where the shape is known, which the dtype of the others must fit.
  auto shape = g.in(1).dtype() == DType::int32
                   ? g.shape_of(x)
                   : g.op("Shape", {x}, {{"out_type", g.in(1).dtype()}});
  g.to_input(
      0, g.op("StridedSliceGrad", {shape, g.in(1), g.in(2), g.in(3), g.dy()}, masks_of(g.node())));
}

Status infer_strided_update(ShapeInference& s) {
  auto slice = infer_slice_of(s, s.input(0), 1);
  if (!slice) return slice.status();
  s.set(0, s.input(0));
  return {};
}

void strided_slice_grad_gradient(Gradient& g) {
  g.to_input(
      4, g.op("StridedSlice", {g.dy(), g.in(1), g.in(2), g.in(3)}, masks_of(g.node())));
}

Op with_masks(Op op) {
  for (auto name : mask_names) std::move(op).attr(name, 0);
  return op;
}

}  // namespace

void add_strided_slice_ops(OpCatalog& catalog) {
  catalog.add(with_masks(Op("StridedSlice")
      .doc("The elements begin, begin + stride, ... before `end` along each axis. Entry i of "
           "begin, end and strides is about the next axis, unless bit i of a mask says else: "
           "begin_mask and end_mask take all there is, ellipsis_mask as many whole axes as fit, "
           "new_axis_mask adds an axis of size 1, shrink_axis_mask takes the element at begin and "
           "drops the axis.")
      .input("input", "T")
      .input("begin", "Index")
      .input("end", "Index")
      .input("strides", "Index")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Index", indexing())
      .infer_shape(infer_strided_slice)
      .gradient(strided_slice_gradient)));
  catalog.add(with_masks(Op("StridedSliceGrad")
      .doc("Zeros of a shape, with dy at the places that StridedSlice takes from there.")
      .input("shape", "Index")
      .input("begin", "Index")
      .input("end", "Index")
      .input("strides", "Index")
      .input("dy", "T")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Index", indexing())
      .infer_shape(infer_strided_slice_grad)
      .gradient(strided_slice_grad_gradient)));
  catalog.add(with_masks(Op("TensorStridedSliceUpdate")
      .doc("The input, with `value`, which is broadcast to the shape of the slice, at the places "
           "that StridedSlice takes from there. TensorFlow has no gradient of it.")
      .input("input", "T")
      .input("begin", "Index")
      .input("end", "Index")
      .input("strides", "Index")
      .input("value", "T")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Index", indexing())
      .infer_shape(infer_strided_update)));
}

}  // namespace troupe
