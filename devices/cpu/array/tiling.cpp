#include "troupe/devices/cpu/array/tiling.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/array/padding.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

Result<IntInput> read_multiples(const Tensor& tensor, const Shape& shape, int64_t least) {
  if (tensor.shape() != Shape{shape.rank()})
    return invalid_argument(
        "'multiples' must have an entry for each axis of " + shape.to_string() +
        ", but have shape " + tensor.shape().to_string());
  auto multiples = IntInput::of(tensor);
  if (!multiples) return multiples.status();
  for (auto multiple : multiples->values())
    if (multiple < least || multiple > Shape::max_elements)
      return invalid_argument(
          "'multiples' must lie in [" + std::to_string(least) + ", 2^48], but one is " +
          std::to_string(multiple));
  return multiples;
}

Result<Shape> tiled_shape(const Shape& tile, const IntInput& multiples) {
  auto shape = tile;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t size;
    if (__builtin_mul_overflow(shape[axis], multiples[axis], &size))
      return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
    shape.set(axis, size);
  }
  return Shape::make(shape.sizes());
}

Result<Shape> shape_of_tile(const Shape& tiled, const IntInput& multiples) {
  auto shape = tiled;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] % multiples[axis] != 0)
      return invalid_argument(
          "an axis of size " + std::to_string(shape[axis]) + " cannot be " +
          std::to_string(multiples[axis]) + " copies of one");
    shape.set(axis, shape[axis] / multiples[axis]);
  }
  return shape;
}

namespace {

/// The axes of a tile and how often each is repeated. Axes that are repeated together with the one
/// before them are one axis with it, so that rows are as long as can be.
struct TiledAxes {
  std::array<int64_t, Shape::max_rank> sizes{}, multiples{};
  int count = 0;

  TiledAxes(const Shape& tile, const IntInput& given) {
    for (int axis = 0; axis < tile.rank(); ++axis) {
      auto multiple = given[axis];
      if (count > 0 && multiple == 1) {
        sizes[count - 1] *= tile[axis];
        continue;
      }
      sizes[count] = tile[axis];
      multiples[count++] = multiple;
    }
    if (count == 0) sizes[count] = multiples[count] = 1, ++count;
  }
};

/// Writes elements [first, last) of copies of a row one after the other.
template <class C>
void repeat_row(C* to, const C* row, int64_t size, int64_t first, int64_t last, bool streams) {
  if (size == 1) fill_cells(to + first, last - first, *row, streams);
  for (auto at = first % size; size > 1 && first < last; at = 0) {
    auto count = std::min(size - at, last - first);
    if (streams)
      vector::copy_past_caches(to + first, row + at, count * static_cast<int64_t>(sizeof(C)));
    else std::copy_n(row + at, count, to + first);
    first += count;
  }
  if (streams) vector::finish_streams();
}

template <class C>
Status compute_tile(Launch& launch) {
  const auto& in = launch.input(0);
  auto multiples = read_multiples(launch.input(1), in.shape(), 0);
  if (!multiples) return multiples.status();
  auto shape = tiled_shape(in.shape(), *multiples);
  if (!shape) return shape.status();
  auto out = launch.allocate(in.dtype(), *shape);
  if (!out) return out.status();
  TiledAxes axes(in.shape(), *multiples);
  auto last = axes.count - 1;
  auto size = axes.sizes[last], row_size = size * axes.multiples[last];
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  auto rows = out->elements() / std::max<int64_t>(row_size, 1);
  auto streams = streams_rows<C>(size == 1 ? row_size : size, static_cast<int64_t>(out->bytes()));
  auto write_part = [&](int64_t row, int64_t begin, int64_t end) {
    int64_t first = 0, stride = size, rest = row;
    for (int axis = last - 1; axis >= 0; --axis) {
      first += rest % axes.sizes[axis] * stride;
      rest /= axes.sizes[axis] * axes.multiples[axis];
      stride *= axes.sizes[axis];
    }
    repeat_row(to + row * row_size, from + first, size, begin, end, streams);
  };
  parallel_pieces(out->elements() == 0 ? 0 : rows, row_size, write_part);
  launch.set(0, *std::move(out));
  return {};
}

/// [outer, multiple, size] summed over the second axis.
template <class A, class From>
std::vector<A> sum_copies(const From* from, int64_t outer, int64_t multiple, int64_t size) {
  std::vector<A> sums(static_cast<size_t>(outer * size));
  parallel_pieces(outer, size, [&](int64_t i, int64_t first, int64_t last) {
    auto* sum = sums.data() + i * size;
    for (int64_t copy = 0; copy < multiple; ++copy) {
      const auto* row = from + (i * multiple + copy) * size;
      for (auto j = first; j < last; ++j)
        sum[j] = static_cast<A>(wrap(sum[j]) + wrap(promote(row[j])));
    }
  });
  return sums;
}

template <class T>
Status compute_tile_grad(Launch& launch) {
  const auto& in = launch.input(0);
  auto multiples = read_multiples(launch.input(1), in.shape(), 1);
  if (!multiples) return multiples.status();
  auto shape = shape_of_tile(in.shape(), *multiples);
  if (!shape) return shape.status();
  auto out = launch.allocate(in.dtype(), *shape);
  if (!out) return out.status();
  if (out->elements() > 0) {
    TiledAxes axes(*shape, *multiples);
    // From the outermost axis inward: the first sum is that of the longest rows.
    using A = Promoted<T>;
    std::vector<A> sums;
    int64_t outer = 1, inner = in.elements();
    for (int axis = 0; axis < axes.count; ++axis) {
      auto multiple = axes.multiples[axis];
      inner /= multiple;
      if (axis == 0) sums = sum_copies<A>(in.data<T>(), outer, multiple, inner);
      else if (multiple > 1) sums = sum_copies<A>(sums.data(), outer, multiple, inner);
      outer *= axes.sizes[axis];
      inner /= axes.sizes[axis];
    }
    auto* result = out->template mutable_data<T>();
    parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i) result[i] = static_cast<T>(sums[static_cast<size_t>(i)]);
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_tiling_kernels(KernelCatalog& catalog) {
  catalog.add("Tile", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_tile<decltype(cell)>};
    });
  });
  catalog.add("TileGrad", [](const Node& node) {
    return dispatch(Numeric{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_tile_grad<decltype(zero)>};
    });
  });
}

}  // namespace troupe::cpu
