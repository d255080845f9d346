#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "troupe/devices/cpu/nn/convolution/convolution.hpp"

namespace troupe::cpu {

const dnnl::engine& dnnl_cpu();

/// Calls of oneDNN by this thread use no other threads: kernels divide their work themselves.
void use_one_thread_of_dnnl();

/// How the operands of a pass lie in memory.
struct ConvolutionLayouts {
  dnnl::memory::desc input, filter, output;

  /// As tensors have them.
  static ConvolutionLayouts given(const Convolution& c);
};

/// A way to compute a pass, and the layouts that it has its operands in.
struct ChosenConvolution {
  dnnl::primitive primitive;
  ConvolutionLayouts layouts;
  dnnl::memory::desc scratchpad;
  bool is_slow = false;
};

/// The images as they are given, with the filter in any layout or, if `keeps_filter`, as it is
/// given, too. Images stay in their layout where that is fast: with channels last. Else blocks of
/// channels are worth two copies.
ChosenConvolution choose_layouts(
    const Convolution& c, ConvolutionPass pass, const ConvolutionLayouts& given, bool keeps_filter);

/// Copies a filter from one layout to another, on several threads.
void copy_filter(
    const dnnl::memory::desc& from, const void* data, const dnnl::memory::desc& to, void* copy);

}  // namespace troupe::cpu
