#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/multinomial_input.hpp"
#include "troupe/devices/cpu/random/parts.hpp"

namespace troupe::cpu {

Result<Shape> multinomial_shape(const Launch& launch) {
  const auto& logits = launch.input(0).shape();
  if (logits.rank() != 2)
    return invalid_argument("'logits' must be a matrix, but has the shape " + logits.to_string());
  auto samples = scalar_input<int32_t>(launch.input(1), "num_samples");
  if (!samples) return samples.status();
  if (*samples < 0)
    return invalid_argument("'num_samples' must not be negative: " + std::to_string(*samples));
  if (logits[1] == 0 || logits[1] > std::numeric_limits<int32_t>::max())
    return invalid_argument(
        "'logits' must have from 1 to 2^31 - 1 classes, but has the shape " + logits.to_string());
  return Shape::make(std::vector<int64_t>{logits[0], *samples});
}

namespace {

template <class T>
void copy_as_doubles(const void* from, int64_t begin, std::vector<double>& to) {
  const auto* values = static_cast<const T*>(from) + begin;
  for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(values[i]);
}

/// The logits of rows, whatever their dtype.
struct Logits {
  const void* values;
  int64_t classes;
  void (*copy)(const void* from, int64_t begin, std::vector<double>& to);

  /// For each class the weight of all classes up to it. Classes without a finite logit weigh
  /// nothing.
  void add_up(int64_t row, std::vector<double>& sums) const {
    sums.resize(static_cast<size_t>(classes));
    copy(values, row * classes, sums);
    auto greatest = std::numeric_limits<double>::lowest();
    for (auto logit : sums)
      if (std::isfinite(logit)) greatest = std::max(greatest, logit);
    double sum = 0;
    for (auto& logit : sums) {
      if (std::isfinite(logit)) sum += std::exp(logit - greatest);
      logit = sum;
    }
  }
};

/// Samples are classes; the number of classes where none has a finite logit, as in TensorFlow. The
/// sample of a row takes the next two numbers of one stream through all rows.
template <class Out>
void sample_classes(const Logits& logits, const Philox& start, int64_t samples, Tensor& result) {
  auto* out = result.mutable_data<Out>();
  auto cost = logits.classes * 16 + samples * 32;
  parallel_ranges(result.elements() / samples, cost, [&](int64_t begin, int64_t end) {
    std::vector<double> sums;
    PhiloxNumbers numbers(start, static_cast<uint64_t>(begin * samples) * 2);
    for (auto row = begin; row < end; ++row) {
      logits.add_up(row, sums);
      for (auto i = row * samples; i < (row + 1) * samples; ++i) {
        auto found = std::ranges::upper_bound(sums, unit_double(numbers) * sums.back());
        out[i] = static_cast<Out>(found - sums.begin());
      }
    }
  });
}

/// Where a launch that sets so many elements begins; `blocks` is what it may use.
using FindStart = std::function<Result<Philox>(Launch&, uint64_t blocks)>;

Status compute_multinomial(Launch& launch, DType dtype, const FindStart& find_start) {
  auto shape = multinomial_shape(launch);
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype, *shape);
  if (!out) return out.status();
  auto samples = (*shape)[1];
  auto start = find_start(launch, multinomial_blocks(*shape));
  if (!start) return start.status();
  if (out->elements() > 0) {
    Logits logits{launch.input(0).raw(), launch.input(0).shape()[1], nullptr};
    for_dtype(Real{}, launch.input(0).dtype(), [&](auto zero) {
      logits.copy = copy_as_doubles<decltype(zero)>;
    });
    if (dtype == DType::int32) sample_classes<int32_t>(logits, *start, samples, *out);
    else sample_classes<int64_t>(logits, *start, samples, *out);
  }
  launch.set(0, *std::move(out));
  return {};
}

Kernel multinomial_kernel(const Node& node, const FindStart& find_start) {
  auto compute = [dtype = node.attr<DType>("output_dtype"), find_start](Launch& launch) {
    return compute_multinomial(launch, dtype, find_start);
  };
  return {.compute = compute, .cost_ns = [](const Launch& launch) {
            auto shape = multinomial_shape(launch);
            return shape ? 8 * launch.input(0).elements() + 16 * shape->elements() : 0;
          }};
}

Result<Kernel> make_multinomial(const Node& node) {
  return multinomial_kernel(node, [source = make_source(node)](Launch&, uint64_t blocks) {
    return source->reserve_blocks(blocks);
  });
}

Result<Kernel> make_stateless_multinomial(const Node& node) {
  return multinomial_kernel(
      node, [](Launch& launch, uint64_t) { return stateless_start(launch.input(2)); });
}

}  // namespace

void add_multinomial_kernels(KernelCatalog& catalog) {
  catalog.add("Multinomial", make_multinomial);
  catalog.add("StatelessMultinomial", make_stateless_multinomial);
  catalog.on_host("Multinomial", {1});
  catalog.on_host("StatelessMultinomial", {1, 2});
}

}  // namespace troupe::cpu
