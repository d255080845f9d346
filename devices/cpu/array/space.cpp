#include "troupe/devices/cpu/array/space.hpp"

#include <algorithm>
#include <array>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/padding.hpp"
#include "troupe/devices/cpu/array/space_layout.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

/// Copies `count` rows of so many elements, or of `size` where that is 0, which lie `to_step` and
/// `from_step` rows apart.
template <int64_t known, class C>
void copy_rows(
    C* to, int64_t to_step, const C* from, int64_t from_step, int64_t count, int64_t size) {
  if constexpr (known > 0) size = known;
  for (int64_t i = 0; i < count; ++i)
    std::copy_n(from + i * from_step * size, size, to + i * to_step * size);
}

template <class C>
auto find_copy_rows(int64_t size) {
  switch (size) {
    case 1: return copy_rows<1, C>;
    case 2: return copy_rows<2, C>;
    case 3: return copy_rows<3, C>;
    case 4: return copy_rows<4, C>;
    default: return copy_rows<0, C>;
  }
}

/// Calls f(line, first row of "batch", number of rows) for parts of lines, which are all rows.
/// Lines whose rows of "space" take turns follow each other.
template <class F>
void each_line_parallel(const BlockLayout& layout, int64_t rows, int64_t row_size, const F& f) {
  const auto line_rows = layout.line_rows();
  parallel_ranges(rows, row_size, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const auto index = layout.line_in_turn(begin / line_rows), skipped = begin % line_rows;
      auto line = layout.line(index);
      const auto count = std::min(line_rows - skipped, end - begin);
      line.first += skipped * line.step;
      line.begin = std::clamp<int64_t>(line.begin - skipped, 0, count);
      line.end = std::clamp<int64_t>(line.end - skipped, line.begin, count);
      f(line, index * line_rows + skipped, count);
      begin += count;
    }
  });
}

Result<Tensor> allocate(Launch& launch, const Result<Shape>& shape) {
  if (!shape) return shape.status();
  return launch.allocate(launch.input(0).dtype(), *shape);
}

template <class C>
Status to_batch(Launch& launch, std::span<const int64_t> blocks, const Tensor& entries) {
  auto paddings = Paddings::of(entries, static_cast<int>(blocks.size()));
  if (!paddings) return paddings.status();
  const auto shape = launch.input(0).shape();
  auto layout = BlockLayout::from_space(shape, blocks, *paddings);
  if (!layout) return layout.status();
  auto out = allocate(launch, layout->batch_shape(shape));
  if (!out) return out.status();
  const auto size = layout->row_size(shape);
  const auto copy = find_copy_rows<C>(size);
  const auto* from = cells<C>(launch.input(0));
  auto* to = mutable_cells<C>(*out);
  if (out->elements() > 0)
    each_line_parallel(
        *layout, out->elements() / size, size,
        [&](const BlockLayout::Line& line, int64_t row, int64_t count) {
          auto* rows = to + row * size;
          std::fill(rows, rows + line.begin * size, C{});
          copy(
              rows + line.begin * size, 1, from + (line.first + line.begin * line.step) * size,
              line.step, line.end - line.begin, size);
          std::fill(rows + line.end * size, rows + count * size, C{});
        });
  launch.set(0, *std::move(out));
  return {};
}

template <class C>
Status to_space(Launch& launch, std::span<const int64_t> blocks, const Tensor& entries) {
  auto crops = Paddings::of(entries, static_cast<int>(blocks.size()), "crops");
  if (!crops) return crops.status();
  const auto shape = launch.input(0).shape();
  auto layout = BlockLayout::from_batch(shape, blocks, *crops);
  if (!layout) return layout.status();
  auto out = allocate(launch, layout->space_shape(shape));
  if (!out) return out.status();
  const auto size = layout->row_size(shape);
  const auto copy = find_copy_rows<C>(size);
  const auto* from = cells<C>(launch.input(0));
  auto* to = mutable_cells<C>(*out);
  if (out->elements() > 0)
    each_line_parallel(
        *layout, shape.elements() / size, size,
        [&](const BlockLayout::Line& line, int64_t row, int64_t) {
          copy(
              to + (line.first + line.begin * line.step) * size, line.step,
              from + (row + line.begin) * size, 1, line.end - line.begin, size);
        });
  launch.set(0, *std::move(out));
  return {};
}

/// Kernels of SpaceToBatch and BatchToSpace.
KernelCatalog::Make square_blocks(bool is_to_batch) {
  return [is_to_batch](const Node& node) {
    auto block = node.attr<int64_t>("block_size");
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      return Kernel{.compute = [is_to_batch, blocks = std::array{block, block}](Launch& launch) {
        if (launch.input(0).shape().rank() != 4)
          return invalid_argument(
              "the input must have rank 4, but has shape " + launch.input(0).shape().to_string());
        return is_to_batch ? to_batch<C>(launch, blocks, launch.input(1))
                           : to_space<C>(launch, blocks, launch.input(1));
      }};
    });
  };
}

KernelCatalog::Make nd_blocks(bool is_to_batch) {
  return [is_to_batch](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      return Kernel{.compute = [is_to_batch](Launch& launch) {
        if (launch.input(1).shape().rank() != 1)
          return invalid_argument(
              "'block_shape' must have rank 1, but has shape " +
              launch.input(1).shape().to_string());
        auto blocks = IntInput::of(launch.input(1));
        if (!blocks) return blocks.status();
        return is_to_batch ? to_batch<C>(launch, blocks->values(), launch.input(2))
                           : to_space<C>(launch, blocks->values(), launch.input(2));
      }};
    });
  };
}

KernelCatalog::Make depth_kernel(bool is_to_depth) {
  return [is_to_depth](const Node& node) {
    DepthLayout layout = {
        .block = node.attr<int64_t>("block_size"),
        .is_depth_first = node.attr<std::string>("data_format") == "NCHW",
        .is_to_depth = is_to_depth};
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      return Kernel{.compute = [layout](Launch& launch) {
        auto plan = layout.plan(launch.input(0).shape());
        if (!plan) return plan.status();
        LoopNest<1> nest;
        for (auto [size, stride] : plan->axes) nest.add_axis(size, {stride});
        return set_copy<C>(launch, plan->shape, nest);
      }};
    });
  };
}

}  // namespace

void add_space_kernels(KernelCatalog& catalog) {
  catalog.add("SpaceToBatch", square_blocks(true));
  catalog.add("BatchToSpace", square_blocks(false));
  catalog.add("SpaceToBatchND", nd_blocks(true));
  catalog.add("BatchToSpaceND", nd_blocks(false));
  catalog.add("SpaceToDepth", depth_kernel(true));
  catalog.add("DepthToSpace", depth_kernel(false));
  add_patches_kernels(catalog);
}

}  // namespace troupe::cpu
