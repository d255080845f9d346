#include "troupe/devices/resources/queue/queue_run.hpp"

#include <algorithm>
#include <string>

namespace troupe {
namespace {

/// Of elements [first, first + count) of a tensor.
uint64_t bytes_of(const Tensor& tensor, int64_t first, int64_t count) {
  auto bytes = static_cast<uint64_t>(count) * size_of(tensor.dtype());
  if (tensor.dtype() != DType::string) return bytes;
  const auto* text = tensor.data<std::string>() + first;
  for (int64_t i = 0; i < count; ++i) bytes += text[i].size();
  return bytes;
}

}  // namespace

QueueRun QueueRun::take(int64_t most) {
  auto taken = std::min(most, count);
  if (taken == count) return std::move(*this);
  QueueRun front{
      .components = components,
      .is_batch = is_batch,
      .first = first,
      .count = taken,
      .position = position};
  first += taken;
  count -= taken;
  position += taken;
  return front;
}

uint64_t QueueRun::bytes() const {
  uint64_t bytes = 0;
  for (const auto& component : components) {
    auto row = is_batch ? component.elements() / component.shape()[0] : component.elements();
    bytes += bytes_of(component, first * row, count * row);
  }
  return bytes;
}

int64_t count_elements(const QueueRuns& runs) {
  int64_t count = 0;
  for (const auto& run : runs) count += run.count;
  return count;
}

}  // namespace troupe
