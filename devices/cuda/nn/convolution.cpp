#if TROUPE_CUDNN  // else the ops are computed on the CPU
#include "troupe/devices/cpu/nn/convolution/convolution.hpp"

#include <limits>

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/array/transpose.hpp"
#include "troupe/devices/cuda/card_state.hpp"
#include "troupe/devices/cuda/linalg/product_cache.hpp"
#include "troupe/devices/cuda/nn/convolution_plan.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"

namespace troupe::cuda {
namespace {

using Pass = cpu::ConvolutionPass;

/// The sizes of images or volumes, however they lie: of images, the first spatial one is 1.
struct Images {
  int64_t batch, channels;
  cpu::Convolution::Sizes sizes;

  int64_t positions() const { return sizes[0] * sizes[1] * sizes[2]; }
  Shape shape(bool channels_first) const {
    if (channels_first) return {batch, channels, sizes[0], sizes[1], sizes[2]};
    return {batch, sizes[0], sizes[1], sizes[2], channels};
  }
};

/// One launch of a pass of a convolution: between how images and filters lie in graphs, and how the
/// library convolves them.
class ConvolutionLaunch {
 public:
  ConvolutionLaunch(Launch& launch, DType dtype, Pass pass, const cpu::Convolution& c)
      : launch_(launch), dtype_(dtype), pass_(pass), c_(c) {
    input_ = padded_ = {c.batch, c.in_channels(), c.in};
    output_ = {c.batch, c.out_channels(), c.out};
    for (size_t i = 0; i < 3; ++i) {
      // What an axis has of padding on one side only is added to the images themselves.
      padding_[i] = std::min(c.before[i], c.after[i]);
      more_before_[i] = c.before[i] - padding_[i];
      padded_.sizes[i] += c.before[i] + c.after[i] - 2 * padding_[i];
    }
  }

  /// Sets output 0, which has that shape.
  Status run(const Shape& result_shape) {
    if (is_product()) return multiply(result_shape);
    auto shape = library_shape();
    if (!shape) return shape.status();
    auto plan = kept<ConvolutionPlans>(launch_).plan(launch_, *shape);
    if (!plan) return plan.status();
    auto result = launch_.allocate(dtype_, result_shape);
    if (!result) return result.status();
    auto status = (*plan)->run(launch_, [&](const ConvolutionEngine& engine) {
      engine_ = &engine;
      return pass_ == Pass::output  ? convolve(*result)
             : pass_ == Pass::input ? to_input(*result)
                                    : to_filter(*result);
    });
    if (!status.ok()) return status;
    return set_launched(launch_, 0, *std::move(result), "a convolution");
  }

 private:
  Result<ConvolutionShape> library_shape() const {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    for (auto images : {padded_, output_})
      if (images.batch * images.channels * images.positions() > most)
        return unimplemented("cuDNN convolves less than 2^31 elements");
    auto ints = [](const cpu::Convolution::Sizes& sizes) {
      return ConvolutionShape::Sizes{
          static_cast<int>(sizes[0]), static_cast<int>(sizes[1]), static_cast<int>(sizes[2])};
    };
    return ConvolutionShape{
        .pass = pass_,
        .dtype = dtype_,
        .channels_first = c_.channels_first,
        .spatial = c_.spatial,
        .batch = static_cast<int>(c_.batch),
        .groups = static_cast<int>(c_.groups),
        .inputs = static_cast<int>(c_.in_channels()),
        .outputs = static_cast<int>(c_.out_channels()),
        .in = ints(padded_.sizes),
        .out = ints(c_.out),
        .kernel = ints(c_.kernel),
        .strides = ints(c_.strides),
        .dilations = ints(c_.dilations),
        .padding = ints(padding_)};
  }

