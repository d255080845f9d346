#include "troupe/devices/cpu/nn/dilation.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

Result<DilationNode> DilationNode::of(const Node& node, bool has_gradient) {
  auto windows = ops::Windows::make(ops::dilation_attrs(node));
  if (!windows) return windows.status();
  return DilationNode{*windows, has_gradient};
}

Result<DilationNode::Plan> DilationNode::over(const Launch& launch) const {
  const auto &input = launch.input(0).shape(), &filter = launch.input(1).shape();
  if (input.rank() != 4 || filter.rank() != 3)
    return invalid_argument(
        "input and filter must have rank 4 and rank 3, but their shapes are " + input.to_string() +
        " and " + filter.to_string());
  Shape by_channel{filter[0], filter[1], filter[2], 1};
  auto output = ops::convolved_shape(windows, input, by_channel, /*is_depthwise=*/true);
  if (!output) return output.status();
  if (has_gradient && launch.input(2).shape() != *output)
    return invalid_argument(
        "'out_backprop' must have the shape of the result, " + output->to_string() + ", but has " +
        launch.input(2).shape().to_string());
  auto c = Convolution::make(windows, input, by_channel, /*is_depthwise=*/true);
  if (!c) return c.status();
  if (c->taps() > std::numeric_limits<int32_t>::max())
    return unimplemented("a dilation by a filter with more than 2^31 taps is not possible");
  return Plan{*c, *output};
}

namespace {

/// The arguments of a dilation, seen as a convolution of each channel.
template <class T>
struct Dilation {
  Convolution c;
  const T* input;
  const T* filter;

  int64_t channels() const { return c.groups; }

  /// Calls f(offset of the first channel, image, position) for all outputs of rows [begin, end) of
  /// all images.
  template <class F>
  void each_position(int64_t begin, int64_t end, const F& f) const {
    Convolution::Sizes at{};
    for (auto row = begin; row < end; ++row) {
      at[1] = row % c.out[1];
      auto out = row * c.out[2] * channels();
      for (at[2] = 0; at[2] < c.out[2]; ++at[2], out += channels()) f(out, row / c.out[1], at);
    }
  }

  /// Calls f(offset of the first channel, image, position, taps) for all outputs of images
  /// [begin, end): of each channel the tap that the greatest sum is from; none where all are
  /// padding.
  template <class F>
  void each_source(int64_t begin, int64_t end, const F& f) const {
    std::vector<T> sums(static_cast<size_t>(channels()));
    std::vector<int32_t> taps(sums.size());
    each_position(
        begin * c.out[1], end * c.out[1],
        [&](int64_t out, int64_t image, const Convolution::Sizes& at) {
          find_taps(image, at, sums.data(), taps.data());
          f(out, image, at, taps);
        });
  }

  /// Sets `sums` to the greatest sums of an output.
  void find_greatest(int64_t image, const Convolution::Sizes& at, T* sums) const {
    const auto count = channels();
    std::fill_n(sums, count, std::numeric_limits<T>::lowest());
    each_tap(image, at, [&](int64_t position, int64_t tap) {
      const auto *x = input + position * count, *w = filter + tap * count;
      for (int64_t i = 0; i < count; ++i) {
        auto sum = static_cast<T>(wrap(promote(x[i])) + wrap(promote(w[i])));
        sums[i] = promote(sum) > promote(sums[i]) ? sum : sums[i];
      }
    });
  }

  /// Calls f(position in all images, tap) for all taps of an output that are no padding.
  template <class F>
  void each_tap(int64_t image, const Convolution::Sizes& at, const F& f) const {
    for (int64_t row = 0; row < c.kernel[1]; ++row) {
      auto y = at[1] * c.strides[1] + row * c.dilations[1] - c.before[1];
      if (y < 0 || y >= c.in[1]) continue;
      auto x = at[2] * c.strides[2] - c.before[2];
      for (int64_t column = 0; column < c.kernel[2]; ++column, x += c.dilations[2])
        if (x >= 0 && x < c.in[2])
          f((image * c.in[1] + y) * c.in[2] + x, row * c.kernel[2] + column);
    }
  }

