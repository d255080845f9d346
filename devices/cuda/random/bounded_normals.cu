#include "troupe/devices/cuda/random/bounded_normals.hpp"

#include "troupe/devices/cpu/random/bounded_normals.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/random/distributions.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// A 16-bit float whose arithmetic rounds each result to 16 bits.
template <class S>
struct RoundedNumber {
  S element;

  TROUPE_BOTH static RoundedNumber of(float number) { return {Narrow<S>::of(number)}; }
  TROUPE_BOTH float wide() const { return widen(element); }

  TROUPE_BOTH friend RoundedNumber operator-(RoundedNumber x) { return of(-x.wide()); }
  TROUPE_BOTH friend RoundedNumber operator+(RoundedNumber x, RoundedNumber y) {
    return of(x.wide() + y.wide());
  }
  TROUPE_BOTH friend RoundedNumber operator-(RoundedNumber x, RoundedNumber y) {
    return of(x.wide() - y.wide());
  }
  TROUPE_BOTH friend RoundedNumber operator/(RoundedNumber x, RoundedNumber y) {
    return of(x.wide() / y.wide());
  }
  TROUPE_BOTH friend bool operator<(RoundedNumber x, RoundedNumber y) {
    return x.wide() < y.wide();
  }
  TROUPE_BOTH friend bool operator>(RoundedNumber x, RoundedNumber y) { return y < x; }
  TROUPE_BOTH friend bool operator<=(RoundedNumber x, RoundedNumber y) {
    return x.wide() <= y.wide();
  }
  TROUPE_BOTH friend bool operator>=(RoundedNumber x, RoundedNumber y) { return y <= x; }
};

template <class T>
struct RoundedOf {
  using type = T;
};
template <>
struct RoundedOf<Half> {
  using type = RoundedNumber<Half>;
};
template <>
struct RoundedOf<Brain> {
  using type = RoundedNumber<Brain>;
};

template <class S>
TROUPE_BOTH Wide<S> wide_of(RoundedNumber<S> x) {
  return x.wide();
}
TROUPE_BOTH float wide_of(float x) { return x; }
TROUPE_BOTH double wide_of(double x) { return x; }

/// What cpu::BoundedProposals computes with, of elements T.
template <class T>
struct PositionMath {
  using Number = typename RoundedOf<T>::type;
  static constexpr int numbers_of_block = cuda::numbers_of_block<T>;

  template <class From>
  TROUPE_BOTH static Number of(From number) {
    if constexpr (sizeof(T) == 2) return Number::of(static_cast<float>(number));
    else return static_cast<Number>(number);
  }
  TROUPE_BOTH static double wide(Number number) { return wide_of(number); }
  TROUPE_BOTH static Number product(Number x, Number y) {
    return of(rounded_product(wide_of(x), wide_of(y)));
  }
  TROUPE_BOTH static Number root(Number x) { return of(sqrt(wide_of(x))); }
  TROUPE_BOTH static Number exponential(Number x) { return of(exp(wide_of(x))); }
  TROUPE_BOTH static Number logarithm(Number x) { return of(log(wide_of(x))); }
  TROUPE_BOTH static void uniforms(const PhiloxPosition::Block& bits, Number* numbers) {
    put(UniformNumbers<T>::of(bits), numbers);
  }
  TROUPE_BOTH static void normals(const PhiloxPosition::Block& bits, Number* numbers) {
    put(normal_numbers<T>(bits), numbers);
  }

 private:
  TROUPE_BOTH static void put(const BlockNumbers<T>& from, Number* numbers) {
    for (int i = 0; i < numbers_of_block; ++i) numbers[i] = {from.at[i]};
  }
};
template <class T>
using PositionParameters = cpu::NormalParameters<PositionMath<T>>;

template <class T>
__device__ PositionParameters<T> parameters_of(const BoundedNormalsCall& call, int64_t batch) {
  auto at = [batch](const auto& parameter) -> typename PositionMath<T>::Number {
    return {static_cast<const T*>(parameter.values)[parameter.is_one ? 0 : batch]};
  };
  return {at(call.mean), at(call.deviation), at(call.least), at(call.greatest)};
}

