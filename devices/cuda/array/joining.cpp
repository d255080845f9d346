#include "troupe/devices/cuda/array/joining.hpp"

#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {
namespace {

/// The product of the sizes of axes [begin, end).
int64_t size_between(const Shape& shape, int begin, int end) {
  int64_t product = 1;
  for (int axis = begin; axis < end; ++axis) product *= shape[axis];
  return product;
}

/// The walk over `outer` rows of so many elements, which lie so far apart in the two operands.
StridedWalk<2> walk_rows(int64_t outer, int64_t size, int64_t to_stride, int64_t from_stride) {
  StridedWalk<2> walk;
  walk.add_axis(size, {{1, 1}});
  walk.add_axis(outer, {{to_stride, from_stride}});
  return walk;
}

Status refuse(int index, int first, const Launch& launch) {
  return invalid_argument(
      "input " + std::to_string(first) + " is " + launch.input(first).shape().to_string() +
      ", but input " + std::to_string(index) + " is " + launch.input(index).shape().to_string());
}

/// Copies the next row of each of the inputs in [first, end) to each of `outer` rows.
void copy_by_input(const Launch& launch, Tensor& to, int64_t outer, int first, int end) {
  int64_t at = 0, row = to.elements() / outer;
  for (int i = first; i < end; ++i) {
    auto size = launch.input(i).elements() / outer;
    copy_walk(launch, to, at, launch.input(i), 0, walk_rows(outer, size, row, size));
    at += size;
  }
}

/// The same by as few kernels as possible.
void copy_at_once(const Launch& launch, Tensor& to, int64_t outer, int first, int end) {
  std::vector<JoinedPart> parts;
  int64_t at = 0;
  for (int i = first; i < end; ++i) {
    const auto& input = launch.input(i);
    auto bytes = static_cast<int64_t>(input.bytes()) / outer;
    parts.push_back({input.raw(), at, bytes});
    at += bytes;
  }
  launch_join(to.mutable_raw(), at, outer, parts, stream_of(launch));
}

/// Sets output 0 to `outer` rows, each the next row of every input in [first, end).
Status set_interleaved(Launch& launch, const Shape& shape, int64_t outer, int first, int end) {
  auto result = launch.allocate(launch.input(first).dtype(), shape);
  if (!result) return result.status();
  if (result->elements() > 0) {
    auto at_once = is_joined_at_once(static_cast<int64_t>(result->bytes()), end - first);
    (at_once ? copy_at_once : copy_by_input)(launch, *result, outer, first, end);
  }
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Result<Kernel> make_pack(const Node& node) {
  auto compute = [given = node.attr<int64_t>("axis")](Launch& launch) -> Status {
    const auto shape = launch.input(0).shape();
    for (int i = 1; i < launch.input_count(); ++i)
      if (launch.input(i).shape() != shape) return refuse(i, 0, launch);
    auto axis = find_axis(given, shape.rank() + 1);
    if (!axis) return axis.status();
    std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    sizes.insert(sizes.begin() + *axis, launch.input_count());
    auto packed = Shape::make(sizes);
    if (!packed) return packed.status();
    return set_interleaved(launch, *packed, size_between(shape, 0, *axis), 0, launch.input_count());
  };
  return copying_kernel(node.attr<DType>("T"), compute);
}

Result<Kernel> make_parallel_concat(const Node& node) {
  auto compute = [shape = node.attr<Shape>("shape")](Launch& launch) {
    auto status = cpu::check_rows_of(launch, shape);
    return status.ok() ? set_interleaved(launch, shape, 1, 0, launch.input_count()) : status;
  };
  return copying_kernel(node.attr<DType>("T"), compute);
}

/// Sets the outputs to the parts of an input, one after the other along an axis, of those sizes and
/// shapes.
Status set_parts(
    Launch& launch, int input, int axis, const std::vector<int64_t>& sizes, bool drops_axis) {
  const auto& whole = launch.input(input);
  auto outer = size_between(whole.shape(), 0, axis),
       inner = size_between(whole.shape(), axis + 1, whole.shape().rank());
  auto whole_row = whole.shape()[axis] * inner;
  int64_t begin = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::vector<int64_t> part(whole.shape().sizes().begin(), whole.shape().sizes().end());
    if (drops_axis) part.erase(part.begin() + axis);
    else part[static_cast<size_t>(axis)] = sizes[i];
    auto result = launch.allocate(whole.dtype(), Shape(part));
    if (!result) return result.status();
    auto row = sizes[i] * inner;
    copy_walk(launch, *result, 0, whole, begin, walk_rows(outer, row, row, whole_row));
    begin += row;
    launch.set(static_cast<int>(i), *std::move(result));
  }
  return launched("a copy");
}

Result<Kernel> make_unpack(const Node& node) {
  auto compute = [given = node.attr<int64_t>("axis"),
                  count = node.attr<int64_t>("num")](Launch& launch) -> Status {
    const auto shape = launch.input(0).shape();
    auto axis = find_axis(given, shape.rank());
    if (!axis) return axis.status();
    if (shape[*axis] != count)
      return invalid_argument(
          "axis " + std::to_string(*axis) + " of " + shape.to_string() + " must have the size " +
          std::to_string(count));
    return set_parts(
        launch, 0, *axis, std::vector<int64_t>(static_cast<size_t>(count), 1), /*drops_axis=*/true);
  };
  return copying_kernel(node.attr<DType>("T"), compute);
}

/// Concatenates the inputs in [first, end) along the axis in another one.
Status compute_concat(Launch& launch, int first, int end, int axis_input) {
  auto given = cpu::scalar_input(launch.input(axis_input), "the axis");
  if (!given) return given.status();
  auto shape = launch.input(first).shape();
  auto axis = find_axis(*given, shape.rank());
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

KernelCatalog::Make make_concat(bool axis_first) {
  return [axis_first](const Node& node) {
    return copying_kernel(node.attr<DType>("T"), [axis_first](Launch& launch) {
      auto last = launch.input_count() - 1;
      return axis_first ? compute_concat(launch, 1, last + 1, 0)
                        : compute_concat(launch, 0, last, last);
    });
  };
}

Result<int> split_axis(const Tensor& given, int rank) {
  auto axis = cpu::scalar_input(given, "the axis");
  if (!axis) return axis.status();
  return find_axis(*axis, rank);
}

Result<Kernel> make_split(const Node& node) {
  auto compute = [count = node.attr<int64_t>("num_split")](Launch& launch) -> Status {
    const auto shape = launch.input(1).shape();
    auto axis = split_axis(launch.input(0), shape.rank());
    if (!axis) return axis.status();
    if (shape[*axis] % count != 0)
      return invalid_argument(
          "axis " + std::to_string(*axis) + " of " + shape.to_string() + " cannot be split into " +
          std::to_string(count) + " equal parts");
    std::vector<int64_t> sizes(static_cast<size_t>(count), shape[*axis] / count);
    return set_parts(launch, 1, *axis, sizes, /*drops_axis=*/false);
  };
  return copying_kernel(node.attr<DType>("T"), compute);
}

/// The sizes of the parts, with the one left open, -1, replaced by what the others leave.
Result<std::vector<int64_t>> part_sizes(const Tensor& given, int64_t count, int64_t whole) {
  if (given.shape() != Shape{count})
    return invalid_argument(
        "the sizes of the parts must have the shape [" + std::to_string(count) + "], but have " +
        given.shape().to_string());
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(
        given.dtype() == DType::int64 ? given.data<int64_t>()[i] : given.data<int32_t>()[i]);
  int64_t known = 0;
  for (auto size : sizes) {
    if (size < -1 || size > whole)
      return invalid_argument(
          "a part cannot have the size " + std::to_string(size) + " of " + std::to_string(whole));
    known = std::min(known + std::max<int64_t>(size, 0), Shape::max_elements);
  }
  auto open_count = std::ranges::count(sizes, -1);
  if (open_count > 1) return invalid_argument("only one size of a part can be -1");
  if (open_count == 0 ? known != whole : known > whole)
    return invalid_argument(
        "parts of " + std::to_string(known) + " in all cannot be made of " + std::to_string(whole));
  std::ranges::replace(sizes, int64_t{-1}, whole - known);
  return sizes;
}

Result<Kernel> make_split_v(const Node& node) {
  auto compute = [count = node.attr<int64_t>("num_split")](Launch& launch) -> Status {
    const auto shape = launch.input(0).shape();
    auto axis = split_axis(launch.input(2), shape.rank());
    if (!axis) return axis.status();
    auto sizes = part_sizes(launch.input(1), count, shape[*axis]);
    if (!sizes) return sizes.status();
    return set_parts(launch, 0, *axis, *sizes, /*drops_axis=*/false);
  };
  return copying_kernel(node.attr<DType>("T"), compute);
}

}  // namespace

void add_joining_kernels(KernelCatalog& catalog) {
  catalog.add("Pack", make_pack);
  catalog.add("Unpack", make_unpack);
  catalog.add("Concat", make_concat(/*axis_first=*/true));
  catalog.add("ConcatV2", make_concat(/*axis_first=*/false));
  catalog.add("ParallelConcat", make_parallel_concat);
  catalog.add("Split", make_split);
  catalog.add("SplitV", make_split_v);
}

}  // namespace troupe::cuda