  /// Whether each pixel is convolved alone: the images are then matrices as they lie.
  bool is_product() const {
    constexpr cpu::Convolution::Sizes ones{1, 1, 1};
    return c_.kernel == ones && c_.strides == ones && c_.groups == 1 && c_.in == c_.out &&
           c_.before == cpu::Convolution::Sizes{} && !(c_.channels_first && pass_ == Pass::filter);
  }
  Status multiply(const Shape& result_shape) {
    auto result = launch_.allocate(dtype_, result_shape);
    if (!result) return result.status();
    auto shape = product_shape();
    auto of_filter = launch_.input(1).raw(),
         of_images = launch_.input(pass_ == Pass::output ? 0 : 2).raw();
    ProductMemory memory{of_images, of_filter, result->mutable_raw()};
    if (c_.channels_first) std::swap(memory.a, memory.b);
    if (pass_ == Pass::filter)
      memory = {launch_.input(0).raw(), launch_.input(2).raw(), result->mutable_raw()};
    auto status = kept<ProductCache>(launch_).multiply(launch_, shape, memory);
    if (status.ok()) launch_.set(0, *std::move(result));
    return status;
  }
  /// The filter is [inputs, outputs], and the images [pixels, channels]; or one after the other
  /// [channels, pixels].
  ProductShape product_shape() const {
    ProductShape shape{
        .dtype = dtype_,
        .rows = c_.batch * c_.out_positions(),
        .inner = c_.inputs,
        .columns = c_.outputs,
        .transpose_a = false,
        .transpose_b = pass_ == Pass::input};
    if (pass_ == Pass::input) std::swap(shape.inner, shape.columns);
    if (pass_ == Pass::filter) {
      std::swap(shape.rows, shape.inner);
      shape.transpose_a = true;
    }
    if (!c_.channels_first) return shape;
    shape.rows = shape.columns;
    shape.columns = c_.out_positions();
    shape.transpose_a = pass_ == Pass::output;
    shape.transpose_b = false;
    shape.count = c_.batch;
    shape.b_stride = shape.inner * shape.columns;
    return shape;
  }

  bool must_pad() const { return padded_.sizes != input_.sizes; }
  bool must_transpose() const { return engine_->channels_first != c_.channels_first; }
  Matrices image_matrices(const Images& images, bool to_channels_first) const {
    auto positions = images.positions();
    if (to_channels_first) return {images.batch, positions, images.channels};
    return {images.batch, images.channels, positions};
  }

  Result<Tensor> allocate_images(const Images& images, bool channels_first) const {
    return launch_.allocate(dtype_, images.shape(channels_first));
  }
  Result<Tensor> allocate_filter() const {
    return launch_.allocate(dtype_, {c_.filter_elements()});
  }
  void transpose(Tensor& to, const Tensor& from, const Matrices& matrices) const {
    if (from.elements() > 0)
      launch_transpose(
          to.mutable_raw(), from.raw(), static_cast<int>(size_of(dtype_)), matrices,
          stream_of(launch_));
  }

  /// The walk over the images as they are and as they are padded, or the other way round.
  StridedWalk<2> walk_padded(bool to_padded, int64_t& first) const {
    auto shape = input_.shape(c_.channels_first), padded = padded_.shape(c_.channels_first);
    AxisStrides own(shape), whole(padded);
    first = 0;
    for (size_t i = 0; i < 3; ++i)
      first += more_before_[i] * whole.at[i + (c_.channels_first ? 2 : 1)];
    StridedWalk<2> walk;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (to_padded) walk.add_axis(shape[axis], {{whole.at[axis], own.at[axis]}});
      else walk.add_axis(shape[axis], {{own.at[axis], whole.at[axis]}});
    }
    return walk;
  }

  /// The images as the library takes them.
  Result<Tensor> input_images(const Tensor& given) const {
    auto images = given;
    if (must_pad()) {
      auto padded = allocate_images(padded_, c_.channels_first);
      if (!padded) return padded;
      if (auto status = set_zeros(launch_, *padded); !status.ok()) return status;
      int64_t first = 0;
      auto walk = walk_padded(/*to_padded=*/true, first);
      copy_walk(launch_, *padded, first, given, 0, walk);
      images = *std::move(padded);
    }
    return library_images(images, padded_);
  }
  Result<Tensor> library_images(const Tensor& images, const Images& sizes) const {
    if (!must_transpose()) return images;
    auto to = engine_->channels_first;
    auto transposed = allocate_images(sizes, to);
    if (transposed) transpose(*transposed, images, image_matrices(sizes, to));
    return transposed;
  }

  /// The walk over a filter as the library has it, [outputs, inputs, spatial...], and as graphs do,
  /// [spatial..., inputs, outputs]; or the other way round.
  StridedWalk<2> walk_filter(bool to_library) const {
    auto positions = c_.taps(), outputs = c_.out_channels();
    StridedWalk<2> walk;
    auto add = [&](int64_t size, int64_t library, int64_t graph) {
      if (to_library) walk.add_axis(size, {{library, graph}});
      else walk.add_axis(size, {{graph, library}});
    };
    add(positions, 1, c_.inputs * outputs);
    add(c_.inputs, positions, outputs);
    add(outputs, positions * c_.inputs, 1);
    return walk;
  }
  /// [spatial..., inputs] by outputs, which with channels last is but transposed.
  Matrices filter_matrices(bool to_library) const {
    auto each = c_.taps() * c_.inputs;
    if (to_library) return {1, each, c_.out_channels()};
    return {1, c_.out_channels(), each};
  }
  Result<Tensor> library_filter(const Tensor& given) const {
    auto filter = allocate_filter();
    if (!filter) return filter;
    if (engine_->channels_first) copy_walk(launch_, *filter, 0, given, 0, walk_filter(true));
    else transpose(*filter, given, filter_matrices(true));
    return filter;
  }

