#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/indexing/ragged.hpp"
#include "troupe/graph/op.hpp"
#include "troupe/graph/ops/indexing/row_partition.hpp"

namespace troupe::cpu {
namespace {

constexpr int64_t nowhere = -1;

/// Where in the result each row of a level lies, or nowhere: in the device's memory, since splits
/// may claim more rows than anyone has.
struct RowPlaces {
  Tensor places;
  int64_t count;  // of the rows; what is behind the places is nowhere

  int64_t operator[](int64_t row) const {
    return row < places.elements() ? places.data<int64_t>()[row] : nowhere;
  }
};

/// One row partition, below the first axis.
struct Partition {
  RowPartition kind;
  Tensor tensor;
  std::vector<int64_t> numbers;  // splits, or the row of each value

  static Result<Partition> of(RowPartition kind, const Tensor& tensor) {
    if (tensor.shape().rank() != 1)
      return invalid_argument(
          "a row partition must be a vector, but has shape " + tensor.shape().to_string());
    if (kind == RowPartition::row_splits)
      if (auto status = check_row_splits(tensor, Shape::max_elements); !status.ok()) return status;
    return Partition{kind, tensor, *to_ints(tensor)};
  }

  /// How many values the largest row has.
  int64_t width() const {
    int64_t most = 0, own = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (kind == RowPartition::value_rowids)
        own = i > 0 && numbers[i] == numbers[i - 1] ? own + 1 : 1;
      else own = i > 0 ? numbers[i] - numbers[i - 1] : 0;
      most = std::max(most, own);
    }
    return most;
  }

  int64_t values() const {
    return kind == RowPartition::row_splits ? numbers.back() : std::ssize(numbers);
  }

  /// The places of the values of rows in those places, `stride` apart, at most `size` of a row.
  Result<RowPlaces> places(
      const Launch& launch, const RowPlaces& rows, int64_t stride, int64_t size) const {
    auto shape = Shape::make(std::array{values()});
    if (!shape) return shape.status();
    auto found = launch.allocate(DType::int64, *shape);
    if (!found) return found.status();
    auto* to = found->mutable_data<int64_t>();
    auto place = [&](int64_t row, int64_t column) {
      auto first = rows[row];
      return first == nowhere || column >= size ? nowhere : first + column * stride;
    };
    auto status = kind == RowPartition::row_splits ? set_by_splits(rows.count, place, to)
                                                   : set_by_rowids(rows.count, place, to);
    if (!status.ok()) return status;
    return RowPlaces{*std::move(found), values()};
  }

 private:
  template <class F>
  Status set_by_splits(int64_t rows, const F& place, int64_t* to) const {
    if (std::ssize(numbers) - 1 > rows)
      return invalid_argument(
          "there are splits for " + std::to_string(numbers.size() - 1) + " rows, but only " +
          std::to_string(rows) + " rows");
    std::fill_n(to, numbers[0], nowhere);
    for (int64_t row = 0; row + 1 < std::ssize(numbers); ++row)
      for (auto i = numbers[row]; i < numbers[row + 1]; ++i) to[i] = place(row, i - numbers[row]);
    return {};
  }
  template <class F>
  Status set_by_rowids(int64_t rows, const F& place, int64_t* to) const {
    int64_t column = 0;
    for (int64_t i = 0; i < std::ssize(numbers); ++i) {
      auto row = numbers[i];
      if (row < 0 || row >= rows || (i > 0 && row < numbers[i - 1]))
        return invalid_argument(
            "the rows of values must be in order and lie in [0, " + std::to_string(rows) +
            "), but one is " + std::to_string(row));
      column = i > 0 && row == numbers[i - 1] ? column + 1 : 0;
      to[i] = place(row, column);
    }
    return {};
  }
};

struct RaggedRows {
  int64_t count;  // along the first axis
  std::vector<Partition> partitions;

  static Result<RaggedRows> of(const Launch& launch, const std::vector<RowPartition>& kinds) {
    constexpr int first_input = 3;
    RaggedRows rows{0, {}};
    for (size_t i = 0; i < kinds.size(); ++i) {
      const auto& tensor = launch.input(static_cast<int>(i) + first_input);
      if (kinds[i] == RowPartition::first_dim_size) {
        if (!tensor.shape().is_scalar())
          return invalid_argument(
              "FIRST_DIM_SIZE must be a scalar, but is " + tensor.shape().to_string());
        rows.count = to_ints(tensor)->front();
        if (rows.count < 0)
          return invalid_argument("there cannot be " + std::to_string(rows.count) + " rows");
        continue;
      }
      auto partition = Partition::of(kinds[i], tensor);
      if (!partition) return partition.status();
      if (i == 0) rows.count = std::ssize(partition->numbers) - 1;
      rows.partitions.push_back(*std::move(partition));
    }
    return rows;
  }

