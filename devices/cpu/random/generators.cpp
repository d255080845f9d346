#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/samples.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
namespace {

constexpr int64_t philox_algorithm = 1, philox_numbers = 3;
/// What a number may use at most, as TensorFlow reserves it.
constexpr uint64_t number_blocks = 256;

/// Fails unless that is the state of a generator, after `tag` other numbers.
Status check_state(const Tensor& state, int64_t tag) {
  if (state.dtype() != DType::int64)
    return invalid_argument(
        std::string("a generator's state must be int64, not ") + to_string(state.dtype()));
  if (state.shape().rank() != 1)
    return invalid_argument(
        "a generator's state must be a vector, but its shape is " + state.shape().to_string());
  if (state.elements() < tag + philox_numbers)
    return invalid_argument(
        "a generator's state must have " + std::to_string(tag + philox_numbers) +
        " numbers at least, but has " + std::to_string(state.elements()));
  return {};
}

/// Takes `blocks` blocks of bits from the generator whose state is the variable of input 0: the
/// counter's halves and the key. Returns where they begin. Nothing as the algorithm: the state
/// begins with it. After an error the state is as it was.
Result<Philox> take(const Launch& launch, std::optional<int64_t> algorithm, uint64_t blocks) {
  Philox start(0, 0);
  auto status = update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& state = *values[0];
    auto tag = algorithm ? 0 : 1;
    if (auto status = check_state(state, tag); !status.ok()) return status;
    auto which = algorithm ? *algorithm : state.template data<int64_t>()[0];
    if (which != philox_algorithm)
      return invalid_argument(
          "there is no generator of the algorithm " + std::to_string(which) +
          "; 1, Philox, is the only one");
    auto moved = copy_for_update(launch, state);
    if (!moved) return moved.status();
    auto* numbers = moved->template mutable_data<int64_t>() + tag;
    start = Philox(static_cast<uint64_t>(numbers[2]), static_cast<uint64_t>(numbers[1]))
                .skip(static_cast<uint64_t>(numbers[0]));
    auto next = start.skip(blocks);
    numbers[0] = static_cast<int64_t>(next.low());
    numbers[1] = static_cast<int64_t>(next.high());
    state = *std::move(moved);
    return {};
  });
  if (!status.ok()) return status;
  return start;
}

uint64_t blocks_of(const Tensor& drawn) {
  return static_cast<uint64_t>(drawn.elements()) * number_blocks;
}

int64_t drawn_cost_ns(const Launch& launch) {
  auto shape = shape_input(launch.input(2));
  return shape ? 8 * shape->elements() : 0;
}

/// A kernel of the inputs state, algorithm and shape, and perhaps others, which `check` looks at;
/// `fill` sets the result.
template <class Check, class Fill>
Kernel drawing_kernel(DType dtype, const Check& check, const Fill& fill) {
  auto compute = [=](Launch& launch) -> Status {
    auto algorithm = scalar_input<int64_t>(launch.input(1), "algorithm");
    if (!algorithm) return algorithm.status();
    auto shape = shape_input(launch.input(2));
    if (!shape) return shape.status();
    if (Status status = check(launch); !status.ok()) return status;
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    auto start = take(launch, *algorithm, blocks_of(*out));
    if (!start) return start.status();
    if (Status status = fill(launch, *start, *out); !status.ok()) return status;
    launch.set(0, *std::move(out));
    return {};
  };
  return {.compute = compute, .cost_ns = drawn_cost_ns};
}

constexpr auto nothing_else = [](const Launch&) { return Status(); };

KernelCatalog::Make make_drawing(Distribution distribution) {
  return [distribution](const Node& node) -> Result<Kernel> {
    return drawing_kernel(
        node.attr<DType>("dtype"), nothing_else,
        [distribution](const Launch&, const Philox& start, Tensor& out) {
          fill_random(distribution, start, out);
          return Status();
        });
  };
}

Result<Kernel> make_tagged_normal(const Node& node) {
  return Kernel{.compute = [dtype = node.attr<DType>("dtype")](Launch& launch) -> Status {
    auto shape = shape_input(launch.input(1));
    if (!shape) return shape.status();
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    auto start = take(launch, std::nullopt, blocks_of(*out));
    if (!start) return start.status();
    fill_random(Distribution::normal, *start, *out);
    launch.set(0, *std::move(out));
    return {};
  }};
}

/// Unlike fill_random_ints(), also where no number is drawn: the bounds must be in order.
template <class T>
Status check_bounds(const Launch& launch) {
  auto least = scalar_input<T>(launch.input(3), "minval");
  auto end = scalar_input<T>(launch.input(4), "maxval");
  for (const auto& status : {least.status(), end.status()})
    if (!status.ok()) return status;
  if (*least < *end) return {};
  return invalid_argument(
      "'minval' must be less than 'maxval', but they are " + std::to_string(*least) + " and " +
      std::to_string(*end));
}

