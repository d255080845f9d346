#include <farmhash.h>
#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"

namespace troupe::cpu {
namespace {

/// Where the elements of each row begin, and at last where they end: in the device's memory, since
/// a sparse tensor may claim more rows than anyone has.
struct RowBegins {
  Tensor tensor;

  static Result<RowBegins> of(const Launch& launch, int64_t rows) {
    auto shape = Shape::make(std::array{rows});
    if (!shape) return shape.status();
    auto tensor = launch.allocate(DType::int64, {rows + 1});
    if (!tensor) return tensor.status();
    std::fill_n(tensor->mutable_data<int64_t>(), rows + 1, int64_t{0});
    return RowBegins{*std::move(tensor)};
  }
  int64_t rows() const { return tensor.elements() - 1; }
  int64_t operator[](int64_t row) const { return tensor.data<int64_t>()[row]; }
  int64_t& operator[](int64_t row) { return tensor.mutable_data<int64_t>()[row]; }
};

/// The features of one column: those of row r are values begins[r] to begins[r + 1].
struct CrossedColumn {
  Tensor values;
  RowBegins begins;

  int64_t count(int64_t row) const { return begins[row + 1] - begins[row]; }

  std::string text(int64_t row, int64_t feature) const {
    auto at = begins[row] + feature;
    return values.dtype() == DType::string ? values.data<std::string>()[at]
                                           : std::to_string(values.data<int64_t>()[at]);
  }
  uint64_t number(int64_t row, int64_t feature) const {
    auto at = begins[row] + feature;
    if (values.dtype() == DType::int64) return static_cast<uint64_t>(values.data<int64_t>()[at]);
    const auto& text = values.data<std::string>()[at];
    return util::Fingerprint64(text.data(), text.size());
  }
};

Result<CrossedColumn> sparse_column(const Launch& launch, int column, int columns) {
  const auto& values = launch.input(columns + column);
  auto places = SparsePlaces::of(launch.input(column), values, launch.input(2 * columns + column));
  if (!places) return places.status();
  if (places->rank() != 2)
    return invalid_argument(
        "features must lie in matrices, but the rank of column " + std::to_string(column) + " is " +
        std::to_string(places->rank()));
  auto rows = places->sizes()[0];
  auto begins = RowBegins::of(launch, rows);
  if (!begins) return begins.status();
  CrossedColumn found{values, *std::move(begins)};
  for (int64_t entry = 0; entry < places->count(); ++entry) {
    if (entry > 0 && (*places)[entry][0] < (*places)[entry - 1][0])
      return invalid_argument(
          "the features of column " + std::to_string(column) + " must come row by row, but index " +
          show_index((*places)[entry]) + " follows " + show_index((*places)[entry - 1]));
    ++found.begins[(*places)[entry][0] + 1];
  }
  for (int64_t row = 0; row < rows; ++row) found.begins[row + 1] += found.begins[row];
  return found;
}

Result<CrossedColumn> dense_column(const Launch& launch, const Tensor& values) {
  if (values.shape().rank() != 2)
    return invalid_argument(
        "dense features must be matrices, but one has shape " + values.shape().to_string());
  auto begins = RowBegins::of(launch, values.shape()[0]);
  if (!begins) return begins.status();
  CrossedColumn found{values, *std::move(begins)};
  for (int64_t row = 0; row < values.shape()[0]; ++row)
    found.begins[row + 1] = found.begins[row] + values.shape()[1];
  return found;
}

Result<std::vector<CrossedColumn>> crossed_columns(const Launch& launch, int columns) {
  std::vector<CrossedColumn> found;
  for (int i = 0; i < launch.input_count() - 2 * columns; ++i) {
    auto is_sparse = i < columns;
    const auto& values = launch.input(is_sparse ? columns + i : 2 * columns + i);
    if (values.dtype() != DType::int64 && values.dtype() != DType::string)
      return invalid_argument(
          std::string("features must be int64 or string, but some are ") +
          to_string(values.dtype()));
    auto column = is_sparse ? sparse_column(launch, i, columns) : dense_column(launch, values);
    if (!column) return column.status();
    if (!found.empty() && column->begins.rows() != found[0].begins.rows())
      return invalid_argument(
          "all columns must have as many rows, but have " + std::to_string(found[0].begins.rows()) +
          " and " + std::to_string(column->begins.rows()));
    found.push_back(*std::move(column));
  }
  return found;
}

/// Where the crosses of each row begin, and the most of a row.
struct CrossCounts {
  RowBegins begins;
  int64_t most = 0;

