#include <algorithm>
#include <cmath>
#include <vector>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/nn/normalization.hpp"

namespace troupe::cpu {
namespace {

/// The attributes of LRN and its gradient, and what both compute of a row of channels.
template <class A>
struct LocalResponse {
  int64_t radius;
  A bias, alpha, beta;

  explicit LocalResponse(const Node& node)
      : radius(node.attr<int64_t>("depth_radius")),
        bias(static_cast<A>(node.attr<float>("bias"))),
        alpha(static_cast<A>(node.attr<float>("alpha"))),
        beta(static_cast<A>(node.attr<float>("beta"))) {}

  int64_t first(int64_t channel) const { return channel - std::min(channel, radius); }
  int64_t last(int64_t channel, int64_t channels) const {
    return channel + std::min(channels - 1 - channel, radius);
  }

  /// What the power is taken of, for each channel. Each sum is made afresh: one that moves on by a
  /// channel at a time would keep rounding errors of all channels before.
  void set_norms(const A* x, int64_t channels, A* norms) const {
    for (int64_t c = 0; c < channels; ++c) {
      A sum = 0;
      for (auto i = first(c); i <= last(c, channels); ++i) sum += x[i] * x[i];
      norms[c] = bias + alpha * sum;
    }
  }
};

Status check_lrn_images(const Launch& launch) {
  const auto& shape = launch.input(0).shape();
  if (shape.rank() != 4)
    return invalid_argument("the input must have rank 4, but its shape is " + shape.to_string());
  for (int i = 1; i < launch.input_count(); ++i)
    if (launch.input(i).shape() != shape)
      return invalid_argument(
          "all inputs must have one shape, but input " + std::to_string(i) + " has " +
          launch.input(i).shape().to_string() + " and not " + shape.to_string());
  return {};
}

/// Calls f(row of channels, as an offset) for all rows, in parallel.
template <class F>
void each_row_of_channels(const Shape& shape, int64_t radius, const F& f) {
  auto channels = shape[3];
  if (shape.elements() == 0) return;
  auto work = channels * (8 + 2 * std::min(radius, channels));
  parallel_ranges(shape.elements() / channels, work, [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row) f(row * channels);
  });
}

template <class T>
void widen_row(const T* from, std::vector<Promoted<T>>& to) {
  for (size_t i = 0; i < to.size(); ++i) to[i] = promote(from[i]);
}

template <class T>
Status compute_lrn(Launch& launch, const LocalResponse<Promoted<T>>& lrn) {
  using A = Promoted<T>;
  if (auto status = check_lrn_images(launch); !status.ok()) return status;
  const auto shape = launch.input(0).shape();
  const auto* input = launch.input(0).data<T>();
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  auto channels = shape[3];
  each_row_of_channels(shape, lrn.radius, [&](int64_t row) {
    std::vector<A> x(static_cast<size_t>(channels)), norms(x.size());
    widen_row(input + row, x);
    lrn.set_norms(x.data(), channels, norms.data());
    for (size_t c = 0; c < x.size(); ++c)
      result[row + int64_t(c)] = static_cast<T>(x[c] * std::pow(norms[c], -lrn.beta));
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_lrn_grad(Launch& launch, const LocalResponse<Promoted<T>>& lrn) {
  using A = Promoted<T>;
  if (auto status = check_lrn_images(launch); !status.ok()) return status;
  const auto shape = launch.input(0).shape();
  const auto *gradients = launch.input(0).data<T>(), *input = launch.input(1).data<T>();
  const auto* output = launch.input(2).data<T>();
  auto out = launch.allocate(dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  auto channels = shape[3];
  each_row_of_channels(shape, lrn.radius, [&](int64_t row) {
    std::vector<A> x(static_cast<size_t>(channels)), dy(x.size()), y(x.size()), norms(x.size());
    widen_row(input + row, x);
    widen_row(gradients + row, dy);
    widen_row(output + row, y);
    lrn.set_norms(x.data(), channels, norms.data());
    std::vector<A> shares(x.size());  // of each output, in the derivatives by all squares
    for (size_t c = 0; c < x.size(); ++c)
      shares[c] = -2 * lrn.alpha * lrn.beta * dy[c] * y[c] / norms[c];
    for (int64_t c = 0; c < channels; ++c) {
      auto at = static_cast<size_t>(c);
      A sum = 0;
      for (auto i = lrn.first(c); i <= lrn.last(c, channels); ++i)
        sum += shares[static_cast<size_t>(i)];
      result[row + c] = static_cast<T>(dy[at] * std::pow(norms[at], -lrn.beta) + sum * x[at]);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

template <bool is_gradient>
Result<Kernel> make_lrn(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [&](auto zero) {
    using T = decltype(zero);
    LocalResponse<Promoted<T>> lrn(node);
    return Kernel{
        .compute =
            [lrn](Launch& launch) {
              if constexpr (is_gradient) return compute_lrn_grad<T>(launch, lrn);
              else return compute_lrn<T>(launch, lrn);
            },
        .cost_ns = [](const Launch& launch) { return 30 * launch.input(0).elements(); }};
  });
}

}  // namespace

void add_local_response_kernels(KernelCatalog& catalog) {
  catalog.add("LRN", make_lrn</*is_gradient=*/false>);
  catalog.add("LRNGrad", make_lrn</*is_gradient=*/true>);
}

}  // namespace troupe::cpu
