#include "troupe/devices/cpu/queue/batch.hpp"

#include <algorithm>

#include "troupe/devices/cpu/array/copying.hpp"

namespace troupe::cpu {
namespace {

bool is_lent(const Tensor& tensor) {
  return is_plain(tensor.dtype()) && (!tensor.allocator() || tensor.allocator() == &lent_memory());
}

/// Of an element of the run, without the axis of a batch.
Shape element_shape(const QueueRun& run, size_t component) {
  const auto& shape = run.components[component].shape();
  if (!run.is_batch) return shape;
  return Shape(shape.sizes().subspan(1));
}

Result<Shape> with_rows(const Shape& element, int64_t count) {
  std::vector<int64_t> sizes = {count};
  sizes.insert(sizes.end(), element.sizes().begin(), element.sizes().end());
  return Shape::make(sizes);
}

Result<Tensor> copy_row(const Tensor& batch, int64_t row, Allocator& allocator) {
  auto copy = Tensor::allocate(batch.dtype(), Shape(batch.shape().sizes().subspan(1)), allocator);
  if (copy) copy_elements(*copy, 0, batch, row * copy->elements(), copy->elements());
  return copy;
}

/// The shape of the elements in a batch: sizes that the queue leaves open are the largest, or 0.
Shape padded_shape(const Shape& declared, const QueueRuns& runs, size_t component) {
  auto padded = declared;
  for (int axis = 0; axis < declared.rank(); ++axis) {
    if (declared[axis] != Shape::unknown) continue;
    padded.set(axis, 0);
    for (const auto& run : runs)
      padded.set(axis, std::max(padded[axis], element_shape(run, component)[axis]));
  }
  return padded;
}

/// Copies elements of that shape to rows that may be larger.
void copy_smaller(
    Tensor& batch, int64_t at, const QueueRun& run, size_t component, const Shape& element) {
  LoopNest<2> nest;
  int64_t to_stride = 1, from_stride = 1;
  for (int axis = element.rank() - 1; axis >= 0; --axis) {
    nest.add_axis(element[axis], {to_stride, from_stride});
    to_stride *= batch.shape()[axis + 1];
    from_stride *= element[axis];
  }
  nest.add_axis(run.count, {to_stride, from_stride});
  copy_nest(batch, at * to_stride, run.components[component], run.first * from_stride, nest);
}

void copy_rows(Tensor& batch, int64_t at, const QueueRun& run, size_t component, int64_t size) {
  copy_elements(batch, at * size, run.components[component], run.first * size, run.count * size);
}

Result<Tensor> component_of(
    const QueueSpec& spec, const QueueRuns& runs, size_t component, Allocator& allocator) {
  auto count = count_elements(runs);
  auto element = padded_shape(spec.shapes[component], runs, component);
  auto shape = with_rows(element, count);
  if (!shape) return shape.status();
  auto batch = Tensor::allocate(spec.dtypes[component], *shape, allocator);
  if (!batch) return batch;
  auto is_smaller = [&](const QueueRun& run) { return element_shape(run, component) != element; };
  if (std::ranges::any_of(runs, is_smaller)) set_zeros(*batch);
  int64_t at = 0;
  for (const auto& run : runs) {
    if (is_smaller(run)) copy_smaller(*batch, at, run, component, element_shape(run, component));
    else copy_rows(*batch, at, run, component, element.elements());
    at += run.count;
  }
  return batch;
}

}  // namespace

uint64_t lent_bytes(const Tensors& components) {
  uint64_t bytes = 0;
  for (const auto& component : components)
    if (is_lent(component)) bytes += component.bytes();
  return bytes;
}

Result<Tensors> in_kept_memory(Tensors components, Allocator& allocator) {
  for (auto& component : components) {
    if (!is_lent(component)) continue;
    auto copy = Tensor::allocate(component.dtype(), component.shape(), allocator);
    if (!copy) return copy.status();
    copy_all(*copy, component);
    component = *std::move(copy);
  }
  return components;
}

Result<Tensors> element_of(QueueRun run, Allocator& allocator) {
  if (!run.is_batch) return std::move(run.components);
  Tensors components;
  for (const auto& batch : run.components) {
    auto row = copy_row(batch, run.first, allocator);
    if (!row) return row.status();
    components.push_back(*std::move(row));
  }
  return components;
}

Result<Tensors> batch_of(const QueueSpec& spec, const QueueRuns& runs, Allocator& allocator) {
  // A whole batch comes out as it came in.
  if (runs.size() == 1 && runs[0].is_batch && runs[0].count == runs[0].components[0].shape()[0])
    return runs[0].components;
  Tensors components;
  for (size_t i = 0; i < spec.dtypes.size(); ++i) {
    auto component = component_of(spec, runs, i, allocator);
    if (!component) return component.status();
    components.push_back(*std::move(component));
  }
  return components;
}

Result<QueueRuns> split(const Tensors& batch, Allocator& allocator) {
  QueueRuns runs;
  for (auto rows = QueueRun::rows_of(batch); rows.count > 0;) {
    auto is_last = rows.count == 1;
    auto element = element_of(rows.take(1), allocator);
    if (!element) return element.status();
    runs.push_back({.components = *std::move(element)});
    if (is_last) break;
  }
  return runs;
}

}  // namespace troupe::cpu
