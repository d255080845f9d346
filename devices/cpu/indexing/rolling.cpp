#include <vector>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/indexing/partition.hpp"
#include "troupe/devices/cpu/indexing/roll_shifts.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

std::vector<int64_t> read_all_ints(const Tensor& tensor) {
  std::vector<int64_t> ints;
  for_dtype(Indices{}, tensor.dtype(), [&](auto zero) {
    auto values = tensor.values<decltype(zero)>();
    ints.assign(values.begin(), values.end());
  });
  return ints;
}

/// A block of the input whose elements stay together: the walk over it, and where it begins.
struct RolledBlock {
  LoopNest<2> nest;
  int64_t to = 0, from = 0;
};

/// Bit i of `wrapped` says whether the block holds, of axis i, what leaves at its end.
RolledBlock rolled_block(const Shape& shape, const RollShifts& shifts, unsigned wrapped) {
  RolledBlock block;
  auto strides = strides_of(shape);
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto shift = shifts[static_cast<size_t>(axis)], kept = shape[axis] - shift;
    auto is_wrapped = (wrapped >> axis & 1) != 0;
    block.nest.add_axis(is_wrapped ? shift : kept, {strides[axis], strides[axis]});
    block.to += (is_wrapped ? 0 : shift) * strides[axis];
    block.from += (is_wrapped ? kept : 0) * strides[axis];
  }
  return block;
}

Status compute_roll(Launch& launch) {
  const auto& x = launch.input(0);
  auto shifts = roll_shifts(x.shape(), launch.input(1), launch.input(2));
  if (!shifts) return shifts.status();
  auto out = launch.allocate(x.dtype(), x.shape());
  if (!out) return out.status();
  for (unsigned wrapped = 0; wrapped < 1u << x.shape().rank(); ++wrapped) {
    auto block = rolled_block(x.shape(), *shifts, wrapped);
    if (block.nest.elements() > 0) copy_nest(*out, block.to, x, block.from, block.nest);
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_lin_space(Launch& launch) {
  for (int i = 0; i < 3; ++i)
    if (!launch.input(i).shape().is_scalar())
      return invalid_argument("start, stop and num must be scalars");
  auto count = read_all_ints(launch.input(2)).front();
  if (count < 1) return invalid_argument("'num' must be positive, but is " + std::to_string(count));
  auto shape = Shape::make(std::vector<int64_t>{count});
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype_of<T>(), *shape);
  if (!out) return out.status();
  auto start = promote(launch.input(0).value<T>()), stop = promote(launch.input(1).value<T>());
  using Wide = decltype(start);
  auto step = count > 1 ? (stop - start) / static_cast<Wide>(count - 1) : Wide{0};
  auto* to = out->template mutable_data<T>();
  parallel_ranges(count, 1, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) to[i] = static_cast<T>(start + step * static_cast<Wide>(i));
  });
  to[0] = launch.input(0).value<T>();  // also where the step is infinite
  if (count > 1) to[count - 1] = launch.input(1).value<T>();
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

Result<RollShifts> roll_shifts(const Shape& shape, const Tensor& shifts, const Tensor& axes) {
  if (shape.is_scalar()) return invalid_argument("a scalar cannot be rolled");
  if (shifts.shape().rank() > 1 || axes.shape().rank() > 1)
    return invalid_argument(
        "shift and axis must be scalars or vectors, but have the shapes " +
        shifts.shape().to_string() + " and " + axes.shape().to_string());
  if (shifts.shape() != axes.shape())
    return invalid_argument(
        "shift and axis must have one shape, but have " + shifts.shape().to_string() + " and " +
        axes.shape().to_string());
  RollShifts result{};
  auto given = read_all_ints(shifts), named = read_all_ints(axes);
  for (size_t i = 0; i < given.size(); ++i) {
    auto axis = find_axis(named[i], shape.rank());
    if (!axis) return axis.status();
    auto size = shape[*axis];
    if (size == 0) continue;
    auto& shift = result[static_cast<size_t>(*axis)];
    shift = (shift + given[i] % size + size) % size;
  }
  return result;
}

void add_rolling_kernels(KernelCatalog& catalog) {
  catalog.add(
      "Roll", [](const Node& node) { return copying_kernel(node.attr<DType>("T"), compute_roll); });
  catalog.add("LinSpace", [](const Node& node) {
    return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_lin_space<decltype(zero)>};
    });
  });
}

}  // namespace troupe::cpu
