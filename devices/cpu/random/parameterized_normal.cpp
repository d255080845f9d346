#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/parts.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

constexpr int tries_max = 1000;

/// Of the numbers of one batch.
template <class T>
struct NormalParameters {
  T mean, deviation, least, greatest;

  bool are_valid() const {
    return deviation > T(0) && least < greatest &&
           (std::isfinite(promote(least)) || std::isfinite(promote(greatest)));
  }
  std::string to_string() const {
    auto text = [](T value) { return std::to_string(static_cast<double>(value)); };
    return "mean " + text(mean) + ", deviation " + text(deviation) + ", bounds " + text(least) +
           " and " + text(greatest);
  }
};

/// Normal numbers between bounds, by one of three rejections, with the bits of one stream. All
/// operations round to T, as TensorFlow's do.
template <class T>
class BoundedNormals {
 public:
  explicit BoundedNormals(const Philox& start) : next_(start) {}

  /// Sets all of `out`. False where none of a thousand numbers was accepted.
  bool fill(NormalParameters<T> p, std::span<T> out) {
    // One bound that is finite is made the lower one; bounds on one side of the mean, positive.
    bool has_no_least = std::isinf(promote(p.least)) && p.least < T(0);
    if (has_no_least || p.greatest < p.mean) {
      std::swap(p.least, p.greatest);
      p.deviation = -p.deviation;
    }
    least_ = (p.least - p.mean) / p.deviation;
    greatest_ = (p.greatest - p.mean) / p.deviation;
    if (!take(out)) return false;
    for (auto& number : out) number = number * p.deviation + p.mean;
    return true;
  }

 private:
  using Numbers = BlockNumbers<T>;
  using Proposals = std::array<std::optional<T>, std::tuple_size_v<Numbers>>;

  static T square_root(T x) { return static_cast<T>(std::sqrt(promote(x))); }
  static T exponential(T x) { return static_cast<T>(std::exp(promote(x))); }
  static T logarithm(T x) { return static_cast<T>(std::log(promote(x))); }

  bool take(std::span<T> out) {
    // So far from the mean that normal numbers are mostly between the bounds.
    const T far = T(1.3), zero = T(0);
    if ((least_ < -far && greatest_ >= zero) || (greatest_ > far && least_ <= zero))
      return take(out, [&] { return propose_normal(); });
    auto root = square_root(least_ * least_ + T(4));
    auto cutoff = T(2) * exponential(T(0.5) + (least_ * (least_ - root)) / T(4)) / (least_ + root);
    if (greatest_ - least_ < cutoff) return take(out, [&] { return propose_uniform(); });
    return take(out, [&] { return propose_exponential(); });
  }

  template <class Propose>
  bool take(std::span<T> out, const Propose& propose) {
    int refused = 0;
    for (size_t count = 0; count < out.size();)
      for (const auto& number : propose()) {
        if (number) {
          out[count++] = *number;
          refused = 0;
          if (count == out.size()) break;
        } else if (++refused >= tries_max) {
          return false;
        }
      }
    return true;
  }

  Philox::Block take_block() {
    auto block = next_.block();
    next_ = next_.skip(1);
    return block;
  }

  Proposals propose_normal() {
    auto numbers = normal_numbers<T>(take_block());
    Proposals proposals;
    for (size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] >= least_ && numbers[i] <= greatest_) proposals[i] = numbers[i];
    return proposals;
  }

  Proposals propose_uniform() {
    auto most = least_ < T(0) ? T(0) : T(least_ * least_);
    auto numbers = uniform_numbers<T>(take_block()), chances = uniform_numbers<T>(take_block());
    Proposals proposals;
    for (size_t i = 0; i < numbers.size(); ++i) {
      T z = numbers[i] * (greatest_ - least_) + least_;
      if (chances[i] <= exponential((most - z * z) / T(2))) proposals[i] = z;
    }
    return proposals;
  }

  /// Each takes two numbers of a block.
  std::array<std::optional<T>, std::tuple_size_v<Numbers> / 2> propose_exponential() {
    auto alpha = (least_ + square_root(least_ * least_ + T(4))) / T(2);
    auto numbers = uniform_numbers<T>(take_block());
    std::array<std::optional<T>, std::tuple_size_v<Numbers> / 2> proposals;
    for (size_t i = 0; i < proposals.size(); ++i) {
      T z = -logarithm(numbers[2 * i]) / alpha + least_;
      T x = least_ < alpha ? alpha - z : least_ - alpha;
      if (numbers[2 * i + 1] <= exponential(-x * x / T(2)) && z < greatest_) proposals[i] = z;
    }
    return proposals;
  }

  Philox next_;
  T least_{}, greatest_{};  // in deviations from the mean
};

/// The rows of a result that share parameters, or runs of numbers where all do.
struct NormalBatches {
  Shape shape;
  int64_t count, size;

  static Result<NormalBatches> of(const Launch& launch) {
    auto shape = sizes_input(launch.input(0));
    if (!shape) return shape.status();
    if (shape->rank() < 1)
      return invalid_argument("'shape' must have at least one size, but is []");
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
};

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
  auto blocks = batches->count * 2 * tries_max * (batches->size + 3) / 4;
  BoundedNormals<T> normals(source.reserve_blocks(static_cast<uint64_t>(blocks)));
  auto numbers = std::span(out->template mutable_data<T>(), static_cast<size_t>(out->elements()));
  // One stream goes through all batches, so they are drawn one after the other.
  for (int64_t b = 0; b < batches->count && !numbers.empty(); ++b) {
    NormalParameters<T> p{parameter(1, b), parameter(2, b), parameter(3, b), parameter(4, b)};
    if (!p.are_valid())
      return invalid_argument(
          "a deviation must be above 0, a lower bound below the upper one, and one of the bounds "
          "finite, but given are " +
          p.to_string());
    auto batch = numbers.first(std::min(numbers.size(), static_cast<size_t>(batches->size)));
    if (!normals.fill(p, batch))
      return invalid_argument(
          "none of " + std::to_string(tries_max) +
          " normal numbers was between the bounds: " + p.to_string());
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

void add_parameterized_normal_kernels(KernelCatalog& catalog) {
  catalog.add("ParameterizedTruncatedNormal", make_parameterized_normal);
  catalog.on_host("ParameterizedTruncatedNormal", {0});
}

}  // namespace troupe::cpu
