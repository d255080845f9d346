#include "troupe/devices/cpu/array/copying.hpp"

namespace troupe::cpu {

Result<Kernel> copying_kernel(DType dtype, KernelCatalog::Compute compute) {
  if (is_opaque(dtype)) return not_copied(dtype);
  return Kernel{.compute = std::move(compute)};
}

void copy_elements(Tensor& to, int64_t at, const Tensor& from, int64_t first, int64_t count) {
  with_units(to.dtype(), [&](auto unit, int64_t each) {
    using C = decltype(unit);
    std::copy_n(cells<C>(from) + first * each, count * each, mutable_cells<C>(to) + at * each);
  });
}

void copy_all(Tensor& to, const Tensor& from) {
  if (to.raw() == from.raw()) return;
  parallel_pieces(1, to.elements(), [&](int64_t, int64_t first, int64_t last) {
    copy_elements(to, first, from, first, last - first);
  });
}

namespace {

template <class C>
void copy_cells(void* out, const void* in, const LoopNest<2>& nest) {
  auto* to = static_cast<C*>(out);
  const auto* from = static_cast<const C*>(in);
  auto size = nest.row_size();
  auto [to_stride, from_stride] = nest.row_strides();
  auto pieces = (size + copied_piece - 1) / copied_piece;
  auto cell = int64_t(sizeof(C));
  auto streams =
      to_stride == 1 && from_stride == 1 && streams_rows<C>(size, nest.elements() * cell);
  parallel_ranges(
      nest.rows() * pieces, std::min(size, copied_piece), [&](int64_t begin, int64_t end) {
        nest.each_row(begin / pieces, (end + pieces - 1) / pieces, [&](int64_t row, auto& at) {
          auto first = std::max<int64_t>(begin - row * pieces, 0) * copied_piece;
          auto last = std::min(std::min(end - row * pieces, pieces) * copied_piece, size);
          auto* to_row = to + at[0] + first * to_stride;
          const auto* from_row = from + at[1] + first * from_stride;
          if (streams) vector::copy_past_caches(to_row, from_row, (last - first) * cell);
          else copy_row(to_row, to_stride, from_row, from_stride, last - first);
        });
        if (streams) vector::finish_streams();
      });
}

}  // namespace

void copy_nest(Tensor& to, int64_t at, const Tensor& from, int64_t first, const LoopNest<2>& nest) {
  if (nest.elements() == 0) return;
  auto size = static_cast<int64_t>(size_of(to.dtype()));
  auto copy = choose_cell(to.dtype(), [](auto cell) { return copy_cells<decltype(cell)>; });
  copy(
      static_cast<std::byte*>(to.mutable_raw()) + at * size,
      static_cast<const std::byte*>(from.raw()) + first * size, nest);
}

Result<Tensor> part_of(
    const Tensor& whole, int64_t first, const Shape& shape, Allocator& allocator) {
  // A copy of less is as cheap, and keeps no more memory than it needs.
  constexpr int64_t least_shared_bytes = 4096;
  auto size = static_cast<int64_t>(size_of(whole.dtype()));
  if (is_plain(whole.dtype()) && shape.elements() * size >= least_shared_bytes) {
    // Nobody writes to it: no part is the sole owner of its elements.
    auto* elements = static_cast<std::byte*>(const_cast<void*>(whole.raw()));
    auto* place = whole.memory() == MemoryKind::device ? whole.allocator() : nullptr;
    return Tensor::alias(
        whole.dtype(), shape, elements + first * size, [whole] {}, place);
  }
  auto part = Tensor::allocate(whole.dtype(), shape, allocator);
  if (part)
    parallel_pieces(1, part->elements(), [&](int64_t, int64_t begin, int64_t end) {
      copy_elements(*part, begin, whole, first + begin, end - begin);
    });
  return part;
}

Result<Tensor> part_of(
    const Tensor& whole, int64_t first, const LoopNest<2>& nest, const Shape& shape,
    Allocator& allocator) {
  if (nest.rank() == 1 && nest.row_strides()[1] == 1)
    return part_of(whole, first, shape, allocator);
  auto part = Tensor::allocate(whole.dtype(), shape, allocator);
  if (part) copy_nest(*part, 0, whole, first, nest);
  return part;
}

void fill_with(Tensor& to, const Tensor& value) {
  using Fill = void (*)(void* to, int64_t count, const void* value);
  auto fill = choose_cell(to.dtype(), [](auto cell) -> Fill {
    return [](void* to, int64_t count, const void* value) {
      using C = decltype(cell);
      fill_all(static_cast<C*>(to), count, *static_cast<const C*>(value));
    };
  });
  fill(to.mutable_raw(), to.elements(), value.raw());
}

void set_zeros(Tensor& to) {
  with_units(to.dtype(), [&](auto unit, int64_t each) {
    fill_all(mutable_cells<decltype(unit)>(to), to.elements() * each, unit);
  });
}

}  // namespace troupe::cpu
