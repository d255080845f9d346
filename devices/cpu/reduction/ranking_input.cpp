#include "troupe/devices/cpu/reduction/ranking_input.hpp"

#include <limits>
#include <string>

#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

Result<RankedRows> rows_of(const Tensor& x) {
  auto rank = x.shape().rank();
  if (rank == 0) return invalid_argument("the input must have at least rank 1, but is a scalar");
  RankedRows rows{.count = 1, .length = x.shape()[rank - 1], .result = x.shape()};
  for (auto size : x.shape().sizes().first(static_cast<size_t>(rank - 1))) rows.count *= size;
  return rows;
}

}  // namespace

Result<RankedRows> read_top_k(const Launch& launch, std::optional<int64_t> fixed) {
  auto k = fixed ? Result<int64_t>(*fixed) : scalar_input(launch.input(1), "k");
  if (!k) return k.status();
  const auto& x = launch.input(0);
  auto rows = rows_of(x);
  if (!rows) return rows;
  if (*k < 0) return invalid_argument("k must not be negative, but is " + std::to_string(*k));
  if (*k > rows->length)
    return invalid_argument(
        "k is " + std::to_string(*k) + ", but a row of " + x.shape().to_string() + " is shorter");
  if (rows->length > std::numeric_limits<int32_t>::max())
    return invalid_argument("a row of " + x.shape().to_string() + " is too long for int32 indices");
  rows->wanted = *k;
  rows->result.set(x.shape().rank() - 1, *k);
  return rows;
}

Result<RankedRows> read_nth_element(const Launch& launch, bool reverse) {
  const auto& x = launch.input(0);
  auto rows = rows_of(x);
  if (!rows) return rows;
  auto n = scalar_input(launch.input(1), "n");
  if (!n) return n.status();
  if (*n < 0 || *n >= rows->length)
    return invalid_argument(
        "n is " + std::to_string(*n) + ", but the last axis of " + x.shape().to_string() +
        " has no such element");
  if (rows->length > std::numeric_limits<uint32_t>::max())
    return unimplemented("rows of more than 2^32 elements, as those of " + x.shape().to_string());
  rows->wanted = reverse ? *n : rows->length - 1 - *n;
  rows->result = Shape(x.shape().sizes().first(static_cast<size_t>(x.shape().rank() - 1)));
  return rows;
}

Result<int64_t> read_in_top_k(const Launch& launch, std::optional<int64_t> fixed) {
  auto k = fixed ? Result<int64_t>(*fixed) : scalar_input(launch.input(2), "k");
  if (!k) return k;
  const auto &predictions = launch.input(0).shape(), &targets = launch.input(1).shape();
  if (predictions.rank() != 2)
    return invalid_argument(
        "predictions must have rank 2, not the shape " + predictions.to_string());
  if (targets.rank() != 1 || targets[0] != predictions[0])
    return invalid_argument(
        "targets must have one element for each row of predictions, of shape " +
        predictions.to_string() + ", but have the shape " + targets.to_string());
  return k;
}

}  // namespace troupe::cpu
