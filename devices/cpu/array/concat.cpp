#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/array/slicing.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

/// The product of the sizes of axes [begin, end).
int64_t size_between(const Shape& shape, int begin, int end) {
  int64_t product = 1;
  for (int axis = begin; axis < end; ++axis) product *= shape[axis];
  return product;
}

/// Sets output 0 to `outer` rows, each the next row of every input from `first_input` on.
template <class C>
Status set_interleaved(Launch& launch, const Shape& shape, int64_t outer, int input_count) {
  auto out = launch.allocate(launch.input(0).dtype(), shape);
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  for (int64_t row = 0; row < outer; ++row)
    for (int i = 0; i < input_count; ++i) {
      auto size = launch.input(i).elements() / outer;
      to = std::copy_n(cells<C>(launch.input(i)) + row * size, size, to);
    }
  launch.set(0, *std::move(out));
  return {};
}

Status refuse(int index, const Shape& first, const Shape& other) {
  return invalid_argument(
      "input 0 is " + first.to_string() + ", but input " + std::to_string(index) + " is " +
      other.to_string());
}

template <class C>
Status compute_pack(Launch& launch, int64_t given_axis) {
  const auto shape = launch.input(0).shape();
  for (int i = 1; i < launch.input_count(); ++i)
    if (launch.input(i).shape() != shape) return refuse(i, shape, launch.input(i).shape());
  auto axis = find_axis(given_axis, shape.rank() + 1);
  if (!axis) return axis.status();
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.insert(sizes.begin() + *axis, launch.input_count());
  auto out_shape = Shape::make(sizes);
  if (!out_shape) return out_shape.status();
  return set_interleaved<C>(
      launch, *out_shape, size_between(shape, 0, *axis), launch.input_count());
}

Result<Kernel> make_pack(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
    return Kernel{.compute = [axis = node.attr<int64_t>("axis")](Launch& launch) {
      return compute_pack<decltype(cell)>(launch, axis);
    }};
  });
}

template <class C>
Status compute_unpack(Launch& launch, int64_t given_axis, int64_t count) {
  const auto shape = launch.input(0).shape();
  auto axis = find_axis(given_axis, shape.rank());
  if (!axis) return axis.status();
  if (shape[*axis] != count)
    return invalid_argument(
        "axis " + std::to_string(*axis) + " of " + shape.to_string() + " must have the size " +
        std::to_string(count));
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.erase(sizes.begin() + *axis);
  auto outer = size_between(shape, 0, *axis), inner = size_between(shape, *axis + 1, shape.rank());
  for (int i = 0; i < count; ++i) {
    auto out = launch.allocate(launch.input(0).dtype(), Shape(sizes));
    if (!out) return out.status();
    for (int64_t row = 0; row < outer; ++row)
      std::copy_n(
          cells<C>(launch.input(0)) + (row * count + i) * inner, inner,
          mutable_cells<C>(*out) + row * inner);
    launch.set(i, *std::move(out));
  }
  return {};
}

Result<Kernel> make_unpack(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
    return Kernel{
        .compute = [axis = node.attr<int64_t>("axis"),
                    count = node.attr<int64_t>("num")](Launch& launch) {
          return compute_unpack<decltype(cell)>(launch, axis, count);
        }};
  });
}

template <class C>
Status compute_concat(Launch& launch) {
  auto count = launch.input_count() - 1;
  auto given_axis = IntInput::of(launch.input(count));
  if (!given_axis) return given_axis.status();
  if (given_axis->count() != 1) return invalid_argument("exactly one axis must be given");
  auto shape = launch.input(0).shape();
  auto axis = find_axis((*given_axis)[0], shape.rank());
  if (!axis) return axis.status();
  for (int i = 1; i < count; ++i) {
    auto other = launch.input(i).shape();
    if (other.rank() != shape.rank()) return refuse(i, launch.input(0).shape(), other);
    auto joined = shape[*axis] + other[*axis];
    other.set(*axis, shape[*axis]);
    if (other != shape) return refuse(i, launch.input(0).shape(), launch.input(i).shape());
    shape.set(*axis, joined);
  }
  return set_interleaved<C>(launch, shape, size_between(shape, 0, *axis), count);
}

Result<Kernel> make_concat(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
    return Kernel{.compute = compute_concat<decltype(cell)>};
  });
}

}  // namespace

void add_concat_kernels(KernelCatalog& catalog) {
  catalog.add("Pack", make_pack);
  catalog.add("Unpack", make_unpack);
  catalog.add("ConcatV2", make_concat);
}

}  // namespace troupe::cpu
