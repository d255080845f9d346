#include "troupe/devices/cuda/image/crop.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/image/crop.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cuda {
namespace {

CropSizes sizes_of(const cpu::CropShapes& shapes, const Tensor& boxes) {
  const auto &image = shapes.image, &crop = shapes.crop;
  return {
      .batch = image[0],
      .height = image[1],
      .width = image[2],
      .channels = image[3],
      .boxes = crop[0],
      .crop_height = crop[1],
      .crop_width = crop[2],
      .corners = static_cast<const float*>(boxes.raw())};
}

/// The boxes by image, as CropGradImageCall has them: where those of each begin, and then all.
Result<Tensor> boxes_by_image(const cpu::CropImages& images, int64_t batch) {
  if (images.count() > std::numeric_limits<int32_t>::max())
    return unimplemented("gradients of more than 2^31 boxes have no CUDA kernel");
  auto table = Tensor::allocate(DType::int32, {batch + 1 + images.count()});
  if (!table) return table;
  auto* begins = table->mutable_data<int32_t>();
  std::fill_n(begins, batch + 1, 0);
  for (int64_t box = 0; box < images.count(); ++box) ++begins[images[box] + 1];
  for (int64_t i = 0; i < batch; ++i) begins[i + 1] += begins[i];
  std::vector<int32_t> next(begins, begins + batch);
  for (int64_t box = 0; box < images.count(); ++box)
    begins[batch + 1 + next[static_cast<size_t>(images[box])]++] = static_cast<int32_t>(box);
  return table;
}

struct CropOp {
  LaunchCrop function;
  bool is_nearest;
  float extrapolation;
};

Status compute_crop(Launch& launch, const CropOp& op) {
  const auto& boxes = launch.input(1);
  auto shapes =
      cpu::CropShapes::of(launch.input(0).shape(), boxes, launch.input(2), launch.input(3));
  if (!shapes) return shapes.status();
  auto result = launch.allocate(DType::float32, shapes->crop);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "crops");
  auto images = launch.device().copy_in(launch.input(2));
  if (!images) return images.status();
  op.function(
      {.crops = out<float>(*result),
       .images = launch.input(0).raw(),
       .image_of = static_cast<const int32_t*>(images->raw()),
       .sizes = sizes_of(*shapes, boxes),
       .is_nearest = op.is_nearest,
       .extrapolation = op.extrapolation,
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "crops");
}

struct CropGradImageOp {
  LaunchCropGradImage function;
  DType dtype;
  bool is_nearest;
};

Status compute_crop_grad_image(Launch& launch, const CropGradImageOp& op) {
  const auto &gradients = launch.input(0), &boxes = launch.input(1);
  auto image = cpu::shape_input(launch.input(3));
  if (!image) return image.status();
  auto shapes = cpu::CropShapes::of_gradients(gradients.shape(), *image, boxes, launch.input(2));
  if (!shapes) return shapes.status();
  auto result = launch.allocate(op.dtype, *image);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "crops");
  auto table = boxes_by_image(shapes->images, (*image)[0]);
  if (!table) return table.status();
  auto on_card = launch.device().copy_in(*table);
  if (!on_card) return on_card.status();
  const auto* begins = static_cast<const int32_t*>(on_card->raw());
  op.function(
      {.images = result->mutable_raw(),
       .crops = in<float>(launch, 0),
       .begins = begins,
       .ordered = begins + (*image)[0] + 1,
       .sizes = sizes_of(*shapes, boxes),
       .is_nearest = op.is_nearest,
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "gradients of crops");
}

Status compute_crop_grad_boxes(Launch& launch, LaunchCropGradBoxes function) {
  const auto& boxes = launch.input(2);
  auto shapes = cpu::CropShapes::of_gradients(
      launch.input(0).shape(), launch.input(1).shape(), boxes, launch.input(3));
  if (!shapes) return shapes.status();
  auto result = launch.allocate(DType::float32, boxes.shape());
  if (!result) return result.status();
  if (result->elements() == 0)
    return set_launched(launch, 0, *std::move(result), "gradients of boxes");
  auto images = launch.device().copy_in(launch.input(3));
  if (!images) return images.status();
  function(
      {.boxes = out<float>(*result),
       .crops = in<float>(launch, 0),
       .images = launch.input(1).raw(),
       .image_of = static_cast<const int32_t*>(images->raw()),
       .sizes = sizes_of(*shapes, boxes),
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "gradients of boxes");
}

bool is_nearest(const Node& node) { return node.attr<std::string>("method") == "nearest"; }

Result<Kernel> make_crop(const Node& node) {
  auto dtype = node.attr<DType>("T");
  CropOp op{
      find_crop(element_of(dtype)), is_nearest(node), node.attr<float>("extrapolation_value")};
  if (!op.function) return no_kernel(dtype);
  return Kernel{.compute = [op](Launch& launch) { return compute_crop(launch, op); }};
}

Result<Kernel> make_crop_grad_image(const Node& node) {
  auto dtype = node.attr<DType>("T");
  CropGradImageOp op{find_crop_grad_image(element_of(dtype)), dtype, is_nearest(node)};
  if (!op.function) return no_kernel(dtype);
  return Kernel{.compute = [op](Launch& launch) { return compute_crop_grad_image(launch, op); }};
}

Result<Kernel> make_crop_grad_boxes(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_crop_grad_boxes(element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{
      .compute = [function](Launch& launch) { return compute_crop_grad_boxes(launch, function); }};
}

}  // namespace

void add_crop_kernels(KernelCatalog& catalog) {
  catalog.add("CropAndResize", make_crop);
  catalog.add("CropAndResizeGradImage", make_crop_grad_image);
  catalog.add("CropAndResizeGradBoxes", make_crop_grad_boxes);
}

}  // namespace troupe::cuda
