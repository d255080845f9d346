#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include <omp.h>
#include <tbb/task_arena.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "troupe/devices/cpu/nn/convolution.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using dnnl::memory;
using Pass = ConvolutionPass;

const dnnl::engine& dnnl_cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

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

struct ConvolutionDescs {
  memory::desc input, filter, output;
};

/// A way to compute a pass, and the layouts that it has its operands in.
struct ChosenConvolution {
  dnnl::primitive primitive;
  ConvolutionDescs descs;
  memory::desc scratchpad;
  bool is_slow = false;
};

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

ChosenConvolution choose(const Convolution& c, Pass pass, const ConvolutionDescs& d) {
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

/// The operands as they are given, with the filter in any layout or, if it was copied already, in
/// that one. The images stay in their layout where that is fast: with channels last. Else blocks of
/// channels are worth two copies.
ChosenConvolution choose_layouts(
    const Convolution& c, Pass pass, const ConvolutionDescs& given, bool filter_is_copy) {
  auto filter = filter_is_copy ? given.filter : in_any_layout(given.filter);
  ConvolutionDescs plain{given.input, filter, given.output};
  ConvolutionDescs any{in_any_layout(given.input), filter, in_any_layout(given.output)};
  auto chosen = choose(c, pass, c.channels_first ? any : plain);
  if (!chosen.is_slow) return chosen;
  auto other = choose(c, pass, c.channels_first ? plain : any);
  return other.is_slow ? chosen : other;
}

/// The operands of one part, in the layouts that were chosen, and the memory that copies take.
class ConvolutionOperands {
 public:
  explicit ConvolutionOperands(const Launch& launch) : launch_(launch), stream_(dnnl_cpu()) {}

  Status add_scratchpad(const memory::desc& desc) { return add_copy(DNNL_ARG_SCRATCHPAD, desc); }
  Status add_input(
      int argument, const memory::desc& given, const memory::desc& chosen, const float* data) {
    memory from(given, dnnl_cpu(), const_cast<float*>(data));
    if (given == chosen) {
      arguments_.emplace(argument, from);
      return {};
    }
    auto status = add_copy(argument, chosen);
    if (status.ok()) copy(from, arguments_.at(argument));
    return status;
  }
  Status add_result(
      int argument, const memory::desc& given, const memory::desc& chosen, float* data) {
    result_ = memory(given, dnnl_cpu(), data);
    result_argument_ = argument;
    if (given != chosen) return add_copy(argument, chosen);
    arguments_.emplace(argument, result_);
    return {};
  }
  void run(const dnnl::primitive& primitive) {
    primitive.execute(stream_, arguments_);
    auto& computed = arguments_.at(result_argument_);
    if (computed.get_data_handle() != result_.get_data_handle()) copy(computed, result_);
    stream_.wait();
  }

 private:
  Status add_copy(int argument, const memory::desc& desc) {
    auto bytes = static_cast<int64_t>(desc.get_size());
    auto tensor = launch_.allocate(DType::uint8, {std::max<int64_t>(1, bytes)});
    if (!tensor) return tensor.status();
    arguments_.emplace(argument, memory(desc, dnnl_cpu(), tensor->mutable_raw()));
    copies_.push_back(*std::move(tensor));
    return {};
  }
  void copy(memory& from, memory& to) { dnnl::reorder(from, to).execute(stream_, from, to); }

  const Launch& launch_;
  dnnl::stream stream_;
  std::unordered_map<int, memory> arguments_;
  memory result_;
  int result_argument_ = 0;
  Tensors copies_;
};

void use_one_thread_of_dnnl() {
  thread_local const bool once = (omp_set_num_threads(1), true);
  static_cast<void>(once);
}

/// A filter that was copied into the layout that its passes are computed in.
struct CopiedFilter {
  memory::desc desc;
  Tensor copy;
};

/// How many elements of the first axis a layout keeps together.
int64_t block_of_first_axis(const memory::desc& desc) {
  const auto& layout = desc.data.format_desc.blocking;
  int64_t block = 1;
  for (int i = 0; i < layout.inner_nblks; ++i)
    if (layout.inner_idxs[i] == 0) block *= layout.inner_blks[i];
  return block;
}

/// Copies a filter for all parts of a batch, on several threads; unset where none need a copy.
/// Without it each part would make a copy, which of few large filters takes as long as the rest.
Result<std::optional<CopiedFilter>> copy_filter(
    const Launch& launch, const Convolution& part, Pass pass, const float* filter) {
  auto given = filter_desc(part);
  auto chosen = choose_layouts(
                    part, pass,
                    {image_desc(part, part.in_channels(), part.in), given,
                     image_desc(part, part.out_channels(), part.out)},
                    false)
                    .descs.filter;
  if (chosen == given) return std::optional<CopiedFilter>();
  auto copy = launch.allocate(DType::uint8, {static_cast<int64_t>(chosen.get_size())});
  if (!copy) return copy.status();
  auto* to = copy->mutable_raw();
  auto dims = given.dims();
  auto block = 4 * block_of_first_axis(chosen);
  split_ranges((dims[0] - 1) / block + 1, 1, [&](int64_t begin, int64_t end) {
    use_one_thread_of_dnnl();
    auto size = dims, offsets = memory::dims(dims.size());
    offsets[0] = begin * block;
    size[0] = std::min(end * block, dims[0]) - offsets[0];
    memory from(given.submemory_desc(size, offsets), dnnl_cpu(), const_cast<float*>(filter));
    memory into(chosen.submemory_desc(size, offsets), dnnl_cpu(), to);
    dnnl::stream stream(dnnl_cpu());
    dnnl::reorder(from, into).execute(stream, from, into);
    stream.wait();
  });
  return std::optional(CopiedFilter{chosen, *std::move(copy)});
}

Status convolve_part(
    const Launch& launch, const Convolution& c, Pass pass, ConvolutionData<float> data,
    const std::optional<CopiedFilter>& filter) {
  use_one_thread_of_dnnl();
  ConvolutionDescs given{
      image_desc(c, c.in_channels(), c.in), filter ? filter->desc : filter_desc(c),
      image_desc(c, c.out_channels(), c.out)};
  if (filter) data.filter = static_cast<const float*>(filter->copy.raw());
  auto chosen = choose_layouts(c, pass, given, filter.has_value());
  ConvolutionOperands operands(launch);
  auto add = [&](Pass of, int argument, int gradient, const memory::desc& from,
                 const memory::desc& to, const float* from_data) {
    if (pass == of) return operands.add_result(gradient, from, to, data.result);
    return operands.add_input(argument, from, to, from_data);
  };
  auto is_forward = pass == Pass::output;
  auto status = operands.add_scratchpad(chosen.scratchpad);
  if (status.ok())
    status = add(
        Pass::input, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, given.input, chosen.descs.input, data.input);
  if (status.ok())
    status =
        add(Pass::filter, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS, given.filter,
            chosen.descs.filter, data.filter);
  if (status.ok())
    status =
        add(Pass::output, DNNL_ARG_DIFF_DST, is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST,
            given.output, chosen.descs.output, data.output);
  if (status.ok()) operands.run(chosen.primitive);
  return status;
}

/// Images [begin, end) of a batch; for the filter, to a partial sum of its own.
struct ConvolutionParts {
  const Convolution& whole;
  Pass pass;
  const ConvolutionData<float>& data;
  float* partial_sums;  // of all parts but the first
  int64_t count;
  std::optional<CopiedFilter> filter = {};

  Convolution part_of(int64_t begin, int64_t end) const {
    auto c = whole;
    c.batch = end - begin;
    return c;
  }

  Status run(const Launch& launch, int64_t part) const {
    auto begin = whole.batch * part / count, end = whole.batch * (part + 1) / count;
    auto c = part_of(begin, end);
    auto mine = data;
    auto in = begin * c.in_channels() * c.in_positions();
    auto out = begin * c.out_channels() * c.out_positions();
    if (mine.input) mine.input += in;
    if (mine.output) mine.output += out;
    if (pass == Pass::output) mine.result += out;
    else if (pass == Pass::input) mine.result += in;
    else if (part > 0) mine.result = partial_sums + (part - 1) * c.filter_elements();
    try {
      return convolve_part(launch, c, pass, mine, filter);
    } catch (const dnnl::error& error) {
      return failed(error);
    }
  }

  /// Copies the filter for all parts.
  Status share_filter(const Launch& launch) {
    try {
      auto copied =
          copy_filter(launch, part_of(0, (whole.batch - 1) / count + 1), pass, data.filter);
      if (copied) filter = *std::move(copied);
      return copied.status();
    } catch (const dnnl::error& error) {
      return failed(error);
    }
  }

  static Status failed(const dnnl::error& error) {
    return resource_exhausted(std::string("oneDNN could not convolve: ") + error.what());
  }
};

}  // namespace

