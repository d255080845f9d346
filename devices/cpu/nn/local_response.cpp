#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/nn/normalization.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {

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

namespace {

/// x^-exponent of positive numbers.
template <class A>
class InversePower {
 public:
  explicit InversePower(A exponent)
      : exponent_(exponent),
        rsqrt_(vector::function_loop(vector::Function::rsqrt, dtype_of<A>())),
        log_(vector::function_loop(vector::Function::log, DType::float64)),
        exp_(vector::function_loop(vector::Function::exp, DType::float64)) {}

  /// In place.
  void compute(A* x, int64_t count) const {
    if (exponent_ == A(0.5)) rsqrt_(x, x, count);
    else if (exponent_ == A(1))
      for (int64_t i = 0; i < count; ++i) x[i] = 1 / x[i];
    else if constexpr (std::is_same_v<A, double>)
      for (int64_t i = 0; i < count; ++i) x[i] = std::pow(x[i], -exponent_);
    else by_logarithms(x, count);
  }

 private:
  /// As doubles, whose logarithms have digits enough for any power that is a float.
  void by_logarithms(A* x, int64_t count) const {
    constexpr int64_t block = 128;
    double wide[block];
    for (int64_t first = 0; first < count; first += block) {
      auto size = std::min(block, count - first);
      std::copy_n(x + first, size, wide);
      log_(wide, wide, size);
      for (int64_t i = 0; i < size; ++i) wide[i] *= -double(exponent_);
      exp_(wide, wide, size);
      for (int64_t i = 0; i < size; ++i) x[first + i] = static_cast<A>(wide[i]);
    }
  }

  A exponent_;
  vector::UnaryLoop rsqrt_, log_, exp_;
};

/// The attributes of LRN and its gradient, and what both compute of a row of channels.
template <class A>
struct LocalResponse {
  int64_t radius;
  A bias, alpha, beta;
  InversePower<A> power;
  vector::WindowSums add_windows;

  explicit LocalResponse(const Node& node)
      : radius(node.attr<int64_t>("depth_radius")),
        bias(static_cast<A>(node.attr<float>("bias"))),
        alpha(static_cast<A>(node.attr<float>("alpha"))),
        beta(static_cast<A>(node.attr<float>("beta"))),
        power(beta),
        add_windows(vector::window_sums(dtype_of<A>())) {}
};

/// Values of a row of channels, and the sums over the neighbours of each.
template <class A>
class NeighbourSums {
 public:
  NeighbourSums(const LocalResponse<A>& lrn, int64_t channels)
      : add_windows_(lrn.add_windows),
        radius_(std::min(lrn.radius, channels)),
        channels_(channels),
        padded_(static_cast<size_t>(channels + 2 * radius_)),
        sums_(static_cast<size_t>(channels)) {}

  /// To be set before sums().
  A* values() { return padded_.data() + radius_; }
  /// Each sum is made afresh, from its first neighbour to its last: one that moves on by a channel
  /// at a time would keep rounding errors of all channels before.
  A* sums() {
    add_windows_(sums_.data(), padded_.data(), channels_, 2 * radius_ + 1);
    return sums_.data();
  }

 private:
  vector::WindowSums add_windows_;
  int64_t radius_, channels_;
  std::vector<A> padded_, sums_;  // zeros before the first channel and after the last
};

/// What the power is taken of, for each channel.
template <class A>
A* norms_of(const LocalResponse<A>& lrn, const std::vector<A>& x, NeighbourSums<A>& neighbours) {
  auto* squares = neighbours.values();
  for (size_t c = 0; c < x.size(); ++c) squares[c] = x[c] * x[c];
  auto* norms = neighbours.sums();
  for (size_t c = 0; c < x.size(); ++c) norms[c] = lrn.bias + lrn.alpha * norms[c];
  return norms;
}

/// Calls f(begin, end) for parts of the rows of channels.
template <class F>
void each_rows_of_channels(const Shape& shape, int64_t radius, const F& f) {
  auto channels = shape[3];
  if (shape.elements() == 0) return;
  auto work = channels * (8 + 2 * std::min(radius, channels));
  parallel_ranges(shape.elements() / channels, work, f);
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
  each_rows_of_channels(shape, lrn.radius, [&](int64_t begin, int64_t end) {
    std::vector<A> x(static_cast<size_t>(channels));
    NeighbourSums<A> neighbours(lrn, channels);
    for (auto at = begin * channels; at < end * channels; at += channels) {
      widen_row(input + at, x);
      auto* powers = norms_of(lrn, x, neighbours);
      lrn.power.compute(powers, channels);
      for (int64_t c = 0; c < channels; ++c)
        result[at + c] = static_cast<T>(x[static_cast<size_t>(c)] * powers[c]);
    }
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
  each_rows_of_channels(shape, lrn.radius, [&](int64_t begin, int64_t end) {
    std::vector<A> x(static_cast<size_t>(channels)), dy(x.size()), y(x.size());
    NeighbourSums<A> squares(lrn, channels), shares(lrn, channels);
    for (auto at = begin * channels; at < end * channels; at += channels) {
      widen_row(input + at, x);
      widen_row(gradients + at, dy);
      widen_row(output + at, y);
      auto* norms = norms_of(lrn, x, squares);
      auto* share = shares.values();  // of each output, in the derivatives by all squares
      for (size_t c = 0; c < x.size(); ++c)
        share[c] = -2 * lrn.alpha * lrn.beta * dy[c] * y[c] / norms[c];
      const auto* sums = shares.sums();
      lrn.power.compute(norms, channels);
      for (size_t c = 0; c < x.size(); ++c)
        result[at + int64_t(c)] = static_cast<T>(dy[c] * norms[c] + sums[c] * x[c]);
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
