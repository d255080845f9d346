#include <math.h>  // lgamma_r, which unlike std::lgamma writes no global variable

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/math/special.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/parts.hpp"
#include "troupe/devices/cpu/random/rate_errors.hpp"
#include "troupe/devices/cpu/random/samples.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

using GammaTypes = Types<float16, float, double>;
using PoissonTypes = decltype(GammaTypes{} + Indices{});

constexpr int64_t sample_cost_elements = 256;

/// What NumberPairs takes of a stream.
class StreamPairs {
 public:
  explicit StreamPairs(const Philox& start) : next_(start) {}

  void uniforms(double (&pair)[2]) {
    std::ranges::copy(uniform_numbers<double>(take()), std::begin(pair));
  }
  void normals(double (&pair)[2]) {
    std::ranges::copy(normal_numbers<double>(take()), std::begin(pair));
  }
  static double log_gamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
  }

 private:
  Philox::Block take() {
    auto block = next_.block();
    next_ = next_.skip(1);
    return block;
  }

  Philox next_;
};
using StreamNumbers = NumberPairs<StreamPairs>;

int64_t samples_cost_ns(const Launch& launch) {
  auto shape = samples_shape(launch.input(0), launch.input(1).shape());
  return shape ? 150 * shape->elements() : 0;
}

/// Sets the elements of a result of samples for each parameter: where there is a sample for each
/// of the parameters in turn. `draw(parameter, position)` returns nothing where it fails, and then
/// this returns that parameter's number. Each sample has a range of blocks of its own.
template <class T, class Draw>
int64_t fill_samples(const Philox& start, int64_t parameters, Tensor& result, const Draw& draw) {
  auto* out = result.mutable_data<T>();
  std::atomic<int64_t> failed = -1;
  if (result.elements() == 0) return failed;
  auto samples = result.elements() / parameters;
  parallel_ranges(result.elements(), sample_cost_elements, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end && failed < 0; ++i) {
      auto parameter = i / samples, sample = i % samples;
      auto number = draw(parameter, start.skip(static_cast<uint64_t>(i) * 256));
      if (number) out[sample * parameters + parameter] = static_cast<T>(*number);
      else failed = parameter;
    }
  });
  return failed;
}

template <class T>
Status compute_gamma(Launch& launch, PhiloxSource& source) {
  const auto& alphas = launch.input(1);
  auto shape = samples_shape(launch.input(0), alphas.shape());
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype_of<T>(), *shape);
  if (!out) return out.status();
  const auto* alpha = alphas.data<T>();
  fill_samples<T>(
      source.reserve(out->elements()), alphas.elements(), *out,
      [&](int64_t parameter, const Philox& start) {
        StreamNumbers numbers(start);
        return std::optional(gamma_sample(static_cast<double>(alpha[parameter]), numbers));
      });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_gamma(const Node& node) {
  return dispatch(GammaTypes{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{
        .compute = [source = make_source(node)](
                       Launch& launch) { return compute_gamma<decltype(zero)>(launch, *source); },
        .cost_ns = samples_cost_ns};
  });
}

constexpr auto gamma_gradient = [](auto alpha, auto sample) {
  return static_cast<decltype(alpha)>(
      gamma_derivative(static_cast<double>(alpha), static_cast<double>(sample)));
};

Result<Kernel> make_gamma_gradient(const Node& node) {
  return dispatch(Types<float, double>{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    auto elements = binary_elements<decltype(gamma_gradient), T, T>();
    elements.cost = sample_cost_elements;
    return Kernel{
        .compute = [elements](Launch& launch) { return compute_binary(launch, elements); },
        .cost_ns =
            [](const Launch& launch) {
              return 200 * std::max(launch.input(0).elements(), launch.input(1).elements());
            }};
  });
}

/// A sample of an infinite rate is infinite, where there is such a number.
template <class T>
std::optional<double> sample_for_poisson(double rate, const Philox& start) {
  if (!is_number<T> && rate == std::numeric_limits<double>::infinity()) return rate;
  StreamNumbers numbers(start);
  auto sample = poisson_sample(rate, greatest_sample<T>(), numbers);
  return sample == no_sample ? std::nullopt : std::optional(sample);
}

Result<std::vector<double>> poisson_rates(const Tensor& tensor) {
  std::vector<double> rates(static_cast<size_t>(tensor.elements()));
  for_dtype(PoissonTypes{}, tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::ranges::transform(
        tensor.values<T>(), rates.begin(), [](const T& rate) { return static_cast<double>(rate); });
  });
  for (auto rate : rates)
    if (rate != rate) return rate_is_not_a_number();
  return rates;
}

template <class T>
Status compute_poisson(Launch& launch, PhiloxSource& source) {
  auto shape = samples_shape(launch.input(0), launch.input(1).shape());
  if (!shape) return shape.status();
  auto rates = poisson_rates(launch.input(1));
  if (!rates) return rates.status();
  auto out = launch.allocate(dtype_of<T>(), *shape);
  if (!out) return out.status();
  auto count = static_cast<int64_t>(rates->size());
  auto failed = fill_samples<T>(
      source.reserve(out->elements()), count, *out, [&](int64_t parameter, const Philox& start) {
        return sample_for_poisson<T>((*rates)[static_cast<size_t>(parameter)], start);
      });
  if (failed >= 0) return rate_is_too_great((*rates)[static_cast<size_t>(failed)], dtype_of<T>());
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_poisson(const Node& node) {
  return dispatch(PoissonTypes{}, node.attr<DType>("dtype"), [&](auto zero) {
    return Kernel{
        .compute = [source = make_source(node)](
                       Launch& launch) { return compute_poisson<decltype(zero)>(launch, *source); },
        .cost_ns = samples_cost_ns};
  });
}

}  // namespace

void add_gamma_and_poisson_kernels(KernelCatalog& catalog) {
  catalog.add("RandomGamma", make_gamma);
  catalog.add("RandomGammaGrad", make_gamma_gradient);
  catalog.add("RandomPoisson", make_poisson);
  catalog.add("RandomPoissonV2", make_poisson);
  for (const auto* name : {"RandomGamma", "RandomPoisson", "RandomPoissonV2"})
    catalog.on_host(name, {0});
}

}  // namespace troupe::cpu
