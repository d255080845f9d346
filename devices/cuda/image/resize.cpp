#include "troupe/devices/cuda/image/resize.hpp"

#include <cstring>
#include <vector>

#include "troupe/devices/cpu/image/resize.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cuda {
namespace {

/// The sources of an axis of so many pixels, and the gradient's bounds.
struct AxisTable {
  std::vector<PixelSource> sources;
  std::vector<int64_t> first, last;

  static AxisTable linear(const cpu::ResizeAttrs& attrs, int64_t size, int64_t resized) {
    AxisTable table;
    for (const auto& source : attrs.linear(size, resized))
      table.sources.push_back({source.lower, source.upper, source.share});
    table.set_bounds(size);
    return table;
  }
  static AxisTable nearest(const cpu::ResizeAttrs& attrs, int64_t size, int64_t resized) {
    AxisTable table;
    for (auto source : attrs.nearest(size, resized)) table.sources.push_back({source, source, 0});
    table.set_bounds(size);
    return table;
  }

  size_t bytes() const {
    return sources.size() * sizeof(PixelSource) + 2 * first.size() * sizeof(int64_t);
  }
  void put(char* to) const {
    auto put_all = [&to](const auto& all) {
      auto size = all.size() * sizeof(all[0]);
      std::memcpy(to, all.data(), size);
      to += size;
    };
    put_all(sources);
    put_all(first);
    put_all(last);
  }
  /// The same where it lies on the card.
  ResizeAxis at(const char* memory) const {
    ResizeAxis axis{
        .sources = reinterpret_cast<const PixelSource*>(memory),
        .size = std::ssize(first),
        .resized = std::ssize(sources)};
    axis.first = reinterpret_cast<const int64_t*>(axis.sources + sources.size());
    axis.last = axis.first + first.size();
    return axis;
  }

 private:
  /// Sources never decrease from one pixel to the next.
  void set_bounds(int64_t size) {
    first.resize(static_cast<size_t>(size));
    last.resize(static_cast<size_t>(size));
    int64_t begin = 0, end = 0;
    for (int64_t pixel = 0; pixel < size; ++pixel) {
      while (begin < std::ssize(sources) && sources[static_cast<size_t>(begin)].upper < pixel)
        ++begin;
      while (end < std::ssize(sources) && sources[static_cast<size_t>(end)].lower <= pixel) ++end;
      first[static_cast<size_t>(pixel)] = begin;
      last[static_cast<size_t>(pixel)] = end;
    }
  }
};

using MakeTable = AxisTable (*)(const cpu::ResizeAttrs&, int64_t size, int64_t resized);

/// What resizes images of one shape to another, or takes gradients back.
struct Resize {
  MakeTable make_table;
  std::function<void(const ResizeCall&)> function;
};

Status set_resized(
    Launch& launch, const cpu::ResizeAttrs& attrs, const Resize& resize, const Shape& images,
    const Shape& resized, DType dtype, const Shape& shape) {
  auto result = launch.allocate(dtype, shape);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "a resize");
  if (images.elements() == 0 || resized.elements() == 0) return internal("images are empty");
  auto rows = resize.make_table(attrs, images[1], resized[1]),
       columns = resize.make_table(attrs, images[2], resized[2]);
  auto tables =
      Tensor::allocate(DType::uint8, {static_cast<int64_t>(rows.bytes() + columns.bytes())});
  if (!tables) return tables.status();
  auto* memory = static_cast<char*>(tables->mutable_raw());
  rows.put(memory);
  columns.put(memory + rows.bytes());
  auto on_card = launch.device().copy_in(*tables);
  if (!on_card) return on_card.status();
  const auto* copied = static_cast<const char*>(on_card->raw());
  resize.function(
      {.out = result->mutable_raw(),
       .from = launch.input(0).raw(),
       .rows = rows.at(copied),
       .columns = columns.at(copied + rows.bytes()),
       .batch = images[0],
       .channels = images[3],
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a resize");
}

/// `dtype`: of the result.
KernelCatalog::Make resizing(const Resize& resize, DType dtype) {
  return [=](const Node& node) -> Result<Kernel> {
    cpu::ResizeAttrs attrs(node);
    return Kernel{.compute = [=](Launch& launch) -> Status {
      if (auto status = attrs.check(); !status.ok()) return status;
      const auto images = launch.input(0).shape();
      auto resized = cpu::resized_shape(images, launch.input(1));
      if (!resized) return resized.status();
      return set_resized(launch, attrs, resize, images, *resized, dtype, *resized);
    }};
  };
}

Result<Kernel> make_bilinear(const Node& node) {
  auto function = find_bilinear(element_of(node.attr<DType>("T")));
  if (!function) return no_kernel(node.attr<DType>("T"));
  return resizing({AxisTable::linear, function}, DType::float32)(node);
}

Result<Kernel> make_nearest(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto size = static_cast<int>(size_of(dtype));
  auto function = [size](const ResizeCall& call) { launch_nearest(call, size); };
  return resizing({AxisTable::nearest, function}, dtype)(node);
}

Result<Kernel> make_bilinear_grad(const Node& node) {
  auto dtype = node.attr<DType>("T");
  Resize resize{AxisTable::linear, find_bilinear_grad(element_of(dtype))};
  if (!resize.function) return no_kernel(dtype);
  return Kernel{.compute = [resize, dtype, attrs = cpu::ResizeAttrs(node)](Launch& launch) {
    if (auto status = attrs.check(); !status.ok()) return status;
    const auto images = launch.input(1).shape(), resized = launch.input(0).shape();
    auto status = cpu::check_resize_gradients(resized, images);
    if (!status.ok()) return status;
    return set_resized(launch, attrs, resize, images, resized, dtype, images);
  }};
}

Result<Kernel> make_nearest_grad(const Node& node) {
  auto dtype = node.attr<DType>("T");
  Resize resize{AxisTable::nearest, find_nearest_grad(element_of(dtype))};
  if (!resize.function) return no_kernel(dtype);
  return Kernel{.compute = [resize, dtype, attrs = cpu::ResizeAttrs(node)](Launch& launch) {
    if (auto status = attrs.check(); !status.ok()) return status;
    const auto resized = launch.input(0).shape();
    auto images = cpu::resized_shape(resized, launch.input(1));
    if (!images) return images.status();
    return set_resized(launch, attrs, resize, *images, resized, dtype, *images);
  }};
}

}  // namespace

void add_resize_kernels(KernelCatalog& catalog) {
  catalog.add("ResizeBilinear", make_bilinear);
  catalog.add("ResizeBilinearGrad", make_bilinear_grad);
  catalog.add("ResizeNearestNeighbor", make_nearest);
  catalog.add("ResizeNearestNeighborGrad", make_nearest_grad);
}

}  // namespace troupe::cuda
