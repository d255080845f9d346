#include "troupe/devices/cpu/random/normal_batches.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/parts.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

/// What BoundedProposals computes with.
template <class T>
struct BlockMath {
  using Number = T;
  static constexpr int numbers_of_block = std::tuple_size_v<BlockNumbers<T>>;

  static T of(double number) { return static_cast<T>(number); }
  static double wide(T number) { return static_cast<double>(number); }
  static T product(T x, T y) { return x * y; }
  static T root(T x) { return static_cast<T>(std::sqrt(promote(x))); }
  static T exponential(T x) { return static_cast<T>(std::exp(promote(x))); }
  static T logarithm(T x) { return static_cast<T>(std::log(promote(x))); }
  static void uniforms(const Philox::Block& bits, T* numbers) {
    std::ranges::copy(uniform_numbers<T>(bits), numbers);
  }
  static void normals(const Philox::Block& bits, T* numbers) {
    std::ranges::copy(normal_numbers<T>(bits), numbers);
  }
};
template <class T>
using BlockParameters = NormalParameters<BlockMath<T>>;

/// Sets all of `out`, and goes on in the stream. False where none of a thousand numbers was
/// accepted.
template <class T>
bool fill_between(const BlockParameters<T>& parameters, Philox& next, std::span<T> out) {
  BoundedProposals<BlockMath<T>> proposals(parameters);
  int refused = 0;
  for (size_t count = 0; count < out.size();) {
    T numbers[BlockMath<T>::numbers_of_block];
    auto accepted = proposals.propose(next, numbers);
    next = next.skip(static_cast<uint64_t>(proposals.blocks()));
    for (int i = 0; i < proposals.size() && count < out.size(); ++i) {
      if (accepted >> i & 1) {
        out[count++] = proposals.result(numbers[i]);
        refused = 0;
      } else if (++refused >= bounded_tries_max) {
        return false;
      }
    }
  }
  return true;
}

template <class T>
WideNormalParameters wide(const BlockParameters<T>& p) {
  auto widen = [](T value) { return static_cast<double>(value); };
  return {widen(p.mean), widen(p.deviation), widen(p.least), widen(p.greatest)};
}

std::string text_of(const WideNormalParameters& p) {
  return "mean " + std::to_string(p.mean) + ", deviation " + std::to_string(p.deviation) +
         ", bounds " + std::to_string(p.least) + " and " + std::to_string(p.greatest);
}

template <class T>
Status compute_parameterized_normal(Launch& launch, PhiloxSource& source) {
  auto batches = NormalBatches::of(launch);
  if (!batches) return batches.status();
  auto out = launch.allocate(dtype_of<T>(), batches->shape);
  if (!out) return out.status();
  auto parameter = [&](int input, int64_t batch) {
    const auto& tensor = launch.input(input);
    return tensor.data<T>()[tensor.elements() == 1 ? 0 : batch];
  };
  auto next = source.reserve_blocks(batches->blocks());
  auto numbers = std::span(out->template mutable_data<T>(), static_cast<size_t>(out->elements()));
  // One stream goes through all batches, so they are drawn one after the other.
  for (int64_t b = 0; b < batches->count && !numbers.empty(); ++b) {
    BlockParameters<T> p{parameter(1, b), parameter(2, b), parameter(3, b), parameter(4, b)};
    if (!p.are_valid()) return normal_parameters_are_invalid(wide<T>(p));
    auto batch = numbers.first(std::min(numbers.size(), static_cast<size_t>(batches->size)));
    if (!fill_between<T>(p, next, batch)) return no_normal_number_is_between(wide<T>(p));
    numbers = numbers.subspan(batch.size());
  }
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_parameterized_normal(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("dtype"), [&](auto zero) {
    return Kernel{
        .compute =
            [source = make_source(node)](Launch& launch) {
              return compute_parameterized_normal<decltype(zero)>(launch, *source);
            },
        .cost_ns =
            [](const Launch& launch) {
              auto shape = sizes_input(launch.input(0));
              return shape ? 40 * shape->elements() : 0;
            }};
  });
}

}  // namespace

Result<NormalBatches> NormalBatches::of(const Launch& launch) {
  auto shape = sizes_input(launch.input(0));
  if (!shape) return shape.status();
  if (shape->rank() < 1) return invalid_argument("'shape' must have at least one size, but is []");
  NormalBatches batches{*shape, (*shape)[0], 0};
  bool are_alike = true;
  for (int i = 1; i <= 4; ++i) {
    const auto& own = launch.input(i).shape();
    if (own.rank() > 1 || (own.rank() == 1 && own[0] != 1 && own[0] != batches.count))
      return invalid_argument(
          "parameter " + std::to_string(i) + " must be a scalar or have the shape [1] or [" +
          std::to_string(batches.count) + "], but has the shape " + own.to_string());
    are_alike &= own.is_scalar() || (i <= 2 && own[0] == 1);
  }
  constexpr int64_t run = 100;  // as TensorFlow's
  auto elements = shape->elements();
  if (are_alike) batches.count = (elements + run - 1) / run;
  batches.size = are_alike ? run : elements / std::max<int64_t>(1, batches.count);
  return batches;
}

Status normal_parameters_are_invalid(const WideNormalParameters& parameters) {
  return invalid_argument(
      "a deviation must be above 0, a lower bound below the upper one, and one of the bounds "
      "finite, but given are " +
      text_of(parameters));
}

Status no_normal_number_is_between(const WideNormalParameters& parameters) {
  return invalid_argument(
      "none of " + std::to_string(bounded_tries_max) +
      " normal numbers was between the bounds: " + text_of(parameters));
}

void add_parameterized_normal_kernels(KernelCatalog& catalog) {
  catalog.add("ParameterizedTruncatedNormal", make_parameterized_normal);
  catalog.on_host("ParameterizedTruncatedNormal", {0});
}

}  // namespace troupe::cpu