Status convolve_by_dnnl(
    const Launch& launch, const Convolution& c, Pass pass, const ConvolutionData<float>& data) {
  constexpr double split_flops = 2e6;
  auto threads = int64_t(tbb::this_task_arena::max_concurrency());
  auto count = c.flops() < split_flops ? 1 : std::min(threads, c.batch);
  Result<Tensor> sums = Tensor();
  ConvolutionParts parts{c, pass, data, nullptr, count};
  auto size = c.filter_elements();
  if (pass == Pass::filter && count > 1) {
    sums = launch.allocate(DType::float32, {count - 1, size});
    if (!sums) return sums.status();
    parts.partial_sums = sums->mutable_data<float>();
  }
  if (pass != Pass::filter && count > 1)
    if (auto status = parts.share_filter(launch); !status.ok()) return status;
  std::vector<Status> statuses(static_cast<size_t>(count));
  auto run = [&](int64_t begin, int64_t end) {
    for (auto part = begin; part < end; ++part)
      statuses[static_cast<size_t>(part)] = parts.run(launch, part);
  };
  if (count == 1) run(0, 1);
  else split_ranges(count, 1, run);
  for (auto& status : statuses)
    if (!status.ok()) return status;
  for (int64_t part = 0; parts.partial_sums && part + 1 < count; ++part)
    for (int64_t i = 0; i < size; ++i) data.result[i] += parts.partial_sums[part * size + i];
  return {};
}

}  // namespace troupe::cpu
