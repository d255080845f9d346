#include "troupe/devices/cpu/reduction/segment_input.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

std::string position_text(const char* what, int64_t value, size_t position, int64_t limit) {
  return std::string(what) + " " + std::to_string(value) + " at position " +
         std::to_string(position) + " is not in [0, " + std::to_string(limit) + ")";
}

Result<std::vector<int64_t>> int_vector(const Tensor& tensor, const char* name) {
  auto values = to_ints(tensor);
  if (tensor.shape().rank() != 1 || !values)
    return invalid_argument(
        std::string(name) + " must be a vector, but has the shape " + tensor.shape().to_string());
  return *std::move(values);
}

/// The indices and the segment ids, which are of one length.
Result<SparseSegments> read_rows(const Launch& launch) {
  if (launch.input(0).shape().is_scalar())
    return invalid_argument("input 0 must have at least rank 1, but is a scalar");
  auto indices = int_vector(launch.input(1), "indices");
  if (!indices) return indices.status();
  auto ids = int_vector(launch.input(2), "segment_ids");
  if (!ids) return ids.status();
  if (indices->size() != ids->size())
    return invalid_argument(
        "indices and segment_ids must have one length, but have " +
        std::to_string(indices->size()) + " and " + std::to_string(ids->size()) + " elements");
  return SparseSegments{.indices = *std::move(indices), .ids = *std::move(ids)};
}

/// The number of rows of the result, input 3.
Result<int64_t> given_count(const Launch& launch) {
  auto given = scalar_input(launch.input(3), "the number of rows");
  if (!given) return given.status();
  if (*given < 0)
    return invalid_argument(
        "the number of rows of the result, " + std::to_string(*given) + ", is negative");
  return *given;
}

Status check_positions(std::span<const int64_t> values, int64_t limit, const char* what) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0 || values[i] >= limit)
      return invalid_argument(position_text(what, values[i], i, limit));
  return {};
}

Status check_sorted(std::span<const int64_t> ids) {
  for (size_t i = 1; i < ids.size(); ++i)
    if (ids[i] < ids[i - 1])
      return invalid_argument(
          "segment ids must not decrease, but " + std::to_string(ids[i]) + " comes after " +
          std::to_string(ids[i - 1]));
  return {};
}

}  // namespace

Result<int64_t> count_sorted_segments(
    const Shape& data, const Shape& ids_shape, std::span<const int64_t> ids) {
  if (data.is_scalar() || ids_shape.rank() != 1 || std::ssize(ids) != data[0])
    return invalid_argument(
        "segment_ids must be a vector with an id for each row of the data, of shape " +
        data.to_string() + ", but has the shape " + ids_shape.to_string());
  int64_t last = -1;
  for (auto id : ids) {
    if (id < 0) return invalid_argument("segment id " + std::to_string(id) + " is negative");
    if (id < last)
      return invalid_argument(
          "segment ids must not decrease, but " + std::to_string(id) + " comes after " +
          std::to_string(last));
    last = id;
  }
  if (last == std::numeric_limits<int64_t>::max())
    return invalid_argument("segment id " + std::to_string(last) + " is too large");
  return last + 1;
}

Result<SparseSegments> read_sparse_segments(const Launch& launch, bool is_counted) {
  auto rows = read_rows(launch);
  if (!rows) return rows.status();
  if (auto status = check_sorted(rows->ids); !status.ok()) return status;
  auto count = is_counted ? given_count(launch)
                          : Result<int64_t>(rows->ids.empty() ? 0 : rows->ids.back() + 1);
  if (!count) return count.status();
  auto status = check_positions(rows->ids, *count, "segment id");
  if (status.ok()) status = check_positions(rows->indices, launch.input(0).shape()[0], "index");
  if (!status.ok()) return status;
  rows->count = *count;
  return rows;
}

Result<SparseSegments> read_sparse_segment_gradient(const Launch& launch) {
  auto rows = read_rows(launch);
  if (!rows) return rows.status();
  auto count = given_count(launch);
  if (!count) return count.status();
  auto status = check_positions(rows->ids, launch.input(0).shape()[0], "segment id");
  if (status.ok()) status = check_positions(rows->indices, *count, "index");
  if (!status.ok()) return status;
  rows->count = *count;
  return rows;
}

double divisor_of(SegmentDivisor divisor, int64_t rows) {
  auto count = static_cast<double>(rows);
  return divisor == SegmentDivisor::root_of_count ? std::sqrt(count) : count;
}

Result<Shape> with_rows(const Shape& shape, int64_t rows) {
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.front() = rows;
  return Shape::make(sizes);
}

int64_t row_size_of(const Shape& shape) {
  int64_t size = 1;
  for (auto axis : shape.sizes().subspan(1)) size *= axis;
  return size;
}

}  // namespace troupe::cpu