  static Result<CrossCounts> of(const Launch& launch, const std::vector<CrossedColumn>& columns) {
    auto rows = columns.empty() ? 0 : columns[0].begins.rows();
    auto begins = RowBegins::of(launch, rows);
    if (!begins) return begins.status();
    CrossCounts counts{*std::move(begins)};
    for (int64_t row = 0; row < rows; ++row) {
      int64_t count = 1;
      auto overflows = false;
      for (const auto& column : columns) {
        overflows = overflows && column.count(row) != 0;
        overflows |= __builtin_mul_overflow(count, column.count(row), &count);
      }
      auto& next = counts.begins[row + 1];
      overflows |= __builtin_add_overflow(counts.begins[row], count, &next);
      if (overflows || next > Shape::max_elements)
        return invalid_argument("there are too many combinations of features");
      counts.most = std::max(counts.most, count);
    }
    return counts;
  }
};

/// TensorFlow's way to make one fingerprint of two.
uint64_t join_fingerprints(uint64_t a, uint64_t b) {
  constexpr uint64_t factor = 0xc6a4a7935bd1e995;
  auto mix = [](uint64_t x) { return x ^ (x >> 47); };
  return mix(mix(((a ^ factor) ^ (mix(b * factor) * factor)) * factor) * factor);
}

struct HashedCross {
  uint64_t key, buckets;

  template <class At>
  int64_t operator()(size_t columns, const At& at) const {
    auto hash = key;
    for (size_t i = 0; i < columns; ++i)
      hash = join_fingerprints(hash, at(i, [](const auto& column, auto row, auto feature) {
                                 return column.number(row, feature);
                               }));
    constexpr auto all = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return static_cast<int64_t>(hash % (buckets > 0 ? buckets : all));
  }
};

struct JoinedCross {
  template <class At>
  std::string operator()(size_t columns, const At& at) const {
    std::string joined;
    for (size_t i = 0; i < columns; ++i)
      joined += (i == 0 ? "" : "_X_") + at(i, [](const auto& column, auto row, auto feature) {
                  return column.text(row, feature);
                });
    return joined;
  }
};

/// Sets the crosses of a row, of which the features of the last column change fastest.
template <class Out, class Cross>
void cross_row(
    const std::vector<CrossedColumn>& columns, int64_t row, int64_t count, Out* to,
    const Cross& cross) {
  std::vector<int64_t> chosen(columns.size());
  for (int64_t i = 0; i < count; ++i) {
    *to++ = cross(columns.size(), [&](size_t column, const auto& feature_of) {
      return feature_of(columns[column], row, chosen[column]);
    });
    for (auto column = columns.size(); column-- > 0;) {
      if (++chosen[column] < columns[column].count(row)) break;
      chosen[column] = 0;
    }
  }
}

template <class Out, class Cross>
Status compute_sparse_cross(Launch& launch, int sparse_columns, const Cross& cross) {
  auto columns = crossed_columns(launch, sparse_columns);
  if (!columns) return columns.status();
  auto counts = CrossCounts::of(launch, *columns);
  if (!counts) return counts.status();
  auto rows = counts->begins.rows(), total = counts->begins[rows];
  auto indices = launch.allocate(DType::int64, {total, 2});
  auto values = launch.allocate(dtype_of<Out>(), {total});
  auto shape = launch.allocate(DType::int64, {2});
  for (const auto* tensor : {&indices, &values, &shape})
    if (!*tensor) return tensor->status();
  auto* places = indices->template mutable_data<int64_t>();
  auto* to = values->template mutable_data<Out>();
  parallel_ranges(rows, 100 * (1 + total / std::max<int64_t>(rows, 1)), [&](auto begin, auto end) {
    for (auto row = begin; row < end; ++row) {
      auto first = counts->begins[row], count = counts->begins[row + 1] - first;
      cross_row(*columns, row, count, to + first, cross);
      for (int64_t i = 0; i < count; ++i) {
        places[2 * (first + i)] = row;
        places[2 * (first + i) + 1] = i;
      }
    }
  });
  shape->template mutable_data<int64_t>()[0] = rows;
  shape->template mutable_data<int64_t>()[1] = counts->most;
  launch.set(0, *std::move(indices));
  launch.set(1, *std::move(values));
  launch.set(2, *std::move(shape));
  return {};
}

}  // namespace

void add_sparse_cross_kernels(KernelCatalog& catalog) {
  catalog.add("SparseCross", [](const Node& node) {
    auto columns = static_cast<int>(node.attr<int64_t>("N"));
    HashedCross hashed{
        static_cast<uint64_t>(node.attr<int64_t>("hash_key")),
        static_cast<uint64_t>(node.attr<int64_t>("num_buckets"))};
    if (node.attr<bool>("hashed_output"))
      return Kernel{.compute = [=](Launch& launch) {
        return compute_sparse_cross<int64_t>(launch, columns, hashed);
      }};
    return Kernel{.compute = [=](Launch& launch) {
      return compute_sparse_cross<std::string>(launch, columns, JoinedCross());
    }};
  });
}

}  // namespace troupe::cpu
