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

PatchAxes::PatchAxes(const Node& node)
    : is_volume(node.op->name() == "ExtractVolumePatches"),
      is_same(node.attr<std::string>("padding") == "SAME") {
  auto axis = [&](size_t i) {
    auto entry = [&](const char* name) { return node.attr<std::vector<int64_t>>(name)[i]; };
    return PatchAxis{
        .patch = entry("ksizes"),
        .stride = entry("strides"),
        .rate = is_volume ? 1 : entry("rates")};
  };
  if (is_volume) z = axis(1);
  y = axis(is_volume ? 2 : 1);
  x = axis(is_volume ? 3 : 2);
}

int64_t PatchAxes::area() const {
  int64_t area;
  auto overflows = __builtin_mul_overflow(y.patch * x.patch, z.patch, &area);  // each <= 2^30
  return overflows ? int64_t{1} << 62 : area;
}

Result<Shape> PatchAxes::fit(const Shape& images) {
  auto rank = is_volume ? 5 : 4;
  if (images.rank() != rank)
    return invalid_argument(
        std::string(is_volume ? "input" : "images") + " must have rank " + std::to_string(rank) +
        ", but have shape " + images.to_string());
  auto status = z.fit(is_volume ? images[1] : 1, is_same);
  if (status.ok()) status = y.fit(images[rank - 3], is_same);
  if (status.ok()) status = x.fit(images[rank - 2], is_same);
  if (!status.ok()) return status;
  int64_t depth;
  if (__builtin_mul_overflow(images[rank - 1], area(), &depth))
    return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
  if (is_volume)
    return Shape::make(std::array<int64_t, 5>{images[0], z.count, y.count, x.count, depth});
  return Shape::make(std::array<int64_t, 4>{images[0], y.count, x.count, depth});
}

namespace {

/// Copies one patch of an image: the one with this index among those of the image.
template <class C>
void copy_patch(C* to, const C* image, const PatchAxes& axes, int64_t index, int64_t depth) {
  const auto &z = axes.z, &y = axes.y, &x = axes.x;
  auto plane = index / x.count / y.count, row = index / x.count % y.count, column = index % x.count;
  for (int64_t k = 0; k < z.patch; ++k)
    for (int64_t i = 0; i < y.patch; ++i)
      for (int64_t j = 0; j < x.patch; ++j, to += depth) {
        auto at_z = z.place(plane, k), at_y = y.place(row, i), at_x = x.place(column, j);
        if (z.contains(at_z) && y.contains(at_y) && x.contains(at_x))
          std::copy_n(image + ((at_z * y.size + at_y) * x.size + at_x) * depth, depth, to);
        else std::fill_n(to, depth, C{});
      }
}

template <class C>
Status compute_patches(Launch& launch, PatchAxes axes) {
  const auto& in = launch.input(0);
  auto shape = axes.fit(in.shape());
  if (!shape) return shape.status();
  auto depth = in.shape()[in.shape().rank() - 1], out_depth = (*shape)[shape->rank() - 1];
  auto out = launch.allocate(in.dtype(), *shape);
  if (!out) return out.status();
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  auto of_image = axes.z.count * axes.y.count * axes.x.count;
  auto image_size = axes.z.size * axes.y.size * axes.x.size * depth;
  auto patches = out->elements() == 0 ? 0 : in.shape()[0] * of_image;
  parallel_ranges(patches, out_depth, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      copy_patch(to + i * out_depth, from + i / of_image * image_size, axes, i % of_image, depth);
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
  auto make = [](const Node& node) {
    PatchAxes axes(node);
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{
          .compute =
              [axes](Launch& launch) { return compute_patches<decltype(cell)>(launch, axes); },
          .cost_ns =
              [area = axes.area()](const Launch& launch) { return patches_cost_ns(launch, area); }};
    });
  };
  for (const auto* op : {"ExtractImagePatches", "ExtractVolumePatches"}) catalog.add(op, make);
}

}  // namespace troupe::cpu
