#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/image/boxes.hpp"

namespace troupe::cpu {
namespace {

/// How many rows may be matched; all of them where that number is negative.
Result<int64_t> valid_rows(const Tensor& given, int64_t rows) {
  if (given.elements() != 1)
    return invalid_argument(
        "'num_valid_rows' must be one number, but has the shape " + given.shape().to_string());
  auto count = *given.data<float>();
  if (count < 0) return rows;
  if (count < static_cast<float>(rows) + 0.9f) return static_cast<int64_t>(count + 0.1f);
  return invalid_argument(
      "'num_valid_rows' is " + std::to_string(count) + ", but 'distance_mat' has only " +
      std::to_string(rows) + " rows");
}

Status match_bipartite(Launch& launch, int64_t top_k) {
  const auto& distances = launch.input(0);
  const auto& shape = distances.shape();
  if (shape.rank() != 2)
    return invalid_argument(
        "'distance_mat' must be a matrix, but has the shape " + shape.to_string());
  if (distances.elements() > std::numeric_limits<int32_t>::max())
    return invalid_argument("'distance_mat' has too many elements: " + shape.to_string());
  auto rows = valid_rows(launch.input(1), shape[0]);
  if (!rows) return rows.status();
  auto columns = shape[1];
  auto row_matches = launch.allocate(DType::int32, {shape[0]});
  auto column_matches = launch.allocate(DType::int32, {columns});
  for (const auto* made : {&row_matches, &column_matches})
    if (!*made) return made->status();
  std::vector<int32_t> pairs(static_cast<size_t>(*rows * columns));
  std::iota(pairs.begin(), pairs.end(), 0);
  // Those of no distance come last; of equal ones, the first.
  std::ranges::stable_sort(
      pairs, [](float a, float b) { return a < b || (b != b && a == a); },
      [of = distances.data<float>()](int32_t pair) { return of[pair]; });
  auto* column_of = row_matches->mutable_data<int32_t>();
  auto* row_of = column_matches->mutable_data<int32_t>();
  std::fill_n(column_of, shape[0], -1);
  std::fill_n(row_of, columns, -1);
  auto open = std::min(*rows, columns);
  if (top_k > 0) open = std::min(open, top_k);
  for (auto pair = pairs.begin(); open > 0; ++pair) {
    auto row = *pair / columns, column = *pair % columns;
    if (column_of[row] >= 0 || row_of[column] >= 0) continue;
    column_of[row] = static_cast<int32_t>(column);
    row_of[column] = static_cast<int32_t>(row);
    --open;
  }
  launch.set(0, *std::move(row_matches));
  launch.set(1, *std::move(column_matches));
  return {};
}

}  // namespace

void add_matching_kernels(KernelCatalog& catalog) {
  catalog.add("BipartiteMatch", [](const Node& node) -> Result<Kernel> {
    return Kernel{
        .compute = [top_k = node.attr<int64_t>("top_k")](
                       Launch& launch) { return match_bipartite(launch, top_k); },
        .cost_ns = [](const Launch& launch) { return 50 * launch.input(0).elements(); }};
  });
}

}  // namespace troupe::cpu
