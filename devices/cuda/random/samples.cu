#include "troupe/devices/cuda/random/samples.hpp"

#include "troupe/devices/cpu/random/samples.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/random/distributions.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// What NumberPairs takes of a stream.
class PositionPairs {
 public:
  constexpr explicit PositionPairs(const PhiloxPosition& start) : next_(start) {}

  TROUPE_BOTH void uniforms(double (&pair)[2]) {
    auto numbers = UniformNumbers<double>::of(take());
    for (int i = 0; i < 2; ++i) pair[i] = numbers.at[i];
  }
  TROUPE_BOTH void normals(double (&pair)[2]) { wide_normals(take(), pair); }
  TROUPE_BOTH static double log_gamma(double x) { return lgamma(x); }

 private:
  TROUPE_BOTH PhiloxPosition::Block take() {
    auto block = next_.block();
    next_ = next_.skip(1);
    return block;
  }

  PhiloxPosition next_;
};
using PositionNumbers = cpu::NumberPairs<PositionPairs>;

/// Calls draw(parameter, numbers) for each sample.
template <class T, class Draw>
__device__ void set_samples(const SamplesCall& call, const Draw& draw) {
  constexpr uint64_t sample_blocks = 256;
  for (auto i = first_item(); i < call.samples * call.parameters; i += item_step()) {
    auto parameter = i % call.parameters, sample = i / call.parameters;
    auto place = static_cast<uint64_t>(parameter * call.samples + sample);
    PositionNumbers numbers(call.start.skip(place * sample_blocks));
    static_cast<T*>(call.out)[i] = Narrow<T>::of(draw(parameter, numbers));
  }
}

template <class T>
__global__ void gamma_kernel(SamplesCall call) {
  const auto* alphas = static_cast<const T*>(call.of);
  set_samples<T>(call, [&](int64_t parameter, PositionNumbers& numbers) {
    return cpu::gamma_sample(static_cast<double>(widen(alphas[parameter])), numbers);
  });
}

template <class T>
struct GreatestSample {
  static constexpr double value = cpu::greatest_sample<T>();
  static constexpr bool may_be_infinite = is_floating<T>;
};
template <>
struct GreatestSample<Half> {
  static constexpr double value = 65504;
  static constexpr bool may_be_infinite = true;
};

/// Threads that find faults write the same, or one of several that will do.
template <class T>
__global__ void poisson_kernel(SamplesCall call, RateFaults* faults) {
  using Greatest = GreatestSample<T>;
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  const auto* rates = static_cast<const double*>(call.of);
  set_samples<T>(call, [&](int64_t parameter, PositionNumbers& numbers) -> double {
    auto rate = rates[parameter];
    if (rate != rate) {
      faults->is_nan = 1;
      return 0;
    }
    if (Greatest::may_be_infinite && rate == infinity) return rate;
    auto sample = cpu::poisson_sample(rate, Greatest::value, numbers);
    if (sample == cpu::no_sample) faults->too_great = rate;
    return sample;
  });
}

template <class T>
void launch_gamma(const SamplesCall& call) {
  start_kernel(
      call.stream, blocks_for(call.samples * call.parameters), block_threads, gamma_kernel<T>,
      call);
}
template <class T>
void launch_poisson(const SamplesCall& call, RateFaults* faults) {
  start_kernel(
      call.stream, blocks_for(call.samples * call.parameters), block_threads, poisson_kernel<T>,
      call, faults);
}

}  // namespace

LaunchGammaSamples find_gamma_samples(Element element) {
  return choose<LaunchGammaSamples>(Elements<float, double, Half>{}, element, [](auto zero) {
    return launch_gamma<decltype(zero)>;
  });
}

LaunchPoissonSamples find_poisson_samples(Element element) {
  return choose<LaunchPoissonSamples>(
      Elements<float, double, Half, int32_t, int64_t>{}, element,
      [](auto zero) { return launch_poisson<decltype(zero)>; });
}

}  // namespace troupe::cuda
