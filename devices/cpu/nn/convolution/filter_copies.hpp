#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// A convolution's filter: its elements and, where it is a tensor of its own, that tensor.
struct FilterElements {
  dnnl::memory::desc layout;
  const void* elements;
  const Tensor* tensor;
};

/// The elements in another layout. From the second time on that it is asked for, the copy is kept
/// with the tensor until its elements are written: a filter that is trained changes with each step,
/// but one that is used alone stays, and to copy it takes as long as to convolve a small image.
/// It lies in memory of the filter's own allocator, and is not kept where that is half full.
Result<Tensor> filter_in_layout(
    const Launch& launch, const FilterElements& filter, const dnnl::memory::desc& layout);

}  // namespace troupe::cpu
