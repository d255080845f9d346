#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/array/array.hpp"

namespace troupe {
namespace {

Status infer_inplace(ShapeInference& s) {
  const auto &x = s.input(0), &rows = s.input(1), &v = s.input(2);
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  if (x.is_scalar()) return invalid_argument("a scalar has no rows");
  auto wanted = x;
  if (x.has_rank()) wanted.set(0, rows.has_rank() ? rows[0] : Shape::unknown);
  if (!wanted.is_compatible_with(v))
    return invalid_argument(
        "'v' must have the shape " + wanted.to_string() + ", for the rows 'i' of shape " +
        rows.to_string() + " of x, " + x.to_string() + ", but has " + v.to_string());
  s.set(0, x);
  return {};
}

/// TensorFlow has no gradients of these.
Op inplace_op(const char* name, const std::string& change) {
  return Op(name)
      .doc("x with the rows of v " + change + " its rows `i`, one after the other; a number of a "
           "row that is negative or too great counts modulo the number of rows.")
      .input("x", "T")
      .input("i", DType::int32)
      .input("v", "T")
      .output("y", "T")
      .attr("T", all_dtypes())
      .infer_shape(infer_inplace);
}

Status infer_parallel_concat(ShapeInference& s) {
  const auto& shape = s.attr<Shape>("shape");
  if (!shape.is_known() || shape.is_scalar() || shape[0] != s.input_count())
    return invalid_argument(
        "attribute 'shape' must be known and have the " + std::to_string(s.input_count()) +
        " inputs as its rows, but is " + shape.to_string());
  auto row = shape;
  row.set(0, 1);
  for (int i = 0; i < s.input_count(); ++i)
    if (!s.input(i).is_compatible_with(row))
      return invalid_argument(
          "input " + std::to_string(i) + " must have the shape " + row.to_string() +
          ", but has " + s.input(i).to_string());
  s.set(0, shape);
  return {};
}

Status infer_by_attr(ShapeInference& s) {
  s.set(0, s.attr<Shape>("shape"));
  return {};
}

Op with_formats(const char* name) {
  return Op(name)
      .input("x", "T")
      .output("y", "T")
      .attr("T", indexing(), DType::int32)
      .attr("src_format", "NHWC")
      .attr("dst_format", "NCHW")
      .infer_shape(shapes::same_as_input());
}

/// TensorFlow has no gradients of these.
void add_format_ops(OpCatalog& catalog) {
  catalog.add(with_formats("DataFormatDimMap")
      .doc("The axes of images in the format `dst_format` that are the axes x in `src_format`. A "
           "negative one counts from the end."));
  catalog.add(with_formats("DataFormatVecPermute")
      .doc("A number, or two, for each axis of images: from the order of `src_format` into that of "
           "`dst_format`."));
}

Status infer_fingerprint(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  if (s.input(0).is_scalar()) return invalid_argument("'data' must not be a scalar");
  constexpr int64_t bytes = 8;
  s.set(0, {s.input(0).has_rank() ? s.input(0)[0] : Shape::unknown, bytes});
  return {};
}

}  // namespace

void add_memory_ops(OpCatalog& catalog) {
  catalog.add(Op("Empty")
      .doc("A tensor of that shape to be written to; until then its elements are zeros.")
      .input("shape", DType::int32)
      .output("output", "dtype")
      .attr("dtype", all_dtypes())
      .attr("init", false)
      .infer_shape(shapes::from_shape_input(0))
      .gradient(not_differentiable)
      .stateful());
  catalog.add(inplace_op("InplaceUpdate", "in place of"));
  catalog.add(inplace_op("InplaceAdd", "added to"));
  catalog.add(inplace_op("InplaceSub", "subtracted from"));
  catalog.add(Op("ParallelConcat")
      .doc("Tensors of one row one after the other along the first axis, to the shape in "
           "attribute `shape`.")
      .inputs("values", "T", "N")
      .output("output", "T")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .attr("T", all_dtypes())
      .attr("shape", AttrType::shape)
      .infer_shape(infer_parallel_concat));
  catalog.add(Op("Fingerprint")
      .doc("For each row of `data` the 8 bytes of a hash of its bytes, by the method "
           "\"farmhash64\".")
      .input("data", "T")
      .input("method", DType::string)
      .output("fingerprint", DType::uint8)
      .attr("T", all_dtypes())
      .infer_shape(infer_fingerprint)
      .gradient(not_differentiable));
  add_format_ops(catalog);
  catalog.add(Op("ImmutableConst")
      .doc("The tensor whose elements are the first bytes of the file `memory_region_name`.")
      .output("tensor", "dtype")
      .attr("dtype", all_plain())
      .attr("shape", AttrType::shape)
      .attr("memory_region_name", AttrType::string)
      .infer_shape(infer_by_attr));
  catalog.add(Op("FakeParam")
      .doc("A tensor of zeros that stands for one that is never used. Where the shape is not "
           "known, it has no elements.")
      .output("output", "dtype")
      .attr("dtype", AttrType::dtype)
      .attr("shape", AttrType::shape)
      .infer_shape(infer_by_attr));
}

}  // namespace troupe
