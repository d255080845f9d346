#include "troupe/devices/cpu/nn/convolution/convolution.hpp"

#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/linalg/product.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

using ops::Windows;

Result<Convolution> Convolution::make(
    const Windows& windows, const Shape& input, const Shape& filter, bool is_depthwise) {
  const auto& layout = windows.layout;
  auto filter_sizes = ops::FilterSizes::of(filter, input[layout.channel_axis()], is_depthwise);
  if (!filter_sizes) return filter_sizes.status();
  Convolution c{
      .batch = input[0],
      .groups = filter_sizes->groups,
      .inputs = filter_sizes->inputs,
      .outputs = filter_sizes->groups == 0 ? 0 : filter_sizes->outputs / filter_sizes->groups,
      .spatial = layout.spatial,
      .channels_first = layout.channels_first};
  for (int i = 0; i < layout.spatial; ++i) {
    auto axis = layout.spatial_axis(i);
    auto places = windows.place(axis, input[axis], filter[i]);
    if (!places) return places.status();
    auto to = static_cast<size_t>(i + 3 - layout.spatial), from = static_cast<size_t>(axis);
    c.in[to] = input[axis];
    c.out[to] = places->count;
    c.kernel[to] = filter[i];
    c.strides[to] = windows.strides[from];
    c.dilations[to] = windows.dilations[from];
    c.before[to] = places->before;
    c.after[to] = places->after;
  }
  return c;
}

Result<ConvolutionNode> ConvolutionNode::of(
    const Node& node, ConvolutionPass pass, bool is_depthwise) {
  auto has_paddings = node.op->find_attr("explicit_paddings") != nullptr;
  auto windows = Windows::make(ops::convolution_attrs(node, has_paddings));
  if (!windows) return windows.status();
  return ConvolutionNode{*windows, pass, is_depthwise};
}

Result<Shape> ConvolutionNode::operand_shape(const Launch& launch, int index) const {
  auto result = pass == ConvolutionPass::input ? 0 : pass == ConvolutionPass::filter ? 1 : -1;
  auto shape = index == result ? shape_input(launch.input(index))
                               : Result<Shape>(launch.input(index).shape());
  if (!shape || shape->rank() == windows.layout.rank()) return shape;
  return invalid_argument(
      std::string(index == 0 ? "the input" : "the filter") + " must have rank " +
      std::to_string(windows.layout.rank()) + ", but its shape is " + shape->to_string());
}

Result<ConvolutionNode::Plan> ConvolutionNode::over(const Launch& launch) const {
  auto input = operand_shape(launch, 0), filter = operand_shape(launch, 1);
  if (!input) return input.status();
  if (!filter) return filter.status();
  auto output = ops::convolved_shape(windows, *input, *filter, is_depthwise);
  if (!output) return output.status();
  if (pass != ConvolutionPass::output && launch.input(2).shape() != *output)
    return invalid_argument(
        "'out_backprop' must have the shape of the result, " + output->to_string() + ", but has " +
        launch.input(2).shape().to_string());
  auto c = Convolution::make(windows, *input, *filter, is_depthwise);
  if (!c) return c.status();
  auto is_forward = pass == ConvolutionPass::output;
  return Plan{*c, is_forward ? *output : pass == ConvolutionPass::input ? *input : *filter};
}

