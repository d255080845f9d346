#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/array/padding.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

Status check_slice(const Shape& shape, const IntInput& begin, const IntInput& size) {
  if (begin.count() != shape.rank() || size.count() != shape.rank())
    return invalid_argument(
        "begin and size must have an entry for each axis of " + shape.to_string() + ", but have " +
        std::to_string(begin.count()) + " and " + std::to_string(size.count()));
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (begin[axis] < 0 || begin[axis] > shape[axis] || size[axis] < -1 ||
        size[axis] > shape[axis] - begin[axis])
      return invalid_argument(
          "a slice from " + std::to_string(begin[axis]) + " of size " + std::to_string(size[axis]) +
          " does not lie in axis " + std::to_string(axis) + " of " + shape.to_string());
  return {};
}

Status compute_slice(Launch& launch) {
  const auto shape = launch.input(0).shape();
  auto begin = IntInput::of(launch.input(1)), size = IntInput::of(launch.input(2));
  for (const auto* ints : {&begin, &size})
    if (!*ints) return ints->status();
  for (int i : {1, 2})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "begin and size must be vectors, not of shape " + launch.input(i).shape().to_string());
  auto status = check_slice(shape, *begin, *size);
  if (!status.ok()) return status;
  auto strides = strides_of(shape);
  auto out_shape = shape;
  LoopNest<2> nest;
  int64_t first = 0, stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto rest = shape[axis] - (*begin)[axis];
    out_shape.set(axis, (*size)[axis] == -1 ? rest : (*size)[axis]);
    nest.add_axis(out_shape[axis], {stride, strides[axis]});
    first += (*begin)[axis] * strides[axis];
    stride *= out_shape[axis];
  }
  auto out = part_of(launch.input(0), first, nest, out_shape, launch.device().allocator());
  if (out) launch.set(0, *std::move(out));
  return out.status();
}

/// The sizes before and after the input along each axis, checked; [rank, 2].
template <class I>
Status check_paddings(const Tensor& paddings, const Shape& shape) {
  if (paddings.shape() != Shape{shape.rank(), 2})
    return invalid_argument(
        "the paddings must have the shape [" + std::to_string(shape.rank()) + ",2], but have " +
        paddings.shape().to_string());
  constexpr int64_t most = int64_t{1} << 48;  // so that sums of them do not overflow
  for (auto padding : paddings.values<I>())
    if (padding < 0 || padding > most)
      return invalid_argument("paddings must be in [0, 2^48], but are " + paddings.to_string());
  return {};
}

template <class C, class I>
Status compute_pad(Launch& launch) {
  const auto shape = launch.input(0).shape();
  auto status = check_paddings<I>(launch.input(1), shape);
  if (!status.ok()) return status;
  auto paddings = Paddings::of(launch.input(1), shape.rank());
  if (!paddings) return paddings.status();
  auto padded = padded_shape(shape, *paddings);
  if (!padded) return padded.status();
  auto out = launch.allocate(launch.input(0).dtype(), *padded);
  if (!out) return out.status();
  if (out->elements() > 0)
    PaddedRows(shape, *paddings).fill(mutable_cells<C>(*out), cells<C>(launch.input(0)), C{});
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_slicing_kernels(KernelCatalog& catalog) {
  catalog.add("Slice", [](const Node& node) {
    return copying_kernel(node.attr<DType>("T"), compute_slice);
  });
  catalog.add("Pad", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      auto is_long = node.attr<DType>("Tpaddings") == DType::int64;
      return Kernel{.compute = is_long ? compute_pad<C, int64_t> : compute_pad<C, int32_t>};
    });
  });
}

}  // namespace troupe::cpu
