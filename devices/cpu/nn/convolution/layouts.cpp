#include "troupe/devices/cpu/nn/convolution/layouts.hpp"

#include <algorithm>
#include <string>

#include <omp.h>

#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using dnnl::memory;
using Pass = ConvolutionPass;

/// Sizes of the spatial axes alone, as oneDNN has them.
memory::dims spatial_dims(const Convolution& c, const Convolution::Sizes& sizes, int64_t less = 0) {
  memory::dims dims;
  for (auto i = static_cast<size_t>(3 - c.spatial); i < 3; ++i) dims.push_back(sizes[i] - less);
  return dims;
}

memory::desc image_desc(const Convolution& c, int64_t channels, const Convolution::Sizes& sizes) {
  memory::dims dims{c.batch, channels};
  for (auto size : spatial_dims(c, sizes)) dims.push_back(size);
  using Tag = memory::format_tag;
  auto tag = c.spatial == 2 ? (c.channels_first ? Tag::nchw : Tag::nhwc)
                            : (c.channels_first ? Tag::ncdhw : Tag::ndhwc);
  return {dims, memory::data_type::f32, tag};
}

/// Of a filter [spatial..., inputs, outputs of all groups].
memory::desc filter_desc(const Convolution& c) {
  memory::dims dims{c.outputs, c.inputs}, strides{1, c.out_channels()};
  auto kernel = spatial_dims(c, c.kernel);
  memory::dims steps(kernel.size());
  auto step = c.inputs * c.out_channels();
  for (auto i = kernel.size(); i-- > 0; step *= kernel[i]) steps[i] = step;
  dims.insert(dims.end(), kernel.begin(), kernel.end());
  strides.insert(strides.end(), steps.begin(), steps.end());
  if (c.groups > 1) {
    dims.insert(dims.begin(), c.groups);
    strides.insert(strides.begin(), c.outputs);
  }
  return {dims, memory::data_type::f32, strides};
}

memory::desc in_any_layout(const memory::desc& desc) {
  return {desc.dims(), memory::data_type::f32, memory::format_tag::any};
}

template <class Desc>
ChosenConvolution choice_of(const Desc& desc, int input, int filter, int output) {
  auto layout = [&](int argument) { return desc.query_md(dnnl::query::exec_arg_md, argument); };
  auto name = std::string(desc.impl_info_str());
  return {
      dnnl::primitive(desc),
      {layout(input), layout(filter), layout(output)},
      desc.scratchpad_desc(),
      name.starts_with("ref")};
}

ChosenConvolution choose(const Convolution& c, Pass pass, const ConvolutionLayouts& d) {
  constexpr auto algorithm = dnnl::algorithm::convolution_direct;
  auto strides = spatial_dims(c, c.strides), dilations = spatial_dims(c, c.dilations, 1);
  auto before = spatial_dims(c, c.before), after = spatial_dims(c, c.after);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  using Forward = dnnl::convolution_forward;
  Forward::primitive_desc forward(
      Forward::desc(
          dnnl::prop_kind::forward_training, algorithm, d.input, d.filter, d.output, strides,
          dilations, before, after),
      attr, dnnl_cpu());
  if (pass == Pass::output) return choice_of(forward, DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST);
  if (pass == Pass::input) {
    using ToInput = dnnl::convolution_backward_data;
    ToInput::primitive_desc desc(
        ToInput::desc(algorithm, d.input, d.filter, d.output, strides, dilations, before, after),
        attr, dnnl_cpu(), forward);
    return choice_of(desc, DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST);
  }
  using ToFilter = dnnl::convolution_backward_weights;
  ToFilter::primitive_desc desc(
      ToFilter::desc(algorithm, d.input, d.filter, d.output, strides, dilations, before, after),
      attr, dnnl_cpu(), forward);
  return choice_of(desc, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST);
}

/// How many elements of the first axis a layout keeps together.
int64_t block_of_first_axis(const memory::desc& desc) {
  const auto& layout = desc.data.format_desc.blocking;
  int64_t block = 1;
  for (int i = 0; i < layout.inner_nblks; ++i)
    if (layout.inner_idxs[i] == 0) block *= layout.inner_blks[i];
  return block;
}

}  // namespace

const dnnl::engine& dnnl_cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

void use_one_thread_of_dnnl() {
  thread_local const bool once = (omp_set_num_threads(1), true);
  static_cast<void>(once);
}

ConvolutionLayouts ConvolutionLayouts::given(const Convolution& c) {
  return {
      image_desc(c, c.in_channels(), c.in), filter_desc(c), image_desc(c, c.out_channels(), c.out)};
}

ChosenConvolution choose_layouts(
    const Convolution& c, Pass pass, const ConvolutionLayouts& given, bool keeps_filter) {
  auto filter = keeps_filter ? given.filter : in_any_layout(given.filter);
  ConvolutionLayouts plain{given.input, filter, given.output};
  ConvolutionLayouts any{in_any_layout(given.input), filter, in_any_layout(given.output)};
  auto chosen = choose(c, pass, c.channels_first ? any : plain);
  if (!chosen.is_slow) return chosen;
  auto other = choose(c, pass, c.channels_first ? plain : any);
  return other.is_slow ? chosen : other;
}

void copy_filter(const memory::desc& from, const void* data, const memory::desc& to, void* copy) {
  auto dims = from.dims();
  auto block = 4 * std::max(block_of_first_axis(from), block_of_first_axis(to));
  split_ranges((dims[0] - 1) / block + 1, 1, [&](int64_t begin, int64_t end) {
    use_one_thread_of_dnnl();
    auto size = dims, offsets = memory::dims(dims.size());
    offsets[0] = begin * block;
    size[0] = std::min(end * block, dims[0]) - offsets[0];
    memory part(from.submemory_desc(size, offsets), dnnl_cpu(), const_cast<void*>(data));
    memory into(to.submemory_desc(size, offsets), dnnl_cpu(), copy);
    dnnl::stream stream(dnnl_cpu());
    dnnl::reorder(part, into).execute(stream, part, into);
    stream.wait();
  });
}

}  // namespace troupe::cpu
