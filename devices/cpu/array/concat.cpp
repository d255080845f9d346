#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

/// The product of the sizes of axes [begin, end).
int64_t size_between(const Shape& shape, int begin, int end) {
  int64_t product = 1;
  for (int axis = begin; axis < end; ++axis) product *= shape[axis];
  return product;
}

/// An input of a concatenation: each of its rows follows that of the input before.
struct Joined {
  const Tensor* tensor;
  int64_t size;  // of a row
  int64_t at;    // where its rows begin in those of the result
};

/// Row by row, so that short rows of many inputs fill the result's memory in order.
template <class C>
void join_rows(Tensor& out, std::span<const Joined> inputs, int64_t rows, int64_t size) {
  auto* to = mutable_cells<C>(out);
  parallel_ranges(rows, size, [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row)
      for (const auto& input : inputs)
        copy_row(
            to + row * size + input.at, 1, cells<C>(*input.tensor) + row * input.size, 1,
            input.size);
  });
}

/// Sets output 0 to `rows` rows, each the next row of every input in [first, end).
Status set_interleaved(Launch& launch, const Shape& shape, int64_t rows, int first, int end) {
  auto out = launch.allocate(launch.input(first).dtype(), shape);
  if (!out) return out.status();
  constexpr int64_t many = 64;
  std::vector<Joined> inputs;
  // Without elements there may be any number of rows.
  auto size = out->elements() == 0 ? 0 : out->elements() / rows;
  for (int64_t i = first, at = 0; size > 0 && i < end; ++i) {
    const auto& tensor = launch.input(static_cast<int>(i));
    inputs.push_back({&tensor, tensor.elements() / rows, at});
    at += inputs.back().size;
  }
  if (rows >= many && size > 0) {
    choose_cell(out->dtype(), [](auto cell) { return join_rows<decltype(cell)>; })(
        *out, inputs, rows, size);
  } else {
    for (const auto& input : inputs) {
      LoopNest<2> nest;
      nest.add_axis(input.size, {1, 1});
      nest.add_axis(rows, {size, input.size});
      copy_nest(*out, input.at, *input.tensor, 0, nest);
    }
  }
  launch.set(0, *std::move(out));
  return {};
}

Status refuse(int index, int first, const Launch& launch) {
  return invalid_argument(
      "input " + std::to_string(first) + " is " + launch.input(first).shape().to_string() +
      ", but input " + std::to_string(index) + " is " + launch.input(index).shape().to_string());
}

Status compute_pack(Launch& launch, int64_t given_axis) {
  const auto shape = launch.input(0).shape();
  for (int i = 1; i < launch.input_count(); ++i)
    if (launch.input(i).shape() != shape) return refuse(i, 0, launch);
  auto axis = find_axis(given_axis, shape.rank() + 1);
  if (!axis) return axis.status();
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.insert(sizes.begin() + *axis, launch.input_count());
  auto out_shape = Shape::make(sizes);
  if (!out_shape) return out_shape.status();
  return set_interleaved(
      launch, *out_shape, size_between(shape, 0, *axis), 0, launch.input_count());
}

Result<Kernel> make_pack(const Node& node) {
  return copying_kernel(node.attr<DType>("T"), [axis = node.attr<int64_t>("axis")](Launch& launch) {
    return compute_pack(launch, axis);
  });
}

/// Concatenates the inputs in [first, end) along the axis in another one.
Status compute_concat(Launch& launch, int first, int end, int axis_input) {
  auto given_axis = scalar_input(launch.input(axis_input), "the axis");
  if (!given_axis) return given_axis.status();
  auto shape = launch.input(first).shape();
  auto axis = find_axis(*given_axis, shape.rank());
  if (!axis) return axis.status();
  for (int i = first + 1; i < end; ++i) {
    auto other = launch.input(i).shape();
    if (other.rank() != shape.rank()) return refuse(i, first, launch);
    auto joined = shape[*axis] + other[*axis];
    other.set(*axis, shape[*axis]);
    if (other != shape) return refuse(i, first, launch);
    shape.set(*axis, joined);
  }
  auto checked = Shape::make(shape.sizes());
  if (!checked) return checked.status();
  return set_interleaved(launch, shape, size_between(shape, 0, *axis), first, end);
}

/// `axis_first`: the axis is the first input, else the last.
KernelCatalog::Make make_concat(bool axis_first) {
  return [axis_first](const Node& node) {
    return copying_kernel(node.attr<DType>("T"), [axis_first](Launch& launch) {
      auto last = launch.input_count() - 1;
      return axis_first ? compute_concat(launch, 1, last + 1, 0)
                        : compute_concat(launch, 0, last, last);
    });
  };
}

/// Input `index` as a shape that fits the first one but for an axis.
Result<Shape> part_shape(const Launch& launch, int index, int64_t given_axis) {
  if (launch.input(index).shape().rank() != 1)
    return invalid_argument(
        "shapes must be vectors, but input " + std::to_string(index) + " has the shape " +
        launch.input(index).shape().to_string());
  auto part = shape_input(launch.input(index)), first = shape_input(launch.input(1));
  for (const auto* shape : {&part, &first})
    if (!*shape) return shape->status();
  auto axis = find_axis(given_axis, first->rank());
  if (!axis) return axis.status();
  auto others = *part;
  if (others.rank() == first->rank()) others.set(*axis, (*first)[*axis]);
  if (others == *first) return part;
  return invalid_argument(
      "shape " + std::to_string(index - 1) + ", " + part->to_string() + ", must agree with " +
      first->to_string() + " but for axis " + std::to_string(*axis));
}

Status compute_concat_offset(Launch& launch) {
  auto given_axis = scalar_input(launch.input(0), "the axis");
  if (!given_axis) return given_axis.status();
  int64_t begin = 0;
  for (int i = 1; i < launch.input_count(); ++i) {
    auto part = part_shape(launch, i, *given_axis);
    if (!part) return part.status();
    auto axis = *find_axis(*given_axis, part->rank());
    std::array<int64_t, Shape::max_rank> offset{};
    offset[static_cast<size_t>(axis)] = begin;
    auto rank = static_cast<size_t>(part->rank());
    auto status = set_ints(launch, i - 1, launch.input(i).dtype(), std::span(offset).first(rank));
    if (!status.ok()) return status;
    begin += (*part)[axis];
  }
  return {};
}

}  // namespace

void add_concat_kernels(KernelCatalog& catalog) {
  catalog.add("Pack", make_pack);
  catalog.add("Concat", make_concat(/*axis_first=*/true));
  catalog.add("ConcatV2", make_concat(/*axis_first=*/false));
  catalog.add_compute("ConcatOffset", compute_concat_offset);
}

}  // namespace troupe::cpu