namespace {

using Pass = ConvolutionPass;

/// Numbers of windows that oneDNN surely computes with without overflow.
bool suits_dnnl(const Convolution& c) {
  // Below this its own overhead is the greater part.
  constexpr double small_flops = 3e4;
  constexpr int64_t most = 1 << 15;
  if (c.flops() < small_flops) return false;
  return std::ranges::max(
             {std::ranges::max(c.strides), std::ranges::max(c.dilations),
              std::ranges::max(c.before), std::ranges::max(c.after), std::ranges::max(c.kernel)}) <
         most;
}

/// Whether each place of the output depends on the same place of the input alone, and channels lie
/// together: a product of the positions' channels and the filter.
bool is_product(const Convolution& c) {
  return c.groups == 1 && c.taps() == 1 && !c.channels_first && c.in == c.out &&
         std::ranges::max(c.strides) == 1;
}

Product<float> product_of(const Convolution& c, Pass pass, const ConvolutionData<float>& data) {
  auto positions = c.batch * c.out_positions();
  Product<float> p{};
  p.out = data.result;
  if (pass == Pass::filter) {
    p.rows = c.inputs, p.inner = positions, p.columns = c.outputs;
    p.a = data.input, p.transpose_a = true, p.a_stride = c.inputs;
    p.b = data.output, p.b_stride = c.outputs;
  } else {
    auto is_forward = pass == Pass::output;
    p.rows = positions;
    p.inner = is_forward ? c.inputs : c.outputs;
    p.columns = is_forward ? c.outputs : c.inputs;
    p.a = is_forward ? data.input : data.output, p.a_stride = p.inner;
    p.b = data.filter, p.transpose_b = !is_forward, p.b_stride = c.outputs;
  }
  p.out_stride = p.columns;
  return p;
}

Status convolve(
    const Launch& launch, const Convolution& c, Pass pass, const ConvolutionData<float>& data) {
  if (is_product(c)) return multiply_matrices(product_of(c, pass, data));
  if (pass == Pass::input && suits_dnnl(c) && suits_added_products(c))
    return add_products_to_input(launch, c, data);
  if (suits_dnnl(c)) return convolve_by_dnnl(launch, c, pass, data);
  convolve_by_loops(c, pass, data);
  return {};
}

Status convolve(
    const Launch&, const Convolution& c, Pass pass, const ConvolutionData<double>& data) {
  convolve_by_loops(c, pass, data);
  return {};
}

/// 16-bit floats: by way of floats.
template <class T>
Status convolve(
    const Launch& launch, const Convolution& c, Pass pass, const ConvolutionData<T>& data) {
  const int64_t sizes[] = {
      c.batch * c.in_channels() * c.in_positions(), c.filter_elements(),
      c.batch * c.out_channels() * c.out_positions()};
  const T* narrow_data[] = {data.input, data.filter, data.output};
  float* wide[3];
  Tensor tensors[3];
  for (size_t i = 0; i < 3; ++i) {
    auto tensor = launch.allocate(DType::float32, {sizes[i]});
    if (!tensor) return tensor.status();
    tensors[i] = *std::move(tensor);
    wide[i] = tensors[i].mutable_data<float>();
    if (narrow_data[i]) widen(wide[i], narrow_data[i], sizes[i]);
  }
  auto result = pass == Pass::input ? 0 : pass == Pass::filter ? 1 : 2;
  auto status = convolve(
      launch, c, pass,
      ConvolutionData<float>{
          data.input ? wide[0] : nullptr, data.filter ? wide[1] : nullptr,
          data.output ? wide[2] : nullptr, wide[result]});
  if (status.ok()) narrow(data.result, wide[result], sizes[result]);
  return status;
}

template <class T>
Status compute_convolution(Launch& launch, const ConvolutionNode& node) {
  auto plan = node.over(launch);
  if (!plan) return plan.status();
  auto pass = node.pass;
  auto out = launch.allocate(dtype_of<T>(), plan->result);
  if (!out) return out.status();
  ConvolutionData<T> data{.result = out->template mutable_data<T>()};
  if (pass != Pass::input) data.input = launch.input(0).data<T>();
  if (pass != Pass::filter) {
    data.filter = launch.input(1).data<T>();
    data.filter_tensor = &launch.input(1);
  }
  if (pass != Pass::output) data.output = launch.input(2).data<T>();
  auto status = Status();
  if (plan->is_empty()) std::fill_n(data.result, out->elements(), T(0));
  else status = convolve(launch, plan->convolution, pass, data);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

/// As if of a filter with 9 taps for its gradient, whose input says its sizes only.
int64_t convolution_cost_ns(const Launch& launch, Pass pass) {
  constexpr double flops_per_ns = 10;
  const auto& image = launch.input(pass == Pass::output ? 0 : 2);
  const auto& filter = launch.input(pass == Pass::filter ? 0 : 1);
  auto rank = filter.shape().rank();
  if (rank < 2) return 0;
  auto channels = std::max<int64_t>(1, filter.shape()[rank - (pass == Pass::output ? 2 : 1)]);
  auto each =
      pass == Pass::filter ? 9.0 * double(channels) : double(filter.elements()) / double(channels);
  return static_cast<int64_t>(std::min(1e15, 2 * double(image.elements()) * each / flops_per_ns));
}

KernelCatalog::Make convolution(Pass pass, bool is_depthwise) {
  return [=](const Node& node) -> Result<Kernel> {
    auto convolution = ConvolutionNode::of(node, pass, is_depthwise);
    if (!convolution) return convolution.status();
    return dispatch(Floating{}, node.attr<DType>("T"), [&](auto zero) {
      using T = decltype(zero);
      return Kernel{
          .compute = [kernel = *convolution](
                         Launch& launch) { return compute_convolution<T>(launch, kernel); },
          .cost_ns = [pass](const Launch& launch) { return convolution_cost_ns(launch, pass); }};
    });
  };
}

}  // namespace

void add_convolution_kernels(KernelCatalog& catalog) {
  for (const std::string name : {"Conv2D", "DepthwiseConv2dNative", "Conv3D"}) {
    auto is_depthwise = name.starts_with("Depthwise");
    auto version = std::string(name == "Conv3D" ? "V2" : "");
    auto to_input = name + "BackpropInput" + version, to_filter = name + "BackpropFilter" + version;
    catalog.add(name, convolution(Pass::output, is_depthwise));
    catalog.add(to_input, convolution(Pass::input, is_depthwise));
    catalog.add(to_filter, convolution(Pass::filter, is_depthwise));
    catalog.on_host(to_input, {0});
    catalog.on_host(to_filter, {1});
  }
}

}  // namespace troupe::cpu
