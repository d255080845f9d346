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

bool has_room_to_keep(const Tensor& copy) {
  auto use = copy.allocator()->use();
  return use.limit_bytes == 0 || use.bytes_in_use <= use.limit_bytes / 2;
}

}  // namespace

Result<Tensor> filter_in_layout(
    const Launch& launch, const FilterElements& filter, const dnnl::memory::desc& layout) {
  auto kept = std::dynamic_pointer_cast<const FilterCopy>(
      filter.tensor ? filter.tensor->derived() : nullptr);
  auto is_again = kept && kept->layout == layout;
  if (is_again && kept->elements.is_set()) return kept->elements;
  auto bytes = static_cast<int64_t>(layout.get_size());
  auto copy = launch.allocate(DType::uint8, {std::max<int64_t>(1, bytes)});
  if (!copy) return copy;
  copy_filter(filter.layout, filter.elements, layout, copy->mutable_raw());
  if (filter.tensor && !(is_again && !has_room_to_keep(*copy)))
    filter.tensor->keep_derived(std::make_shared<FilterCopy>(layout, is_again ? *copy : Tensor()));
  return copy;
}

}  // namespace troupe::cpu
