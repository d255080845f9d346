#include <algorithm>
#include <string>
#include <unordered_map>

#include <tbb/task_arena.h>

#include "troupe/devices/cpu/nn/convolution/convolution.hpp"
#include "troupe/devices/cpu/nn/convolution/filter_copies.hpp"
#include "troupe/devices/cpu/nn/convolution/layouts.hpp"
#include "troupe/devices/cpu/nn/convolution/parts.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using dnnl::memory;
using Pass = ConvolutionPass;

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

Status failed(const dnnl::error& error) {
  return resource_exhausted(std::string("oneDNN could not convolve: ") + error.what());
}

/// One launch. All parts have the filter, or its gradient, in one layout.
class DnnlConvolution {
 public:
  DnnlConvolution(
      const Launch& launch, const Convolution& whole, Pass pass, const ConvolutionData<float>& data)
      : launch_(launch),
        pass_(pass),
        data_(data),
        parts_(split_convolution(whole, pass, tbb::this_task_arena::max_concurrency())),
        given_filter_(ConvolutionLayouts::given(whole).filter) {}

  Status run() {
    const auto& first = parts_.front().convolution;
    filter_ = choose_layouts(first, pass_, ConvolutionLayouts::given(first), false).layouts.filter;
    if (pass_ == Pass::filter) return run_filter_pass();
    if (filter_ == given_filter_) return run_parts();
    auto filter =
        filter_in_layout(launch_, {given_filter_, data_.filter, data_.filter_tensor}, filter_);
    if (!filter) return filter.status();
    data_.filter = static_cast<const float*>(filter->raw());
    return run_parts();
  }

 private:
  Status run_filter_pass() {
    auto* result = data_.result;
    auto is_whole = parts_.size() == 1 && filter_ == given_filter_;
    if (is_whole) return run_parts();
    auto count = static_cast<int64_t>(parts_.size());
    sum_elements_ = static_cast<int64_t>(filter_.get_size() / sizeof(float));
    auto sums = launch_.allocate(DType::float32, {count, sum_elements_});
    if (!sums) return sums.status();
    data_.result = sums->mutable_data<float>();
    if (auto status = run_parts(); !status.ok()) return status;
    parallel_ranges(sum_elements_, count, [&](int64_t begin, int64_t end) {
      for (int64_t part = 1; part < count; ++part) {
        const auto* sum = data_.result + part * sum_elements_;
        for (auto i = begin; i < end; ++i) data_.result[i] += sum[i];
      }
    });
    copy_filter(filter_, data_.result, given_filter_, result);
    return {};
  }

  Status run_parts() const {
    auto count = static_cast<int64_t>(parts_.size());
    if (count == 1) return run_part(0);
    std::vector<Status> statuses(parts_.size());
    split_ranges(count, 1, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i) statuses[static_cast<size_t>(i)] = run_part(i);
    });
    for (auto& status : statuses)
      if (!status.ok()) return status;
    return {};
  }

  Status run_part(int64_t index) const {
    const auto& part = parts_[static_cast<size_t>(index)];
    auto data = data_;
    if (data.input) data.input += part.input;
    if (data.output) data.output += part.output;
    data.result += pass_ == Pass::output  ? part.output
                   : pass_ == Pass::input ? part.input
                                          : index * sum_elements_;
    try {
      return convolve(part.convolution, data);
    } catch (const dnnl::error& error) {
      return failed(error);
    }
  }

  Status convolve(const Convolution& c, const ConvolutionData<float>& data) const {
    use_one_thread_of_dnnl();
    auto given = ConvolutionLayouts::given(c);
    given.filter = filter_;
    auto chosen = choose_layouts(c, pass_, given, true);
    ConvolutionOperands operands(launch_);
    auto add = [&](Pass of, int argument, int gradient, const memory::desc& from,
                   const memory::desc& to, const float* elements) {
      if (pass_ == of) return operands.add_result(gradient, from, to, data.result);
      return operands.add_input(argument, from, to, elements);
    };
    auto result = pass_ == Pass::output ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST;
    auto status = operands.add_scratchpad(chosen.scratchpad);
    if (status.ok())
      status =
          add(Pass::input, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, given.input, chosen.layouts.input,
              data.input);
    if (status.ok())
      status =
          add(Pass::filter, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS, filter_, filter_, data.filter);
    if (status.ok())
      status =
          add(Pass::output, DNNL_ARG_DIFF_DST, result, given.output, chosen.layouts.output,
              data.output);
    if (status.ok()) operands.run(chosen.primitive);
    return status;
  }

  const Launch& launch_;
  const Pass pass_;
  ConvolutionData<float> data_;
  const std::vector<ConvolutionPart> parts_;
  const memory::desc given_filter_;
  memory::desc filter_;       // the layout that all parts have it in
  int64_t sum_elements_ = 0;  // of a part's gradient of the filter
};

}  // namespace

Status convolve_by_dnnl(
    const Launch& launch, const Convolution& c, Pass pass, const ConvolutionData<float>& data) {
  try {
    return DnnlConvolution(launch, c, pass, data).run();
  } catch (const dnnl::error& error) {
    return failed(error);
  }
}

}  // namespace troupe::cpu
