#include "troupe/devices/cpu/parsing/outputs.hpp"

#include <algorithm>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using FeatureTypes = Types<float, int64_t, std::string>;

/// What a value costs, in elements of a cheap operation.
constexpr int64_t parsed_value_cost = 8;

template <class T>
void fill_with(Tensor& out, const Tensor* filling) {
  auto* to = out.mutable_data<T>();
  auto elements = out.elements();
  if (!filling || filling->elements() == 0) {
    std::fill(to, to + elements, T());
    return;
  }
  auto from = filling->values<T>();
  if (from.size() == 1) std::fill(to, to + elements, from[0]);
  else
    for (int64_t at = 0; at < elements; at += std::ssize(from))
      std::copy_n(from.begin(), std::min<int64_t>(std::ssize(from), elements - at), to + at);
}

/// Calls f(i) for each of the features, on several threads where they have many values.
template <class F>
void each_feature(int64_t count, int64_t values, const F& f) {
  auto values_each = count == 0 ? 0 : values / count + 1;
  parallel_ranges(count, values_each * parsed_value_cost, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) f(static_cast<size_t>(i));
  });
}

}  // namespace

Status set_sparse(
    Launch& launch, const SparseOutputs& outputs, DType dtype, std::span<const FeatureCell> cells,
    std::span<const int64_t> outer) {
  std::vector<int64_t> begins;
  int64_t total = 0, most = 0;
  for (const auto& cell : cells) {
    begins.push_back(total);
    total += cell.feature.count;
    most = std::max(most, cell.feature.count);
  }
  auto rank = std::ssize(outer) + 1;
  auto indices = launch.allocate(DType::int64, {total, rank});
  if (!indices) return indices.status();
  auto values = launch.allocate(dtype, {total});
  if (!values) return values.status();
  each_feature(std::ssize(cells), total, [&](size_t i) {
    const auto& cell = cells[i];
    copy_values(cell.feature, *values, begins[i]);
    auto* to = indices->mutable_data<int64_t>() + begins[i] * rank;
    auto place = std::span(cell.place).last(outer.size());
    for (int64_t j = 0; j < cell.feature.count; ++j) {
      to = std::copy(place.begin(), place.end(), to);
      *to++ = j;
    }
  });
  launch.set(outputs.indices, *std::move(indices));
  launch.set(outputs.values, *std::move(values));
  std::vector<int64_t> shape(outer.begin(), outer.end());
  shape.push_back(most);
  return set_ints(launch, outputs.shape, DType::int64, shape);
}

Status set_dense(
    Launch& launch, int output, DType dtype, const Shape& shape,
    std::span<const PlacedFeature> features, const Tensor* filling) {
  auto out = launch.allocate(dtype, shape);
  if (!out) return out.status();
  int64_t given = 0;
  for (const auto& placed : features) given += placed.feature.count;
  if (given < out->elements())
    for_dtype(FeatureTypes{}, dtype, [&](auto zero) { fill_with<decltype(zero)>(*out, filling); });
  each_feature(std::ssize(features), given, [&](size_t i) {
    copy_values(features[i].feature, *out, features[i].at);
  });
  launch.set(output, *std::move(out));
  return {};
}

}  // namespace troupe::cpu
