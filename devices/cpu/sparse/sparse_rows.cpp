#include <algorithm>
#include <numeric>
#include <string>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"

namespace troupe::cpu {
namespace {

/// The sizes of sparse tensors joined along an axis, and where each of them begins on it.
struct SparseJoin {
  std::vector<int64_t> sizes, starts;
  size_t axis;

  static Result<SparseJoin> of(std::span<const SparsePlaces> parts, int64_t given_axis) {
    auto rank = parts[0].rank();
    auto axis = find_axis(given_axis, rank);
    if (!axis)
      return invalid_argument(
          "'concat_dim' must lie in [" + std::to_string(-rank) + ", " + std::to_string(rank) +
          "), but is " + std::to_string(given_axis));
    SparseJoin join = {.sizes = parts[0].sizes(), .starts = {}, .axis = static_cast<size_t>(*axis)};
    auto& joined = join.sizes[join.axis] = 0;
    for (const auto& part : parts) {
      if (part.rank() != rank)
        return invalid_argument(
            "tensors of rank " + std::to_string(rank) + " and " + std::to_string(part.rank()) +
            " cannot be concatenated");
      for (size_t i = 0; i < join.sizes.size(); ++i)
        if (i != join.axis && part.sizes()[i] != join.sizes[i])
          return invalid_argument(
              "shapes must agree but for axis " + std::to_string(*axis) + ", which " +
              show_index(parts[0].sizes()) + " and " + show_index(part.sizes()) + " do not");
      join.starts.push_back(joined);
      if (__builtin_add_overflow(joined, part.sizes()[join.axis], &joined))
        return invalid_argument("an axis cannot have a size of more than 2^63 - 1");
    }
    return join;
  }
};

/// The values of all tensors, one after the other.
Result<Tensor> join_values(const Launch& launch, int first, int count) {
  int64_t elements = 0;
  for (int i = 0; i < count; ++i) elements += launch.input(first + i).elements();
  auto out = launch.allocate(launch.input(first).dtype(), {elements});
  if (!out) return out;
  int64_t at = 0;
  for (int i = 0; i < count; ++i) {
    const auto& part = launch.input(first + i);
    copy_elements(*out, at, part, 0, part.elements());
    at += part.elements();
  }
  return out;
}

Status concat_sparse(Launch& launch, int64_t axis) {
  auto count = launch.input_count() / 3;
  std::vector<SparsePlaces> parts;
  for (int i = 0; i < count; ++i) {
    auto places =
        SparsePlaces::of(launch.input(i), launch.input(count + i), launch.input(2 * count + i));
    if (!places) return places.status();
    parts.push_back(*std::move(places));
  }
  auto join = SparseJoin::of(parts, axis);
  if (!join) return join.status();
  auto rank = join->sizes.size();
  std::vector<int64_t> indices;
  for (size_t i = 0; i < parts.size(); ++i)
    for (int64_t entry = 0; entry < parts[i].count(); ++entry) {
      auto index = parts[i][entry];
      indices.insert(indices.end(), index.begin(), index.end());
      indices[indices.size() - rank + join->axis] += join->starts[i];
    }
  auto values = join_values(launch, count, count);
  if (!values) return values.status();
  auto total = values->elements();
  auto all = Tensor::allocate(DType::int64, {total, static_cast<int64_t>(rank)});
  if (!all) return all.status();
  std::ranges::copy(indices, all->mutable_data<int64_t>());
  auto sizes =
      Tensor::of<int64_t>({static_cast<int64_t>(rank)}, std::span(std::as_const(join->sizes)));
  auto order = SparsePlaces::of(*all, sizes)->order();
  auto status = set_chosen(launch, 0, *all, order);
  if (status.ok()) status = set_chosen(launch, 1, *values, order);
  return status.ok() ? set_ints(launch, 2, DType::int64, join->sizes) : status;
}

/// Where the entries of a sparse tensor lie once each row has one.
struct FilledRows {
  std::vector<int64_t> places;   // of each given entry
  std::vector<int64_t> sources;  // the given entry that each one is; -1: the default, in...
  std::vector<int64_t> rows;     // its row
};

FilledRows fill_rows(const SparsePlaces& places, std::span<const bool> is_empty) {
  FilledRows filled;
  // Entries of a row stay in their order.
  std::vector<int64_t> next(is_empty.size() + 1, 0);
  for (int64_t i = 0; i < places.count(); ++i) ++next[static_cast<size_t>(places[i][0]) + 1];
  for (size_t row = 0; row < is_empty.size(); ++row)
    next[row + 1] += next[row] + (is_empty[row] ? 1 : 0);
  auto total = static_cast<size_t>(next.back());
  filled.sources.assign(total, -1);
  filled.rows.resize(total);
  for (size_t row = 0; row < is_empty.size(); ++row)
    if (is_empty[row]) filled.rows[static_cast<size_t>(next[row])] = static_cast<int64_t>(row);
  for (int64_t i = 0; i < places.count(); ++i) {
    auto row = places[i][0];
    auto at = next[static_cast<size_t>(row)]++;
    filled.places.push_back(at);
    filled.sources[static_cast<size_t>(at)] = i;
    filled.rows[static_cast<size_t>(at)] = row;
  }
  return filled;
}

Status set_filled_values(Launch& launch, const FilledRows& filled) {
  auto out =
      launch.allocate(launch.input(1).dtype(), {static_cast<int64_t>(filled.sources.size())});
  if (!out) return out.status();
  for (size_t i = 0; i < filled.sources.size(); ++i) {
    auto source = filled.sources[i];
    const auto& from = launch.input(source < 0 ? 3 : 1);
    copy_elements(*out, static_cast<int64_t>(i), from, std::max<int64_t>(source, 0), 1);
  }
  launch.set(1, *std::move(out));
  return {};
}

Status fill_empty_rows(Launch& launch) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  if (!launch.input(3).shape().is_scalar())
    return invalid_argument(
        "'default_value' must have rank 0, but has shape " + launch.input(3).shape().to_string());
  if (places->rank() == 0) return invalid_argument("a tensor of rank 0 has no rows");
  auto row_count = places->sizes()[0];
  auto shape = Shape::make({&row_count, 1});
  if (!shape) return shape.status();
  auto empty = launch.allocate(DType::boolean, *shape);
  if (!empty) return empty.status();
  auto* is_empty = empty->mutable_data<bool>();
  std::fill_n(is_empty, row_count, true);
  for (int64_t i = 0; i < places->count(); ++i) is_empty[(*places)[i][0]] = false;
  auto filled = fill_rows(*places, {is_empty, static_cast<size_t>(row_count)});
  auto rank = static_cast<size_t>(places->rank());
  std::vector<int64_t> indices(filled.sources.size() * rank, 0);
  for (size_t i = 0; i < filled.sources.size(); ++i) {
    indices[i * rank] = filled.rows[i];
    if (filled.sources[i] >= 0)
      std::ranges::copy((*places)[filled.sources[i]], indices.begin() + i * rank);
  }
  auto status =
      set_indices(launch, 0, static_cast<int64_t>(filled.sources.size()), places->rank(), indices);
  if (status.ok()) status = set_filled_values(launch, filled);
  launch.set(2, *std::move(empty));
  return status.ok() ? set_ints(launch, 3, DType::int64, filled.places) : status;
}

/// The sum of the elements that are not taken.
using SumRest = void (*)(void* sum, const void* values, const std::vector<bool>& is_taken);

template <class T>
void sum_rest(void* result, const void* values, const std::vector<bool>& is_taken) {
  Promoted<T> sum(0);
  for (size_t i = 0; i < is_taken.size(); ++i)
    if (!is_taken[i])
      sum = static_cast<Promoted<T>>(wrap(sum) + wrap(promote(static_cast<const T*>(values)[i])));
  *static_cast<T*>(result) = static_cast<T>(sum);
}

Status compute_fill_rows_grad(Launch& launch, SumRest sum_rest) {
  const auto &map = launch.input(0), &gradients = launch.input(1);
  for (const auto* each : {&map, &gradients})
    if (each->shape().rank() != 1)
      return invalid_argument(
          "both inputs must have rank 1, but one has shape " + each->shape().to_string());
  auto out = launch.allocate(gradients.dtype(), map.shape());
  auto rest = launch.allocate(gradients.dtype(), {});
  for (const auto* each : {&out, &rest})
    if (!*each) return each->status();
  std::vector<bool> is_taken(static_cast<size_t>(gradients.elements()));
  int64_t at = 0;
  for (auto place : map.values<int64_t>()) {
    if (place < 0 || place >= gradients.elements())
      return invalid_argument(
          "an entry of 'reverse_index_map' must lie in [0, " +
          std::to_string(gradients.elements()) + "), but one is " + std::to_string(place));
    is_taken[static_cast<size_t>(place)] = true;
    copy_elements(*out, at++, gradients, place, 1);
  }
  sum_rest(rest->mutable_raw(), gradients.raw(), is_taken);
  launch.set(0, *std::move(out));
  launch.set(1, *std::move(rest));
  return {};
}

}  // namespace

void add_sparse_rows_kernels(KernelCatalog& catalog) {
  catalog.add("SparseConcat", [](const Node& node) {
    return Result<Kernel>(
        Kernel{.compute = [axis = node.attr<int64_t>("concat_dim")](Launch& launch) {
          return concat_sparse(launch, axis);
        }});
  });
  catalog.add("SparseFillEmptyRows", [](const Node& node) {
    return copying_kernel(node.attr<DType>("T"), fill_empty_rows);
  });
  catalog.add("SparseFillEmptyRowsGrad", [](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto sum = choose(Numeric{}, dtype, [](auto zero) { return sum_rest<decltype(zero)>; });
    if (!sum) return no_kernel(dtype);
    return Kernel{.compute = [sum](Launch& launch) { return compute_fill_rows_grad(launch, sum); }};
  });
}

}  // namespace troupe::cpu
