#include <array>
#include <string>
#include <utility>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/sequences.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

template <class C>
Status compute_reverse(Launch& launch) {
  const auto shape = launch.input(0).shape();
  if (launch.input(1).shape().rank() != 1)
    return invalid_argument(
        "'axis' must have rank 1, but has shape " + launch.input(1).shape().to_string());
  auto given = IntInput::of(launch.input(1));
  if (!given) return given.status();
  std::array<bool, Shape::max_rank> is_reversed{};
  for (auto each : given->values()) {
    auto axis = find_axis(each, shape.rank());
    if (!axis) return axis.status();
    if (std::exchange(is_reversed[*axis], true))
      return invalid_argument("axis " + std::to_string(*axis) + " is given twice");
  }
  auto strides = strides_of(shape);
  LoopNest<1> nest;
  int64_t first = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    nest.add_axis(shape[axis], {is_reversed[axis] ? -strides[axis] : strides[axis]});
    if (is_reversed[axis]) first += (shape[axis] - 1) * strides[axis];
  }
  return set_copy<C>(launch, shape, nest, first);
}

template <class C, class I>
Status compute_reverse_sequence(Launch& launch, const SequenceAxes& axes) {
  const auto& in = launch.input(0);
  const auto& shape = in.shape();
  auto status = check_sequences(launch.input(1), shape, axes);
  if (!status.ok()) return status;
  auto out = launch.allocate(in.dtype(), shape);
  if (!out) return out.status();
  auto strides = strides_of(shape);
  auto seq = static_cast<int>(axes.sequence), batch = static_cast<int>(axes.batch);
  // Rows of elements that stay together.
  auto row_size = std::min(strides[seq], strides[batch]);
  const auto* lengths = launch.input(1).data<I>();
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  auto rows = out->elements() == 0 ? 0 : out->elements() / row_size;
  parallel_ranges(rows, row_size, [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row) {
      auto first = row * row_size;
      auto at = first / strides[seq] % shape[seq];
      auto length = static_cast<int64_t>(lengths[first / strides[batch] % shape[batch]]);
      auto source = at < length ? first + (length - 1 - 2 * at) * strides[seq] : first;
      std::copy_n(from + source, row_size, to + first);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

Status check_sequences(const Tensor& lengths, const Shape& shape, const SequenceAxes& axes) {
  for (auto axis : {axes.sequence, axes.batch})
    if (axis >= shape.rank())
      return invalid_argument(
          "'seq_dim' and 'batch_dim' must be axes of " + shape.to_string() + ", but one is " +
          std::to_string(axis));
  auto count = shape[static_cast<int>(axes.batch)], size = shape[static_cast<int>(axes.sequence)];
  if (lengths.shape() != Shape{count})
    return invalid_argument(
        "'seq_lengths' must have a length for each of the " + std::to_string(count) +
        " sequences, but have shape " + lengths.shape().to_string());
  auto given = to_ints(lengths);
  CHECK(given);
  for (auto length : *given)
    if (length < 0 || length > size)
      return invalid_argument(
          "'seq_lengths' must lie in [0, " + std::to_string(size) + "], but one is " +
          std::to_string(length));
  return {};
}

void add_reversal_kernels(KernelCatalog& catalog) {
  catalog.add("ReverseV2", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_reverse<decltype(cell)>};
    });
  });
  catalog.add("ReverseSequence", [](const Node& node) {
    SequenceAxes axes = {node.attr<int64_t>("seq_dim"), node.attr<int64_t>("batch_dim")};
    auto is_long = node.attr<DType>("Tlen") == DType::int64;
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      return Kernel{.compute = [axes, is_long](Launch& launch) {
        return is_long ? compute_reverse_sequence<C, int64_t>(launch, axes)
                       : compute_reverse_sequence<C, int32_t>(launch, axes);
      }};
    });
  });
}

}  // namespace troupe::cpu
