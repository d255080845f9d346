#include "troupe/devices/cpu/array/patches.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "troupe/devices/cpu/array/space.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

Status PatchAxis::fit(int64_t image_size, bool is_same) {
  size = image_size;
  auto reach = (patch - 1) * rate + 1;
  if (!is_same) {
    if (size < reach)
      return invalid_argument(
          "a patch that reaches over " + std::to_string(reach) +
          " elements does not lie in an axis of size " + std::to_string(size));
    count = (size - reach) / stride + 1;
    return {};
  }
  count = size == 0 ? 0 : (size - 1) / stride + 1;
  before = std::max<int64_t>((count - 1) * stride + reach - size, 0) / 2;
  return {};
}

PatchAxes::PatchAxes(const Node& node) : is_same(node.attr<std::string>("padding") == "SAME") {
  auto axis = [&](size_t i) {
    auto entry = [&](const char* name) { return node.attr<std::vector<int64_t>>(name)[i]; };
    return PatchAxis{.patch = entry("ksizes"), .stride = entry("strides"), .rate = entry("rates")};
  };
  y = axis(1);
  x = axis(2);
}

Result<Shape> PatchAxes::fit(const Shape& images) {
  if (images.rank() != 4)
    return invalid_argument("images must have rank 4, but have shape " + images.to_string());
  if (auto status = y.fit(images[1], is_same); !status.ok()) return status;
  if (auto status = x.fit(images[2], is_same); !status.ok()) return status;
  int64_t depth;
  if (__builtin_mul_overflow(images[3], y.patch * x.patch, &depth))
    return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
  return Shape::make(std::array<int64_t, 4>{images[0], y.count, x.count, depth});
}

namespace {

/// Copies one patch of an image: that in this row and column of patches.
template <class C>
void copy_patch(
    C* to, const C* image, const PatchAxis& y, int64_t row, const PatchAxis& x, int64_t column,
    int64_t depth) {
  for (int64_t i = 0; i < y.patch; ++i)
    for (int64_t j = 0; j < x.patch; ++j, to += depth) {
      auto at_y = y.place(row, i), at_x = x.place(column, j);
      if (y.contains(at_y) && x.contains(at_x))
        std::copy_n(image + (at_y * x.size + at_x) * depth, depth, to);
      else std::fill_n(to, depth, C{});
    }
}

template <class C>
Status compute_patches(Launch& launch, PatchAxes axes) {
  const auto& in = launch.input(0);
  auto shape = axes.fit(in.shape());
  if (!shape) return shape.status();
  const auto &y = axes.y, &x = axes.x;
  auto batch = in.shape()[0], depth = in.shape()[3], out_depth = (*shape)[3];
  auto out = launch.allocate(in.dtype(), *shape);
  if (!out) return out.status();
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  auto patches = out->elements() == 0 ? 0 : batch * y.count * x.count;
  parallel_ranges(patches, out_depth, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto row = i / x.count % y.count, image = i / x.count / y.count;
      copy_patch(
          to + i * out_depth, from + image * y.size * x.size * depth, y, row, x, i % x.count,
          depth);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

int64_t patches_cost_ns(const Launch& launch, int64_t area) {
  int64_t cost;
  auto overflows = __builtin_mul_overflow(launch.input(0).elements(), area, &cost);
  return overflows ? std::numeric_limits<int64_t>::max() : cost;
}

}  // namespace

void add_patches_kernels(KernelCatalog& catalog) {
  catalog.add("ExtractImagePatches", [](const Node& node) {
    PatchAxes axes(node);
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{
          .compute =
              [axes](Launch& launch) { return compute_patches<decltype(cell)>(launch, axes); },
          .cost_ns = [area = axes.y.patch * axes.x.patch](
                         const Launch& launch) { return patches_cost_ns(launch, area); }};
    });
  });
}

}  // namespace troupe::cpu