  Status convolve(Tensor& result) {
    auto input = input_images(launch_.input(0)), filter = library_filter(launch_.input(1));
    auto output = must_transpose() ? allocate_images(output_, engine_->channels_first)
                                   : Result<Tensor>(result);
    for (const auto* tensor : {&input, &filter, &output})
      if (!*tensor) return tensor->status();
    auto status = engine_->put(launch_, {input->raw(), filter->raw(), output->raw()});
    if (status.ok() && must_transpose())
      transpose(result, *output, image_matrices(output_, c_.channels_first));
    return status;
  }

  Status to_input(Tensor& result) {
    auto filter = library_filter(launch_.input(1));
    auto slope = library_images(launch_.input(2), output_);
    auto is_direct = !must_transpose() && !must_pad();
    auto input =
        is_direct ? Result<Tensor>(result) : allocate_images(padded_, engine_->channels_first);
    for (const auto* tensor : {&filter, &slope, &input})
      if (!*tensor) return tensor->status();
    auto status = engine_->put(launch_, {input->raw(), filter->raw(), slope->raw()});
    if (!status.ok() || is_direct) return status;
    auto padded = *input;
    if (must_transpose()) {
      auto to = c_.channels_first;
      auto back = must_pad() ? allocate_images(padded_, to) : Result<Tensor>(result);
      if (!back) return back.status();
      transpose(*back, padded, image_matrices(padded_, to));
      padded = *std::move(back);
    }
    if (must_pad()) {
      int64_t first = 0;
      auto walk = walk_padded(/*to_padded=*/false, first);
      copy_walk(launch_, result, 0, padded, first, walk);
    }
    return {};
  }

  Status to_filter(Tensor& result) {
    auto input = input_images(launch_.input(0)), slope = library_images(launch_.input(2), output_);
    auto filter = allocate_filter();
    for (const auto* tensor : {&input, &slope, &filter})
      if (!*tensor) return tensor->status();
    auto status = engine_->put(launch_, {input->raw(), filter->raw(), slope->raw()});
    if (!status.ok()) return status;
    if (engine_->channels_first) copy_walk(launch_, result, 0, *filter, 0, walk_filter(false));
    else transpose(result, *filter, filter_matrices(false));
    return {};
  }

  Launch& launch_;
  const DType dtype_;
  const Pass pass_;
  const cpu::Convolution& c_;
  cpu::Convolution::Sizes padding_{}, more_before_{};
  Images input_, padded_, output_;
  const ConvolutionEngine* engine_ = nullptr;  // that the images and the filter are made for
};

Status compute_convolution(Launch& launch, const cpu::ConvolutionNode& node, DType dtype) {
  auto plan = node.over(launch);
  if (!plan) return plan.status();
  if (!plan->is_empty())
    return ConvolutionLaunch(launch, dtype, node.pass, plan->convolution).run(plan->result);
  auto result = launch.allocate(dtype, plan->result);
  if (!result) return result.status();
  auto status = set_zeros(launch, *result);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

KernelCatalog::Make convolution(Pass pass) {
  return [=](const Node& node) -> Result<Kernel> {
    auto convolution = cpu::ConvolutionNode::of(node, pass, /*is_depthwise=*/false);
    if (!convolution) return convolution.status();
    auto dtype = node.attr<DType>("T");
    if (!std::ranges::count(floating(), dtype)) return no_kernel(dtype);
    // cuDNN convolves bfloat16 on cards whose tensor cores multiply it.
    if (dtype == DType::bfloat16 && capability_of_current_card() < 80) return no_kernel(dtype);
    return slow_at_first([op = *convolution, dtype](Launch& launch) {
      return compute_convolution(launch, op, dtype);
    });
  };
}

}  // namespace

void add_convolution_kernels(KernelCatalog& catalog) {
  for (const std::string name : {"Conv2D", "Conv3D"}) {
    auto version = std::string(name == "Conv3D" ? "V2" : "");
    auto to_input = name + "BackpropInput" + version, to_filter = name + "BackpropFilter" + version;
    catalog.add(name, convolution(Pass::output));
    catalog.add(to_input, convolution(Pass::input));
    catalog.add(to_filter, convolution(Pass::filter));
    catalog.on_host(to_input, {0});
    catalog.on_host(to_filter, {1});
  }
}

}  // namespace troupe::cuda

#else

#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_convolution_kernels(KernelCatalog&) {}

}  // namespace troupe::cuda

#endif