  /// With the sizes that are open.
  Result<Shape> complete(const Shape& open) const {
    std::vector<int64_t> sizes(open.sizes().begin(), open.sizes().end());
    if (sizes[0] < 0) sizes[0] = count;
    for (size_t i = 0; i < partitions.size(); ++i)
      if (sizes[i + 1] < 0) sizes[i + 1] = partitions[i].width();
    return Shape::make(sizes);
  }

  /// The places of the values in a result of that shape.
  Result<RowPlaces> value_places(const Launch& launch, const Shape& shape) const {
    auto kept = std::min(count, shape[0]);
    auto found = launch.allocate(DType::int64, {kept});
    if (!found) return found.status();
    auto stride = shape[0] > 0 ? shape.elements() / shape[0] : 0;
    for (int64_t i = 0; i < kept; ++i) found->mutable_data<int64_t>()[i] = i * stride;
    RowPlaces places{*std::move(found), count};
    for (size_t i = 0; i < partitions.size(); ++i) {
      auto size = shape[static_cast<int>(i) + 1];
      stride = size > 0 ? stride / size : 0;
      auto next = partitions[i].places(launch, places, stride, size);
      if (!next) return next;
      places = *std::move(next);
    }
    return places;
  }
};

/// Fills the result with the default value, which is broadcast to it.
Status fill_default(Tensor& out, const Tensor& value, const Shape& values) {
  if (value.shape().is_scalar()) {
    fill_with(out, value);
    return {};
  }
  auto shape = broadcast(value.shape(), out.shape());
  if (value.shape().rank() >= values.rank() || !shape || *shape != out.shape())
    return invalid_argument(
        "a default value of shape " + value.shape().to_string() + " does not fit values of shape " +
        values.to_string());
  copy_nest(out, 0, value, 0, broadcast_nest(out.shape(), value.shape(), out.shape()));
  return {};
}

Status compute_ragged_to_tensor(Launch& launch, const std::vector<RowPartition>& kinds) {
  const auto &given = launch.input(0), &values = launch.input(1), &fallback = launch.input(2);
  if (values.shape().is_scalar())
    return invalid_argument("the values of a ragged tensor must have at least rank 1, not 0");
  if (given.shape().rank() > 1)
    return invalid_argument(
        "'shape' must be a scalar or vector, but is " + given.shape().to_string());
  if (given.shape().is_scalar() && to_ints(given)->front() != Shape::unknown)
    return invalid_argument("a scalar 'shape' must be -1");
  auto rows = RaggedRows::of(launch, kinds);
  if (!rows) return rows.status();
  auto sizes = given.shape().is_scalar() ? std::nullopt : to_ints(given);
  auto open = ragged_tensor_shape(sizes, values.shape(), ragged_rank(kinds));
  if (!open) return open.status();
  auto shape = rows->complete(*open);
  if (!shape) return shape.status();
  auto out = launch.allocate(values.dtype(), *shape);
  if (!out) return out.status();
  if (auto status = fill_default(*out, fallback, values.shape()); !status.ok()) return status;
  if (out->elements() > 0) {
    auto places = rows->value_places(launch, *shape);
    if (!places) return places.status();
    if (places->count != values.shape()[0])
      return invalid_argument(
          "the rows have " + std::to_string(places->count) + " values, but there are " +
          std::to_string(values.shape()[0]));
    auto size = values.shape()[0] > 0 ? values.elements() / values.shape()[0] : 0;
    for (int64_t i = 0; i < places->count; ++i)
      if (auto place = (*places)[i]; place != nowhere)
        copy_elements(*out, place, values, i * size, size);
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_ragged_to_tensor_kernels(KernelCatalog& catalog) {
  catalog.add("RaggedTensorToTensor", [](const Node& node) -> Result<Kernel> {
    auto kinds = parse_row_partitions(node.attr<std::vector<std::string>>("row_partition_types"));
    if (!kinds) return kinds.status();
    return copying_kernel(node.attr<DType>("T"), [kinds = *kinds](Launch& launch) {
      return compute_ragged_to_tensor(launch, kinds);
    });
  });
}

}  // namespace troupe::cpu
