#include "troupe/devices/cuda/array/reordering.hpp"

#include "troupe/devices/cpu/array/padding.hpp"
#include "troupe/devices/cpu/array/sequences.hpp"
#include "troupe/devices/cpu/indexing/roll_shifts.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {
namespace {

/// Bit i of `wrapped` says whether the block is, of axis i, what leaves at its end.
void copy_rolled_block(
    const Launch& launch, Tensor& to, const Tensor& from, const cpu::RollShifts& shifts,
    unsigned wrapped) {
  const auto& shape = from.shape();
  AxisStrides strides(shape);
  StridedWalk<2> walk;
  int64_t to_first = 0, from_first = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto shift = shifts[static_cast<size_t>(axis)], kept = shape[axis] - shift;
    auto is_wrapped = (wrapped >> axis & 1) != 0;
    walk.add_axis(is_wrapped ? shift : kept, {{strides.at[axis], strides.at[axis]}});
    (is_wrapped ? from_first : to_first) += (is_wrapped ? kept : shift) * strides.at[axis];
  }
  copy_walk(launch, to, to_first, from, from_first, walk);
}

Status compute_roll(Launch& launch) {
  const auto& x = launch.input(0);
  auto shifts = cpu::roll_shifts(x.shape(), launch.input(1), launch.input(2));
  if (!shifts) return shifts.status();
  auto result = launch.allocate(x.dtype(), x.shape());
  if (!result) return result.status();
  for (unsigned wrapped = 0; wrapped < 1u << x.shape().rank(); ++wrapped)
    copy_rolled_block(launch, *result, x, *shifts, wrapped);
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Status compute_reverse_sequence(Launch& launch, const cpu::SequenceAxes& axes) {
  const auto& in = launch.input(0);
  const auto& shape = in.shape();
  const auto& lengths = launch.input(1);
  if (auto status = cpu::check_sequences(lengths, shape, axes); !status.ok()) return status;
  auto result = launch.allocate(in.dtype(), shape);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "a copy");
  auto wide = *to_ints(lengths);
  auto on_card = launch.device().copy_in(
      Tensor::of<int64_t>({std::ssize(wide)}, std::span<const int64_t>(wide)));
  if (!on_card) return on_card.status();
  AxisStrides strides(shape);
  auto sequence = static_cast<int>(axes.sequence), batch = static_cast<int>(axes.batch);
  launch_reverse_sequence(
      {.to = result->mutable_raw(),
       .from = in.raw(),
       .size = static_cast<int>(size_of(in.dtype())),
       .lengths = static_cast<const int64_t*>(on_card->raw()),
       .sequences =
           {.size = shape[sequence],
            .stride = strides.at[sequence],
            .batch_size = shape[batch],
            .batch_stride = strides.at[batch]},
       .elements = result->elements(),
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a copy");
}

MirroredAxes mirrored_axes(
    const Shape& inner, const Shape& padded, const cpu::Paddings& paddings, bool repeats_ends) {
  MirroredAxes axes{.rank = inner.rank(), .repeat = repeats_ends ? 1 : 0};
  for (int axis = 0; axis < inner.rank(); ++axis) {
    axes.inner[axis] = inner[axis];
    axes.before[axis] = paddings.before(axis);
    axes.padded[axis] = padded[axis];
  }
  return axes;
}

Status compute_mirror_pad(Launch& launch, bool repeats_ends) {
  const auto& in = launch.input(0);
  auto paddings = cpu::Paddings::of(launch.input(1), in.shape().rank());
  if (!paddings) return paddings.status();
  auto padded = cpu::padded_shape(in.shape(), *paddings);
  if (!padded) return padded.status();
  auto status = cpu::check_mirror(in.shape(), *paddings, repeats_ends);
  if (!status.ok()) return status;
  auto result = launch.allocate(in.dtype(), *padded);
  if (!result) return result.status();
  if (result->elements() > 0)
    launch_mirror(
        {.to = result->mutable_raw(),
         .from = in.raw(),
         .size = static_cast<int>(size_of(in.dtype())),
         .axes = mirrored_axes(in.shape(), *padded, *paddings, repeats_ends),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Status compute_mirror_pad_grad(Launch& launch, LaunchImageSums function, bool repeats_ends) {
  const auto& in = launch.input(0);
  auto paddings = cpu::Paddings::of(launch.input(1), in.shape().rank());
  if (!paddings) return paddings.status();
  auto inner = cpu::mirrored_shape(in.shape(), *paddings, repeats_ends);
  if (!inner) return inner.status();
  auto result = launch.allocate(in.dtype(), *inner);
  if (!result) return result.status();
  if (result->elements() > 0)
    function(
        {.to = result->mutable_raw(),
         .from = in.raw(),
         .size = static_cast<int>(size_of(in.dtype())),
         .axes = mirrored_axes(*inner, in.shape(), *paddings, repeats_ends),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "sums of images");
}

bool repeats_ends(const Node& node) { return node.attr<std::string>("mode") == "SYMMETRIC"; }

}  // namespace

void add_reordering_kernels(KernelCatalog& catalog) {
  catalog.add("Roll", copying(compute_roll));
  catalog.add("MirrorPad", [](const Node& node) {
    auto compute = [repeats = repeats_ends(node)](Launch& launch) {
      return compute_mirror_pad(launch, repeats);
    };
    return copying_kernel(node.attr<DType>("T"), compute);
  });
  catalog.add("MirrorPadGrad", [](const Node& node) -> Result<Kernel> {
    auto function = find_image_sums(element_of(node.attr<DType>("T")));
    if (!function) return no_kernel(node.attr<DType>("T"));
    return Kernel{.compute = [function, repeats = repeats_ends(node)](Launch& launch) {
      return compute_mirror_pad_grad(launch, function, repeats);
    }};
  });
}

void add_sequence_kernels(KernelCatalog& catalog) {
  catalog.add("ReverseSequence", [](const Node& node) {
    cpu::SequenceAxes axes = {node.attr<int64_t>("seq_dim"), node.attr<int64_t>("batch_dim")};
    auto compute = [axes](Launch& launch) { return compute_reverse_sequence(launch, axes); };
    return copying_kernel(node.attr<DType>("T"), compute);
  });
}

}  // namespace troupe::cuda
