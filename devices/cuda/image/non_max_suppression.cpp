#include "troupe/devices/cuda/image/non_max_suppression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "troupe/devices/cpu/image/non_max_suppression.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/image/soft_suppression.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {
namespace {

struct SuppressionKernel {
  cpu::SuppressionOp op;
  DType dtype;
  LaunchSuppression function;
  LaunchSoftSuppression soft_function;
  LaunchSelectedScores scores_function;
};

/// What is selected, in the order of the boxes' scores, and how many.
struct Selection {
  Tensor indices, scores, found;

  /// `scores` only where the op gives them.
  static Result<Selection> allocate(
      const Launch& launch, const SuppressionKernel& kernel, int64_t most) {
    auto indices = launch.allocate(DType::int32, {most});
    auto scores = launch.allocate(kernel.dtype, {kernel.op.has_sigma ? most : 0});
    auto found = launch.allocate(DType::int32, {});
    for (const auto* tensor : {&indices, &scores, &found})
      if (!*tensor) return tensor->status();
    return Selection{*std::move(indices), *std::move(scores), *std::move(found)};
  }
};

/// As CPUs take what is nearer to 0 than normal numbers.
float flushed(float number) {
  return std::abs(number) < std::numeric_limits<float>::min() ? 0 : number;
}

/// Memory of a call, beyond what it gives.
Result<Tensors> allocate_memory(const Launch& launch, SuppressionCall& call) {
  auto rows = std::min(call.count, suppression_chunk);
  auto corners = call.has_overlaps ? 0 : 16;
  Tensors memory;
  for (auto bytes :
       {int64_t{sizeof(int32_t)}, corners * call.count, corners * call.most, suppression_chunk,
        8 * suppression_words * rows}) {
    auto tensor = scratch(launch, static_cast<size_t>(bytes));
    if (!tensor) return tensor.status();
    memory.push_back(*std::move(tensor));
  }
  for (size_t i : {0, 3})
    if (auto status = set_zeros(launch, memory[i]); !status.ok()) return status;
  call.candidates = out<int32_t>(memory[0]);
  call.ranked = out<float>(memory[1]);
  call.chosen = out<float>(memory[2]);
  call.removed = out<uint8_t>(memory[3]);
  call.removes = out<uint64_t>(memory[4]);
  return memory;
}

Status put_hard_selection(
    const Launch& launch, const SuppressionKernel& kernel, const cpu::SuppressionLimits& limits,
    Selection& selection) {
  auto sorted = sort_numbers(launch, launch.input(1));
  if (!sorted) return sorted.status();
  SuppressionCall call{
      .selected = out<int32_t>(selection.indices),
      .found = out<int32_t>(selection.found),
      .boxes = launch.input(0).raw(),
      .has_overlaps = kernel.op.has_overlaps,
      .scores = launch.input(1).raw(),
      .order = static_cast<const int32_t*>(sorted->places.raw()),
      .count = limits.count,
      .most = std::min(limits.most, limits.count),
      .threshold = flushed(limits.threshold),
      .score_threshold = flushed(limits.score_threshold),
      .candidates = nullptr,
      .ranked = nullptr,
      .chosen = nullptr,
      .removed = nullptr,
      .removes = nullptr,
      .stream = stream_of(launch)};
  auto memory = allocate_memory(launch, call);
  if (!memory) return memory.status();
  kernel.function(call);
  if (kernel.op.has_sigma)
    kernel.scores_function(
        {.to = selection.scores.mutable_raw(),
         .scores = call.scores,
         .selected = call.selected,
         .found = call.found,
         .most = call.most,
         .stream = call.stream});
  return launched("a suppression");
}

Status put_soft_selection(
    const Launch& launch, const SuppressionKernel& kernel, const cpu::SuppressionLimits& limits,
    Selection& selection) {
  auto most = std::min(limits.most, limits.count);
  auto current = scratch(launch, static_cast<size_t>(limits.count) * sizeof(float)),
       compared = scratch(launch, static_cast<size_t>(limits.count) * sizeof(int32_t)),
       chosen = scratch(launch, static_cast<size_t>(most) * 4 * sizeof(float));
  for (const auto* tensor : {&current, &compared, &chosen})
    if (!*tensor) return tensor->status();
  kernel.soft_function(
      {.selected = out<int32_t>(selection.indices),
       .selected_scores = selection.scores.mutable_raw(),
       .found = out<int32_t>(selection.found),
       .boxes = launch.input(0).raw(),
       .scores = launch.input(1).raw(),
       .count = limits.count,
       .most = most,
       .threshold = flushed(limits.threshold),
       .score_threshold = flushed(limits.score_threshold),
       .scale = -0.5f / limits.sigma,
       .current = out<float>(*current),
       .compared = out<int32_t>(*compared),
       .chosen = out<float>(*chosen),
       .stream = stream_of(launch)});
  return launched("a soft suppression");
}

/// Puts the selection on the stream.
Status put_selection(
    const Launch& launch, const SuppressionKernel& kernel, const cpu::SuppressionLimits& limits,
    Selection& selection) {
  if (auto status = set_zeros(launch, selection.found); !status.ok()) return status;
  if (std::min(limits.most, limits.count) == 0) return {};
  auto put = flushed(limits.sigma) > 0 ? put_soft_selection : put_hard_selection;
  return put(launch, kernel, limits, selection);
}

void set_selection(Launch& launch, const cpu::SuppressionOp& op, const Selection& selection) {
  int output = 0;
  launch.set(output++, selection.indices);
  if (op.has_sigma) launch.set(output++, selection.scores);
  if (op.has_valid_outputs) launch.set(output, selection.found);
}

/// What is selected is padded with zeros: nothing is to be known of the card.
Status compute_padded(Launch& launch, const SuppressionKernel& kernel) {
  auto limits = cpu::SuppressionLimits::of(launch, kernel.op);
  if (!limits) return limits.status();
  auto selection = Selection::allocate(launch, kernel, limits->most);
  if (!selection) return selection.status();
  auto status = set_zeros(launch, selection->indices);
  if (status.ok()) status = set_zeros(launch, selection->scores);
  if (status.ok()) status = put_selection(launch, kernel, *limits, *selection);
  if (status.ok()) set_selection(launch, kernel.op, *selection);
  return status;
}

/// The first elements of a vector.
Result<Tensor> copy_first(const Launch& launch, const Tensor& of, int64_t count) {
  auto copy = launch.allocate(of.dtype(), {std::min(count, of.elements())});
  if (!copy || copy->elements() == 0) return copy;
  auto error = cudaMemcpyAsync(
      copy->mutable_raw(), of.raw(), copy->bytes(), cudaMemcpyDeviceToDevice, stream_of(launch));
  if (auto status = to_status(error, "a copy"); !status.ok()) return status;
  return copy;
}

/// Sets the outputs where so many boxes are selected.
Status set_selected(
    Launch& launch, const cpu::SuppressionOp& op, const Selection& selection, int64_t count) {
  auto indices = copy_first(launch, selection.indices, count),
       scores = copy_first(launch, selection.scores, count);
  if (!indices || !scores) return indices ? scores.status() : indices.status();
  set_selection(launch, op, {*indices, *scores, selection.found});
  return {};
}

void start_suppression(Launch& launch, const SuppressionKernel& kernel, const Kernel::Done& done) {
  auto limits = cpu::SuppressionLimits::of(launch, kernel.op);
  if (!limits) return done(limits.status());
  auto selection = Selection::allocate(launch, kernel, std::min(limits->most, limits->count));
  if (!selection) return done(selection.status());
  auto status = put_selection(launch, kernel, *limits, *selection);
  if (!status.ok()) return done(status);
  when_known(
      launch, selection->found, done,
      [&launch, op = kernel.op, selection = *selection](const Tensor& count) {
        return set_selected(launch, op, selection, count.value<int32_t>());
      });
}

KernelCatalog::Make suppression(const cpu::SuppressionOp& op) {
  return [op](const Node& node) -> Result<Kernel> {
    auto dtype = node.attrs.contains("T") ? node.attr<DType>("T") : DType::float32;
    auto element = element_of(dtype);
    SuppressionKernel kernel{
        op.of(node), dtype, find_suppression(element), find_soft_suppression(element),
        find_selected_scores(element)};
    if (!kernel.function) return no_kernel(dtype);
    if (kernel.op.pads)
      return Kernel{.compute = [kernel](Launch& launch) { return compute_padded(launch, kernel); }};
    return Kernel{
        .start = [kernel](
                     Launch& launch,
                     const Kernel::Done& done) { start_suppression(launch, kernel, done); },
        .awaits = "how many boxes the card selects"};
  };
}

}  // namespace

void add_suppression_kernels(KernelCatalog& catalog) {
  cpu::for_each_suppression_op([&catalog](const char* name, const cpu::SuppressionOp& op) {
    catalog.add(name, suppression(op));
  });
}

}  // namespace troupe::cuda
