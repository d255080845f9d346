#include "troupe/devices/cuda/image/non_max_suppression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "troupe/devices/cpu/image/non_max_suppression.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {
namespace {

struct SuppressionKernel {
  cpu::SuppressionOp op;
  LaunchSuppression function;
};

/// As CPUs take what is nearer to 0 than normal numbers.
float flushed(float number) {
  return std::abs(number) < std::numeric_limits<float>::min() ? 0 : number;
}

/// Memory of a call, beyond what it gives.
Result<Tensors> allocate_memory(const Launch& launch, SuppressionCall& call) {
  auto rows = std::min(call.count, suppression_chunk);
  Tensors memory;
  for (auto bytes :
       {int64_t{sizeof(int32_t)}, 16 * call.count, 16 * call.most, suppression_chunk,
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

/// Puts the selection on the stream: of boxes into `selected`, and of their number into `found`.
Status put_selection(
    const Launch& launch, LaunchSuppression function, const cpu::SuppressionLimits& limits,
    Tensor& selected, Tensor& found) {
  if (auto status = set_zeros(launch, found); !status.ok()) return status;
  auto most = std::min(limits.most, limits.count);
  if (most == 0) return {};
  auto sorted = sort_numbers(launch, launch.input(1));
  if (!sorted) return sorted.status();
  SuppressionCall call{
      .selected = out<int32_t>(selected),
      .found = out<int32_t>(found),
      .boxes = launch.input(0).raw(),
      .scores = launch.input(1).raw(),
      .order = static_cast<const int32_t*>(sorted->places.raw()),
      .count = limits.count,
      .most = most,
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
  function(call);
  return launched("a suppression");
}

/// The indices are padded with zeros: nothing is to be known of the card.
Status compute_padded(Launch& launch, const SuppressionKernel& kernel) {
  auto limits = cpu::SuppressionLimits::of(launch, kernel.op);
  if (!limits) return limits.status();
  auto indices = launch.allocate(DType::int32, {limits->most});
  auto found = launch.allocate(DType::int32, {});
  if (!indices || !found) return indices ? found.status() : indices.status();
  auto status = set_zeros(launch, *indices);
  if (status.ok()) status = put_selection(launch, kernel.function, *limits, *indices, *found);
  if (!status.ok()) return status;
  launch.set(0, *std::move(indices));
  launch.set(1, *std::move(found));
  return {};
}

/// Sets the outputs where there are so many boxes in `selected`.
Status set_selected(
    Launch& launch, const cpu::SuppressionOp& op, const Tensor& selected, const Tensor& found,
    int64_t count) {
  auto indices = launch.allocate(DType::int32, {count});
  if (!indices) return indices.status();
  if (count > 0) {
    auto error = cudaMemcpyAsync(
        indices->mutable_raw(), selected.raw(), indices->bytes(), cudaMemcpyDeviceToDevice,
        stream_of(launch));
    if (auto status = to_status(error, "a copy"); !status.ok()) return status;
  }
  launch.set(0, *std::move(indices));
  if (op.has_valid_outputs) launch.set(1, found);
  return {};
}

void start_suppression(Launch& launch, const SuppressionKernel& kernel, const Kernel::Done& done) {
  auto limits = cpu::SuppressionLimits::of(launch, kernel.op);
  if (!limits) return done(limits.status());
  auto selected = launch.allocate(DType::int32, {std::min(limits->most, limits->count)});
  auto found = launch.allocate(DType::int32, {});
  if (!selected || !found) return done(selected ? found.status() : selected.status());
  auto status = put_selection(launch, kernel.function, *limits, *selected, *found);
  if (!status.ok()) return done(status);
  when_known(
      launch, *found, done,
      [&launch, op = kernel.op, selected = *selected, found = *found](const Tensor& count) {
        return set_selected(launch, op, selected, found, count.value<int32_t>());
      });
}

KernelCatalog::Make suppression(const cpu::SuppressionOp& op) {
  return [op](const Node& node) -> Result<Kernel> {
    auto dtype = node.attrs.contains("T") ? node.attr<DType>("T") : DType::float32;
    SuppressionKernel kernel{op.of(node), find_suppression(element_of(dtype))};
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
    // Soft suppressions depend on the last digits of exponentials, and TensorFlow has none of
    // matrices for GPUs either.
    if (!op.has_overlaps && !op.has_sigma) catalog.add(name, suppression(op));
  });
}

}  // namespace troupe::cuda