 private:
  void find_taps(int64_t image, const Convolution::Sizes& at, T* sums, int32_t* taps) const {
    const auto count = channels();
    std::fill_n(sums, count, std::numeric_limits<T>::lowest());
    std::fill_n(taps, count, -1);
    each_tap(image, at, [&](int64_t position, int64_t tap) {
      const auto *x = input + position * count, *w = filter + tap * count;
      const auto index = static_cast<int32_t>(tap);
// Neither of what is set is an input. Two choices would be a branch, which is no vector.
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) {
        auto sum = static_cast<T>(wrap(promote(x[i])) + wrap(promote(w[i])));
        auto is_greater = promote(sum) > promote(sums[i]);
        sums[i] = is_greater ? sum : sums[i];
        taps[i] ^= (taps[i] ^ index) & -static_cast<int32_t>(is_greater);
      }
    });
  }
};

template <class T>
Dilation<T> dilation_of(const Launch& launch, const DilationNode::Plan& plan) {
  return {plan.convolution, launch.input(0).data<T>(), launch.input(1).data<T>()};
}

int64_t dilation_work(const Convolution& c) {
  return static_cast<int64_t>(std::min(4e18, c.flops()) / double(std::max<int64_t>(1, c.batch)));
}

template <class T>
Status compute_dilation(Launch& launch, const DilationNode& node) {
  auto plan = node.over(launch);
  if (!plan) return plan.status();
  auto dilation = dilation_of<T>(launch, *plan);
  auto out = launch.allocate(dtype_of<T>(), plan->output);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  const auto& c = dilation.c;
  if (out->elements() > 0)
    parallel_ranges(
        c.batch * c.out[1], dilation_work(c) / c.out[1], [&](int64_t begin, int64_t end) {
          dilation.each_position(
              begin, end, [&](int64_t out, int64_t image, const Convolution::Sizes& at) {
                dilation.find_greatest(image, at, result + out);
              });
        });
  launch.set(0, *std::move(out));
  return {};
}

/// The gradient with respect to the input or, else, to the filter.
template <class T>
Status compute_dilation_gradient(Launch& launch, const DilationNode& node, bool to_input) {
  using A = Promoted<T>;
  auto plan = node.over(launch);
  if (!plan) return plan.status();
  auto dilation = dilation_of<T>(launch, *plan);
  const auto* dy = launch.input(2).data<T>();
  auto result = Shape(launch.input(to_input ? 0 : 1).shape());
  return set_sums(launch, dtype_of<T>(), result, [&](void* sums) {
    auto* sum = static_cast<A*>(sums);
    if (plan->output.elements() == 0) return Status();
    const auto channels = dilation.channels();
    auto add = [&](int64_t begin, int64_t end) {
      std::vector<int64_t> positions(static_cast<size_t>(dilation.c.taps()));
      std::iota(positions.begin(), positions.end(), 0);
      dilation.each_source(
          begin, end,
          [&](int64_t out, int64_t image, const Convolution::Sizes& at, const auto& taps) {
            if (to_input)
              dilation.each_tap(image, at, [&](int64_t position, int64_t tap) {
                positions[static_cast<size_t>(tap)] = position;
              });
            for (int64_t i = 0; i < channels; ++i) {
              auto tap = taps[static_cast<size_t>(i)];
              if (tap < 0) continue;
              auto& to = sum[positions[static_cast<size_t>(tap)] * channels + i];
              to = static_cast<A>(wrap(to) + wrap(promote(dy[out + i])));
            }
          });
    };
    // All images add to one filter.
    if (to_input) parallel_ranges(dilation.c.batch, dilation_work(dilation.c), add);
    else add(0, dilation.c.batch);
    return Status();
  });
}

enum class DilationOp : uint8_t { forward, to_input, to_filter };

KernelCatalog::Make dilation_kernel(DilationOp op) {
  return [op](const Node& node) -> Result<Kernel> {
    auto dilation = DilationNode::of(node, op != DilationOp::forward);
    if (!dilation) return dilation.status();
    return dispatch(Real{}, node.attr<DType>("T"), [&](auto zero) {
      using T = decltype(zero);
      return Kernel{
          .compute =
              [op, node = *dilation](Launch& launch) {
                if (op == DilationOp::forward) return compute_dilation<T>(launch, node);
                return compute_dilation_gradient<T>(launch, node, op == DilationOp::to_input);
              },
          .cost_ns = [](const Launch& launch) { return 20 * launch.input(0).elements(); }};
    });
  };
}

}  // namespace

void add_dilation_kernels(KernelCatalog& catalog) {
  catalog.add("Dilation2D", dilation_kernel(DilationOp::forward));
  catalog.add("Dilation2DBackpropInput", dilation_kernel(DilationOp::to_input));
  catalog.add("Dilation2DBackpropFilter", dilation_kernel(DilationOp::to_filter));
}

}  // namespace troupe::cpu
