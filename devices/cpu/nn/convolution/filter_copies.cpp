#include "troupe/devices/cpu/nn/convolution/filter_copies.hpp"

#include <algorithm>

#include "troupe/devices/cpu/nn/convolution/layouts.hpp"

namespace troupe::cpu {
namespace {

/// The layout in which a filter was used last and, if that was not the first time, the copy.
struct FilterCopy : DerivedData {
  FilterCopy(const dnnl::memory::desc& layout, Tensor elements)
      : layout(layout), elements(std::move(elements)) {}

  dnnl::memory::desc layout;
  Tensor elements;
};

/// Whether it has no limit, or half of it is free.
bool has_room(const Allocator& allocator) {
  auto use = allocator.use();
  return use.limit_bytes == 0 || use.bytes_in_use <= use.limit_bytes / 2;
}

/// Memory for a copy that is kept: of the allocator that the filter is of, so that it is there for
/// as long. Unset where there is none to spare.
Tensor allocate_beside(const Tensor& filter, const Shape& shape) {
  auto* allocator = filter.allocator();
  if (!allocator || allocator->kind() == MemoryKind::device || !has_room(*allocator)) return {};
  auto copy = Tensor::allocate(DType::uint8, shape, *allocator);
  return copy ? *std::move(copy) : Tensor();
}

}  // namespace

Result<Tensor> filter_in_layout(
    const Launch& launch, const FilterElements& filter, const dnnl::memory::desc& layout) {
  auto kept = std::dynamic_pointer_cast<const FilterCopy>(
      filter.tensor ? filter.tensor->derived() : nullptr);
  auto is_again = kept && kept->layout == layout;
  if (is_again && kept->elements.is_set()) return kept->elements;
  Shape shape{std::max<int64_t>(1, static_cast<int64_t>(layout.get_size()))};
  auto copy = is_again ? allocate_beside(*filter.tensor, shape) : Tensor();
  auto keeps = copy.is_set();
  if (!keeps) {
    auto allocated = launch.allocate(DType::uint8, shape);
    if (!allocated) return allocated;
    copy = *std::move(allocated);
  }
  copy_filter(filter.layout, filter.elements, layout, copy.mutable_raw());
  if (keeps) filter.tensor->keep_derived(std::make_shared<FilterCopy>(layout, copy));
  else if (filter.tensor && !is_again)
    filter.tensor->keep_derived(std::make_shared<FilterCopy>(layout, Tensor()));
  return copy;
}

}  // namespace troupe::cpu