Result<Kernel> make_bounded_ints(const Node& node) {
  return dispatch(Indices{}, node.attr<DType>("dtype"), [](auto zero) -> Result<Kernel> {
    using T = decltype(zero);
    return drawing_kernel(
        dtype_of<T>(), check_bounds<T>, [](const Launch& launch, const Philox& start, Tensor& out) {
          return fill_random_ints(start, launch.input(3), launch.input(4), out);
        });
  });
}

Result<Kernel> make_full_ints(const Node& node) {
  return drawing_kernel(
      node.attr<DType>("dtype"), nothing_else, [](const Launch&, const Philox& start, Tensor& out) {
        fill_random_bits(start, out);
        return Status();
      });
}

Result<Kernel> make_nondeterministic_ints(const Node& node) {
  return Kernel{.compute = [dtype = node.attr<DType>("dtype")](Launch& launch) -> Status {
    auto shape = shape_input(launch.input(0));
    if (!shape) return shape.status();
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    fill_random_bits(Philox(fresh_seed(), fresh_seed()), *out);
    launch.set(0, *std::move(out));
    return {};
  }};
}

Status skip(Launch& launch) {
  auto algorithm = scalar_input<int64_t>(launch.input(1), "algorithm");
  if (!algorithm) return algorithm.status();
  auto delta = scalar_input<int64_t>(launch.input(2), "delta");
  if (!delta) return delta.status();
  return take(launch, *algorithm, static_cast<uint64_t>(*delta) * number_blocks).status();
}

// -- how many of some trials succeed

/// What NumberPairs takes of a stream, which goes on after the numbers.
class StreamUniforms {
 public:
  explicit StreamUniforms(Philox* next) : next_(next) {}
  void uniforms(double (&pair)[2]) {
    std::ranges::copy(uniform_numbers<double>(next_->block()), std::begin(pair));
    *next_ = next_->skip(1);
  }
  void normals(double (&)[2]) {}
  static double log_gamma(double) { return 0; }

 private:
  Philox* next_;
};
using Uniforms = NumberPairs<StreamUniforms>;

/// Geometric numbers are added up until they are beyond the count: how many are not.
double by_inversion(double count, double prob, Philox* stream) {
  Uniforms numbers(stream);
  double sum = 0, successes = 0;
  while (true) {
    sum += std::ceil(std::log(numbers.uniform()) / std::log1p(-prob));
    if (sum > count) return successes;
    ++successes;
  }
}

/// What Stirling's formula for the logarithm of k! leaves.
double stirling_rest(double k) {
  static constexpr double first[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                                     0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                                     0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                                     0.00833056343336287};
  if (k >= 0 && k <= 9) return first[static_cast<int>(k)];
  auto square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 + 1.0 / 1260 / square) / square) / (k + 1);
}

/// A transformed rejection, "The generation of binomial random variates", 1993, whose names these
/// are: for a probability up to a half, and many expected successes.
double by_rejection(double count, double prob, Philox* stream) {
  auto spq = std::sqrt(count * prob * (1 - prob));
  auto b = 1.15 + 2.53 * spq, a = -0.0873 + 0.0248 * b + 0.01 * prob;
  auto c = count * prob + 0.5, v_r = 0.92 - 4.2 / b, r = prob / (1 - prob);
  Uniforms numbers(stream);
  while (true) {
    auto u = numbers.uniform(), v = numbers.uniform();
    u -= 0.5;
    auto us = 0.5 - std::abs(u), k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > count) continue;
    auto alpha = (2.83 + 5.1 / b) * spq, m = std::floor((count + 1) * prob);
    v = std::log(v * alpha / (a / (us * us) + b));
    auto bound = (m + 0.5) * std::log((m + 1) / (r * (count - m + 1))) +
                 (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
                 (k + 0.5) * std::log(r * (count - k + 1) / (k + 1)) + stirling_rest(m) +
                 stirling_rest(count - m) - stirling_rest(k) - stirling_rest(count - k);
    if (v <= bound) return k;
  }
}

template <class T>
double binomial_sample(T count, T prob, Philox* stream) {
  auto trials = static_cast<double>(count);
  if (std::isnan(trials) || std::isnan(static_cast<double>(prob)))
    return std::numeric_limits<double>::quiet_NaN();
  if (trials <= 0 || prob <= T(0)) return 0;
  if (prob >= T(1)) return trials;
  auto draw = [&](T rarer) {
    auto probability = static_cast<double>(rarer);
    return static_cast<T>(count * rarer) >= T(10) ? by_rejection(trials, probability, stream)
                                                  : by_inversion(trials, probability, stream);
  };
  return prob <= T(0.5) ? draw(prob) : trials - draw(static_cast<T>(T(1) - prob));
}

