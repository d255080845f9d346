#include "troupe/devices/cpu/math/elementwise.hpp"

#include <algorithm>

#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {
namespace {

/// As many elements as fit into the nearest cache, with their widened copies.
constexpr int64_t block = 512;

const std::byte* at(const void* elements, int64_t bytes) {
  return static_cast<const std::byte*>(elements) + bytes;
}
std::byte* at(void* elements, int64_t bytes) { return static_cast<std::byte*>(elements) + bytes; }

/// The loop for operands of so many bytes.
template <class Elements>
auto loop_for(const Elements& elements, size_t bytes) {
  auto streams = elements.streaming && vector::is_beyond_caches(static_cast<int64_t>(bytes));
  return streams ? elements.streaming : elements.loop;
}

struct Walk {
  const BinaryElements& elements;
  BinaryLoop loop;
  std::byte* out;
  const std::byte* x;
  const std::byte* y;

  /// Computes those of [begin, end).
  void compute(int64_t begin, int64_t end, Repeat repeat) const {
    auto in = int64_t(size_of(elements.in));
    loop(
        out + begin * int64_t(size_of(elements.out)), repeat == Repeat::x ? x : x + begin * in,
        repeat == Repeat::y ? y : y + begin * in, end - begin, repeat);
  }

  /// The walk where shapes differ.
  void broadcast(const LoopNest<2>& nest) const {
    auto size = nest.row_size();
    auto strides = nest.row_strides();
    auto in = int64_t(size_of(elements.in)), row_bytes = size * int64_t(size_of(elements.out));
    auto repeat = strides[0] == 0 ? Repeat::x : strides[1] == 0 ? Repeat::y : Repeat::none;
    parallel_ranges(nest.rows(), size * elements.cost, [&](int64_t begin, int64_t end) {
      nest.each_row(begin, end, [&](int64_t row, const auto& offsets) {
        loop(out + row * row_bytes, x + offsets[0] * in, y + offsets[1] * in, size, repeat);
      });
    });
  }
};

}  // namespace

template <class T>
void widen(float* out, const T* in, int64_t count) {
  static const auto loop = vector::widen_loop(dtype_of<T>());
  if (loop) return loop(out, in, count);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]);
}

template <class T>
void narrow(T* out, const float* in, int64_t count) {
  static const auto loop = vector::narrow_loop(dtype_of<T>());
  if (loop) return loop(out, in, count);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(in[i]);
}

template <class T>
void unary_by_floats(void* out, const void* x, int64_t count, UnaryLoop loop) {
  float wide[block];
  for (int64_t begin = 0; begin < count; begin += block) {
    auto size = std::min(block, count - begin);
    widen(wide, static_cast<const T*>(x) + begin, size);
    loop(wide, wide, size);
    narrow(static_cast<T*>(out) + begin, wide, size);
  }
}

template <class T>
void binary_by_floats(
    void* out, const void* x, const void* y, int64_t count, Repeat repeat, BinaryLoop loop,
    bool is_predicate) {
  if (count == 0) return;
  const auto *a = static_cast<const T*>(x), *b = static_cast<const T*>(y);
  float wide_x[block], wide_y[block];
  widen(wide_x, a, 1);
  widen(wide_y, b, 1);
  for (int64_t begin = 0; begin < count; begin += block) {
    auto size = std::min(block, count - begin);
    if (repeat != Repeat::x) widen(wide_x, a + begin, size);
    if (repeat != Repeat::y) widen(wide_y, b + begin, size);
    if (is_predicate) {
      loop(static_cast<bool*>(out) + begin, wide_x, wide_y, size, repeat);
    } else {
      float wide_out[block];
      loop(wide_out, wide_x, wide_y, size, repeat);
      narrow(static_cast<T*>(out) + begin, wide_out, size);
    }
  }
}

template void widen(float*, const float16*, int64_t);
template void widen(float*, const bfloat16*, int64_t);
template void narrow(float16*, const float*, int64_t);
template void narrow(bfloat16*, const float*, int64_t);
template void unary_by_floats<float16>(void*, const void*, int64_t, UnaryLoop);
template void unary_by_floats<bfloat16>(void*, const void*, int64_t, UnaryLoop);
template void binary_by_floats<float16>(
    void*, const void*, const void*, int64_t, Repeat, BinaryLoop, bool);
template void binary_by_floats<bfloat16>(
    void*, const void*, const void*, int64_t, Repeat, BinaryLoop, bool);

Status compute_unary(Launch& launch, const UnaryElements& elements) {
  const auto* x = launch.input(0).raw();
  auto loop = loop_for(elements, launch.input(0).bytes());
  auto out = launch.reuse_or_allocate({0}, elements.out, launch.input(0).shape());
  if (!out) return out.status();
  auto* result = out->mutable_raw();
  auto in = int64_t(size_of(elements.in)), out_size = int64_t(size_of(elements.out));
  parallel_ranges(out->elements(), elements.cost, [&](int64_t begin, int64_t end) {
    loop(at(result, begin * out_size), at(x, begin * in), end - begin);
  });
  launch.set(0, *std::move(out));
  return {};
}

Status compute_binary(Launch& launch, const BinaryElements& elements) {
  // Copies: the launch may give the operand that they belong to away as the result.
  const auto x_shape = launch.input(0).shape(), y_shape = launch.input(1).shape();
  const auto *x = launch.input(0).raw(), *y = launch.input(1).raw();
  auto loop = loop_for(elements, std::max(launch.input(0).bytes(), launch.input(1).bytes()));
  auto shape = Result<Shape>(x_shape);
  if (x_shape.is_scalar()) shape = y_shape;
  else if (!y_shape.is_scalar() && x_shape != y_shape) shape = broadcast(x_shape, y_shape);
  if (!shape) return shape.status();
  auto out = launch.reuse_or_allocate({0, 1}, elements.out, *shape);
  if (!out) return out.status();
  Walk walk{elements, loop, at(out->mutable_raw(), 0), at(x, 0), at(y, 0)};
  auto is_even = x_shape == y_shape || x_shape.is_scalar() || y_shape.is_scalar();
  auto repeat = x_shape == y_shape ? Repeat::none : y_shape.is_scalar() ? Repeat::y : Repeat::x;
  if (is_even)
    parallel_ranges(out->elements(), elements.cost, [&](int64_t begin, int64_t end) {
      walk.compute(begin, end, repeat);
    });
  else walk.broadcast(broadcast_nest(x_shape, y_shape, *shape));
  launch.set(0, *std::move(out));
  return {};
}

Status compute_pairwise(Launch& launch, const BinaryElements& elements) {
  const auto &x = launch.input(0).shape(), &y = launch.input(1).shape();
  if (x == y) return compute_binary(launch, elements);
  return invalid_argument(
      "both operands must have one shape, but are " + x.to_string() + " and " + y.to_string());
}

}  // namespace troupe::cpu
