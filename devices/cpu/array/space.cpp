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

/// Sets output 0 to rows of input 0, those of its result that `source` gives, or else zeros.
template <class C, class F>
Status set_rows(Launch& launch, const Result<Shape>& shape, int64_t row_size, const F& source) {
  if (!shape) return shape.status();
  auto out = launch.allocate(launch.input(0).dtype(), *shape);
  if (!out) return out.status();
  const auto* from = cells<C>(launch.input(0));
  auto* to = mutable_cells<C>(*out);
  auto rows = out->elements() == 0 ? 0 : out->elements() / row_size;
  parallel_ranges(rows, row_size, [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row) {
      auto chosen = source(row);
      if (chosen < 0) std::fill_n(to + row * row_size, row_size, C{});
      else std::copy_n(from + chosen * row_size, row_size, to + row * row_size);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class C>
Status to_batch(Launch& launch, std::span<const int64_t> blocks, const Tensor& entries) {
  auto paddings = Paddings::of(entries, static_cast<int>(blocks.size()));
  if (!paddings) return paddings.status();
  const auto shape = launch.input(0).shape();
  auto layout = BlockLayout::from_space(shape, blocks, *paddings);
  if (!layout) return layout.status();
  return set_rows<C>(launch, layout->batch_shape(shape), layout->row_size(shape), [&](int64_t row) {
    return layout->space_row(row);
  });
}

template <class C>
Status to_space(Launch& launch, std::span<const int64_t> blocks, const Tensor& entries) {
  auto crops = Paddings::of(entries, static_cast<int>(blocks.size()), "crops");
  if (!crops) return crops.status();
  const auto shape = launch.input(0).shape();
  auto layout = BlockLayout::from_batch(shape, blocks, *crops);
  if (!layout) return layout.status();
  return set_rows<C>(launch, layout->space_shape(shape), layout->row_size(shape), [&](int64_t row) {
    return layout->batch_row(row);
  });
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