/// Of a batch, to be called by one thread.
template <class T>
__device__ void set_fault(
    const BoundedNormalsCall& call, const PositionParameters<T>& p, bool is_invalid) {
  auto wide = PositionMath<T>::wide;
  *call.fault = {is_invalid ? 1.0 : 0.0, is_invalid ? 0.0 : 1.0, wide(p.mean),
                 wide(p.deviation),      wide(p.least),          wide(p.greatest)};
}

/// How far a batch is.
struct BatchProgress {
  int64_t count;  // of its numbers that are set
  int refused;    // numbers in a row before the next one
  int used;       // of the last proposals
};

/// What the threads of a block propose at once.
struct ProposalRound {
  unsigned accepted[block_threads];
  int before[block_threads];  // how many numbers are accepted before those of a thread

  /// Goes through the proposals in their order, up to the last one that is needed.
  __device__ BatchProgress follow(BatchProgress progress, int64_t needed, int size) {
    auto first = progress.count;
    for (int thread = 0; thread < block_threads; ++thread) {
      progress.used = thread + 1;
      before[thread] = static_cast<int>(progress.count - first);
      for (int i = 0; i < size; ++i) {
        auto is_accepted = (accepted[thread] >> i & 1) != 0;
        progress.count += is_accepted ? 1 : 0;
        progress.refused = is_accepted ? 0 : progress.refused + 1;
        if (progress.count == needed || progress.refused >= cpu::bounded_tries_max) return progress;
      }
    }
    return progress;
  }
};

/// One block draws the numbers: where a batch begins in the stream follows from all before it.
/// Each thread proposes numbers for the same batch, and the first one goes through all of them.
template <class T>
__global__ void bounded_kernel(BoundedNormalsCall call) {
  __shared__ ProposalRound round;
  __shared__ BatchProgress shared;
  auto position = call.start;
  auto thread = static_cast<int>(threadIdx.x);
  for (int64_t batch = 0; batch < call.batches; ++batch) {
    auto first = batch * call.size;
    auto needed = call.size < call.elements - first ? call.size : call.elements - first;
    if (needed <= 0) return;
    auto parameters = parameters_of<T>(call, batch);
    if (!parameters.are_valid()) {
      if (thread == 0) set_fault<T>(call, parameters, /*is_invalid=*/true);
      return;
    }
    cpu::BoundedProposals<PositionMath<T>> proposals(parameters);
    auto blocks = static_cast<uint64_t>(proposals.blocks());
    BatchProgress progress{0, 0, 0};
    while (progress.count < needed) {
      typename PositionMath<T>::Number numbers[PositionMath<T>::numbers_of_block];
      auto own = proposals.propose(position.skip(blocks * thread), numbers);
      round.accepted[thread] = own;
      __syncthreads();
      if (thread == 0) shared = round.follow(progress, needed, proposals.size());
      __syncthreads();
      auto at = progress.count + round.before[thread];
      progress = shared;
      __syncthreads();  // before either of both is written again
      for (int i = 0; i < proposals.size() && thread < progress.used; ++i)
        if ((own >> i & 1) != 0 && at < needed) {
          auto result = proposals.result(numbers[i]);
          static_cast<T*>(call.out)[first + at++] = bits_as<T>(result);
        }
      position = position.skip(blocks * progress.used);
      if (progress.refused >= cpu::bounded_tries_max) {
        if (thread == 0) set_fault<T>(call, parameters, /*is_invalid=*/false);
        return;
      }
    }
  }
}

template <class T>
void launch_bounded(const BoundedNormalsCall& call) {
  start_kernel(call.stream, 1, block_threads, bounded_kernel<T>, call);
}

}  // namespace

LaunchBoundedNormals find_bounded_normals(Element element) {
  return choose<LaunchBoundedNormals>(
      FloatingElements{}, element, [](auto zero) { return launch_bounded<decltype(zero)>; });
}

}  // namespace troupe::cuda
