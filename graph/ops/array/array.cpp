#include <algorithm>
#include <cmath>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/array/array.hpp"

namespace troupe {
namespace {

void reshape_gradient(Gradient& g) { g.to_input(0, g.reshape_to_shape_of(0, g.dy())); }

void add_copies(OpCatalog& catalog) {
  for (auto name : {"Identity", "StopGradient"})
    catalog.add(Op(name)
        .doc(name == std::string("Identity") ? "The same value."
                                             : "The same value, taken for a constant by gradients.")
        .input("input", "T")
        .output("output", "T")
        .attr("T", AttrType::dtype)
        .infer_shape(shapes::same_as_input())
        .gradient(name == std::string("Identity")
                      ? Op::MakeGradient([](Gradient& g) { g.pass_on(0); })
                      : not_differentiable));
  auto with_zeros = all_dtypes();
  with_zeros.push_back(DType::variant);  // lists of tensors
  for (auto name : {"ZerosLike", "OnesLike"})
    catalog.add(Op(name)
        .doc(name == std::string("ZerosLike") ? "Zeros (or empty strings) in the shape of x."
                                              : "Ones in the shape of x.")
        .input("x", "T")
        .output("y", "T")
        .attr("T", name == std::string("ZerosLike") ? with_zeros : all_plain())
        .infer_shape(shapes::same_as_input())
        .gradient(not_differentiable));
}

void add_guarantee(OpCatalog& catalog) {
  catalog.add(Op("GuaranteeConst")
      .doc("The same value, of which the graph's maker says that it never changes.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .infer_shape(shapes::same_as_input())
      .stateful());
}

void add_queries(OpCatalog& catalog) {
  catalog.add(Op("Shape")
      .doc("The sizes of the input's dimensions.")
      .input("input", "T")
      .output("output", "out_type")
      .attr("T", AttrType::dtype)
      .attr("out_type", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        s.set(0, {s.input(0).has_rank() ? s.input(0).rank() : Shape::unknown});
        return Status();
      })
      .gradient(not_differentiable));
  catalog.add(Op("Size")
      .doc("The number of the input's elements.")
      .input("input", "T")
      .output("output", "out_type")
      .attr("T", AttrType::dtype)
      .attr("out_type", indexing(), DType::int32)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
  catalog.add(Op("Rank")
      .doc("The number of the input's dimensions.")
      .input("input", "T")
      .output("output", DType::int32)
      .attr("T", AttrType::dtype)
      .infer_shape(shapes::scalar())
      .gradient(not_differentiable));
}

/// Replaces a size of -1 by the one that fits, if the input's shape determines it.
Status complete_reshape(Shape& wanted, const Shape& given) {
  auto is_open = [](int64_t size) { return size == Shape::unknown; };
  auto open = std::ranges::find_if(wanted.sizes(), is_open);
  if (!given.is_known()) return {};
  auto misfit = invalid_argument(
      "Cannot reshape a tensor of shape " + given.to_string() + " to " + wanted.to_string());
  if (open == wanted.sizes().end())
    return wanted.elements() == given.elements() ? Status() : misfit;
  auto size = ops::open_size(given, wanted);
  if (!size) return misfit;
  wanted.set(static_cast<int>(open - wanted.sizes().begin()), *size);
  return {};
}

Status infer_reshape(ShapeInference& s) {
  auto sizes = s.constant_ints(1);
  if (!sizes) {
    // A single size that is not known follows from the others, whatever a step gives it.
    auto shape = s.input_as_shape(1);
    if (!shape) return shape.status();
    Status status;
    if (shape->has_rank() && std::ranges::count(shape->sizes(), Shape::unknown) == 1)
      status = complete_reshape(*shape, s.input(0));
    s.set(0, *shape);
    return status;
  }
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto wanted = Shape::make(*sizes);
  if (!wanted) return wanted.status();
  if (std::ranges::count(*sizes, Shape::unknown) > 1)
    return invalid_argument("only one size may be -1, but the shape is " + wanted->to_string());
  auto status = complete_reshape(*wanted, s.input(0));
  s.set(0, *wanted);
  return status;
}

Status infer_expand_dims(ShapeInference& s) {
  const auto& x = s.input(0);
  if (!x.has_rank()) return {};
  auto given = s.constant_ints(1);
  if (given && given->size() != 1)
    return invalid_argument("'dim' must be one axis, but has shape " + s.input(1).to_string());
  if (x.rank() == Shape::max_rank)
    return Shape::make(std::vector<int64_t>(Shape::max_rank + 1)).status();
  auto axis = find_axis(given ? given->front() : 0, x.rank() + 1);
  if (!axis) return axis.status();
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  sizes.insert(sizes.begin() + *axis, 1);
  s.set(0, given ? Shape(std::span<const int64_t>(sizes)) : Shape::of_rank(x.rank() + 1));
  return {};
}

Status infer_squeeze(ShapeInference& s) {
  const auto& x = s.input(0);
  const auto& dims = s.attr<std::vector<int64_t>>("squeeze_dims");
  if (!x.has_rank() || (dims.empty() && !x.is_known())) return {};
  std::vector<bool> is_removed(static_cast<size_t>(x.rank()));
  for (auto dim : dims) {
    auto axis = find_axis(dim, x.rank());
    if (!axis) return axis.status();
    if (x[*axis] > 1 || x[*axis] == 0)
      return invalid_argument(
          "axis " + std::to_string(*axis) + " of shape " + x.to_string() + " must have size 1");
    is_removed[static_cast<size_t>(*axis)] = true;
  }
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (dims.empty() ? x[axis] != 1 : !is_removed[static_cast<size_t>(axis)])
      sizes.push_back(x[axis]);
  s.set(0, Shape(std::span<const int64_t>(sizes)));
  return {};
}

void add_reshapes(OpCatalog& catalog) {
  catalog.add(Op("Reshape")
      .doc("The same elements in another shape, of which one size may be -1: whatever fits.")
      .input("tensor", "T")
      .input("shape", "Tshape")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("Tshape", indexing(), DType::int32)
      .infer_shape(infer_reshape)
      .gradient(reshape_gradient));
  catalog.add(Op("ExpandDims")
      .doc("The same elements with a dimension of size 1 put in at axis `dim`.")
      .input("input", "T")
      .input("dim", "Tdim")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("Tdim", indexing(), DType::int32)
      .infer_shape(infer_expand_dims)
      .gradient(reshape_gradient));
  catalog.add(Op("Squeeze")
      .doc("The same elements without the dimensions of size 1, or without those given.")
      .input("input", "T")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .attr("squeeze_dims", AttrValue(std::vector<int64_t>()))
      .infer_shape(infer_squeeze)
      .gradient(reshape_gradient));
}

Status infer_transpose(ShapeInference& s) {
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  const auto& x = s.input(0);
  const auto& perm = s.input(1);
  auto rank = x.has_rank() ? x.rank() : perm.is_known() ? perm[0] : Shape::unknown;
  if (rank == Shape::unknown) return {};
  if (!perm.is_compatible_with({rank}) || rank > Shape::max_rank)
    return invalid_argument(
        "'perm' must name each axis of the shape " + x.to_string() +
        " once, but its own shape is " + perm.to_string());
  auto result = Shape::of_rank(static_cast<int>(rank));
  auto axes = s.constant_ints(1);
  for (int i = 0; axes && i < result.rank(); ++i) {
    auto axis = (*axes)[static_cast<size_t>(i)];
    if (axis < 0 || axis >= rank || std::ranges::count(*axes, axis) != 1)
      return invalid_argument(
          "'perm' must name each of " + std::to_string(rank) + " axes once, but has " +
          s.constant(1)->to_string());
    if (x.has_rank()) result.set(i, x[static_cast<int>(axis)]);
  }
  s.set(0, result);
  return {};
}

void transpose_gradient(Gradient& g) {
  if (auto perm = g.constant_ints(1)) {
    std::vector<int32_t> inverse(perm->size());
    for (size_t i = 0; i < perm->size(); ++i)
      inverse[static_cast<size_t>((*perm)[i])] = static_cast<int32_t>(i);
    return g.to_input(0, g.op(g.node().op->name(), {g.dy(), g.ints(inverse)}));
  }
  auto inverse = g.op("InvertPermutation", {g.in(1)});
  g.to_input(0, g.op(g.node().op->name(), {g.dy(), inverse}));
}

Status infer_broadcast_to(ShapeInference& s) {
  auto shape = s.input_as_shape(1);
  if (!shape) return shape.status();
  s.set(0, *shape);
  auto both = broadcast(s.input(0), *shape);
  if (both && both->is_compatible_with(*shape)) return {};
  return invalid_argument(
      "a tensor of shape " + s.input(0).to_string() + " cannot be broadcast to " +
      shape->to_string());
}

Status infer_reverse(ShapeInference& s) {
  auto length = Shape{s.input(0).has_rank() ? s.input(0).rank() : Shape::unknown};
  s.set(0, s.input(0));
  if (length.is_compatible_with(s.input(1))) return {};
  return invalid_argument(
      "'dims' must have an element for each axis of " + s.input(0).to_string() +
      ", but has the shape " + s.input(1).to_string());
}

void add_layouts(OpCatalog& catalog) {
  for (auto name : {"Transpose", "ConjugateTranspose"})
    catalog.add(Op(name)
        .doc(name == std::string("Transpose")
                 ? "x with its axes in another order: axis i of the result is axis perm[i] of x."
                 : "The complex conjugates of x with its axes in another order: axis i of the "
                   "result is axis perm[i] of x.")
        .input("x", "T")
        .input("perm", "Tperm")
        .output("y", "T")
        .attr("T", all_dtypes())
        .attr("Tperm", indexing(), DType::int32)
        .infer_shape(infer_transpose)
        .gradient(transpose_gradient));
  catalog.add(Op("Reverse")
      .doc("The tensor with its elements in the opposite order along each axis for which `dims` "
           "is true.")
      .input("tensor", "T")
      .input("dims", DType::boolean)
      .output("output", "T")
      .attr("T", all_dtypes())
      .infer_shape(infer_reverse)
      .gradient([](Gradient& g) { g.to_input(0, g.op("Reverse", {g.dy(), g.in(1)})); }));
  catalog.add(Op("BroadcastTo")
      .doc("The input stretched to a shape, by the rules of broadcasting.")
      .input("input", "T")
      .input("shape", "Tidx")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_broadcast_to)
      .gradient([](Gradient& g) { g.to_operand(0, g.dy()); }));
  catalog.add(Op("BroadcastGradientArgs")
      .doc("For two shapes broadcast together, the axes over which to sum a gradient of the result "
           "to get one of each shape, but for the sizes of 1 that a Reshape restores.")
      .input("s0", "T")
      .input("s1", "T")
      .output("r0", "T")
      .output("r1", "T")
      .attr("T", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        for (int i : {0, 1}) {
          if (auto status = s.need_rank(i, 1); !status.ok()) return status;
          s.set(i, {Shape::unknown});
        }
        return Status();
      })
      .gradient(not_differentiable));
}

/// The number of elements of a range of known ends.
template <class T>
Result<int64_t> range_size(T start, T limit, T delta) {
  if (delta == T(0)) return invalid_argument("'delta' must not be 0");
  if (delta > T(0) ? start > limit : start < limit)
    return invalid_argument("'limit' must lie on the side of 'start' to which 'delta' steps");
  if constexpr (std::is_same_v<T, int64_t>) {
    auto difference = [](T x, T y) { return static_cast<uint64_t>(x) - static_cast<uint64_t>(y); };
    auto distance = delta > 0 ? difference(limit, start) : difference(start, limit);
    auto step = delta > 0 ? difference(delta, 0) : difference(0, delta);
    return static_cast<int64_t>(distance / step + (distance % step != 0));
  } else {
    auto size = std::ceil(std::abs((limit - start) / delta));
    if (start != limit && std::isfinite(delta)) size = std::max(size, T(1));
    if (!(size < 1e15))
      return invalid_argument("a range cannot have " + std::to_string(size) + " elements");
    return static_cast<int64_t>(size);
  }
}

Status infer_range(ShapeInference& s) {
  for (int i : {0, 1, 2})
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  s.set(0, {Shape::unknown});
  if (!s.constant(0) || !s.constant(1) || !s.constant(2)) return {};
  auto size = visit(s.input_dtype(0), [&](auto zero) -> Result<int64_t> {
    using T = decltype(zero);
    if constexpr (std::is_convertible_v<T, double>) {
      using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
      auto read = [&](int i) { return static_cast<Wide>(s.constant(i)->value<T>()); };
      return range_size<Wide>(read(0), read(1), read(2));
    } else return Shape::unknown;
  });
  if (!size) return size.status();
  auto shape = Shape::make(std::vector<int64_t>{*size});
  if (shape) s.set(0, *shape);
  return shape.status();
}

void add_makers(OpCatalog& catalog) {
  catalog.add(Op("Fill")
      .doc("A tensor of the shape `dims`, whose elements all are `value`.")
      .input("dims", "index_type")
      .input("value", "T")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("index_type", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        if (auto status = s.need_rank(1, 0); !status.ok()) return status;
        return shapes::from_shape_input(0)(s);
      })
      .gradient([](Gradient& g) { g.to_input(1, g.reduce_sum(g.dy())); }));
  catalog.add(Op("Range")
      .doc("start, start + delta, ... up to, but without, limit.")
      .input("start", "Tidx")
      .input("limit", "Tidx")
      .input("delta", "Tidx")
      .output("output", "Tidx")
      .attr("Tidx", {DType::bfloat16, DType::float32, DType::float64, DType::int32, DType::int64},
            DType::int32)
      .infer_shape(infer_range)
      .gradient(not_differentiable));
}

}  // namespace

void add_array_ops(OpCatalog& catalog) {
  add_copies(catalog);
  add_guarantee(catalog);
  add_queries(catalog);
  add_reshapes(catalog);
  add_layouts(catalog);
  add_makers(catalog);
  add_memory_ops(catalog);
}

std::optional<int64_t> ops::open_size(const Shape& given, const Shape& wanted) {
  auto has_zero = std::ranges::count(wanted.sizes(), 0) > 0;
  int64_t known = 1, elements = 1;
  for (auto size : wanted.sizes())
    if (size > 0 && __builtin_mul_overflow(known, size, &known)) return std::nullopt;
  for (auto size : given.sizes())
    if (size > 0 || !has_zero) elements *= size;
  auto given_zero = std::ranges::count(given.sizes(), 0) > 0;
  if (has_zero && !given_zero) return std::nullopt;
  if (elements % known != 0) return std::nullopt;
  return elements / known;
}

}  // namespace troupe