/// The number as one of a dtype that may not have it.
template <class U>
U saturated(double number) {
  if constexpr (std::numeric_limits<U>::is_integer) {
    if (std::isnan(number)) return 0;
    auto greatest = greatest_sample<U>();
    if (number >= greatest) return std::numeric_limits<U>::max();
    if (number <= -greatest) return std::numeric_limits<U>::min();
  }
  return static_cast<U>(number);
}

/// The rows of a result that share parameters, or runs of numbers where all do.
struct Batches {
  int64_t count, size;

  static Result<Batches> of(const Shape& shape, const Tensor& counts, const Tensor& probs) {
    for (const auto* parameter : {&counts, &probs})
      if (parameter->shape().rank() > 1)
        return invalid_argument(
            "counts and probabilities must be scalars or vectors, but one has the shape " +
            parameter->shape().to_string());
    if (counts.elements() == 1 && probs.elements() == 1) {
      constexpr int64_t run = 100;
      return Batches{(shape.elements() + run - 1) / run, run};
    }
    auto rows = shape.rank() > 0 ? shape[0] : 1;
    for (const auto* parameter : {&counts, &probs})
      if (parameter->elements() != 1 && parameter->elements() != rows)
        return invalid_argument(
            "counts and probabilities must have one element or " + std::to_string(rows) +
            ", but one has the shape " + parameter->shape().to_string());
    return Batches{rows, rows > 0 ? shape.elements() / rows : 0};
  }
  uint64_t blocks() const {
    return static_cast<uint64_t>(count) * 2 * 100 * (static_cast<uint64_t>(size) + 3) / 4 * 256;
  }
};

/// One stream goes through all of them, as in TensorFlow on one thread.
template <class T, class U>
void fill(const Batches& batches, const Launch& launch, Philox stream, Tensor& out) {
  auto counts = launch.input(3).values<T>(), probs = launch.input(4).values<T>();
  auto* to = out.mutable_data<U>();
  for (int64_t i = 0; i < out.elements(); ++i) {
    auto batch = static_cast<size_t>(i / batches.size);
    auto count = counts[counts.size() == 1 ? 0 : batch];
    auto prob = probs[probs.size() == 1 ? 0 : batch];
    to[i] = saturated<U>(binomial_sample<T>(count, prob, &stream));
  }
}

using Fill = void (*)(const Batches&, const Launch&, Philox, Tensor&);
using Drawn = decltype(Types<float16, float, double>{} + Indices{});

template <class T>
Result<Kernel> make_binomial_of(DType dtype) {
  auto fill_all = choose(Drawn{}, dtype, [](auto zero) -> Fill { return fill<T, decltype(zero)>; });
  if (!fill_all) return no_kernel(dtype);
  auto compute = [=](Launch& launch) -> Status {
    auto algorithm = scalar_input<int64_t>(launch.input(1), "algorithm");
    if (!algorithm) return algorithm.status();
    auto shape = shape_input(launch.input(2));
    if (!shape) return shape.status();
    auto batches = Batches::of(*shape, launch.input(3), launch.input(4));
    if (!batches) return batches.status();
    auto out = launch.allocate(dtype, *shape);
    if (!out) return out.status();
    auto start = take(launch, *algorithm, batches->blocks());
    if (!start) return start.status();
    fill_all(*batches, launch, *start, *out);
    launch.set(0, *std::move(out));
    return {};
  };
  return Kernel{.compute = compute, .cost_ns = [](const Launch& launch) {
                  auto shape = shape_input(launch.input(2));
                  return shape ? 500 * shape->elements() : 0;
                }};
}

Result<Kernel> make_binomial(const Node& node) {
  return dispatch(Types<float16, float, double>{}, node.attr<DType>("T"), [&](auto zero) {
    return make_binomial_of<decltype(zero)>(node.attr<DType>("dtype"));
  });
}

}  // namespace

void add_generators_kernels(KernelCatalog& catalog) {
  catalog.add("StatefulUniform", make_drawing(Distribution::uniform));
  catalog.add("StatefulStandardNormalV2", make_drawing(Distribution::normal));
  catalog.add("StatefulTruncatedNormal", make_drawing(Distribution::truncated));
  catalog.add("StatefulStandardNormal", make_tagged_normal);
  catalog.add("StatefulUniformInt", make_bounded_ints);
  catalog.add("StatefulUniformFullInt", make_full_ints);
  catalog.add("NonDeterministicInts", make_nondeterministic_ints);
  catalog.add_compute("RngSkip", skip);
  catalog.add("StatefulRandomBinomial", make_binomial);
}

}  // namespace troupe::cpu
