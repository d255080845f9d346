#include "troupe/devices/cpu/sparse/sparse_dense.hpp"

#include <algorithm>
#include <string>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/sparse/sparse.hpp"

namespace troupe::cpu {
namespace {

/// Where in a dense tensor of those strides an entry lies.
int64_t sparse_offset(std::span<const int64_t> index, const Strides& strides) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * strides[axis];
  return offset;
}

std::vector<int64_t> sparse_offsets(const SparsePlaces& places, const Strides& strides) {
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(places.count()));
  for (int64_t i = 0; i < places.count(); ++i) offsets.push_back(sparse_offset(places[i], strides));
  return offsets;
}

/// Fails unless each entry comes after the one before.
Status check_order(const SparsePlaces& places) {
  for (int64_t i = 1; i < places.count(); ++i) {
    auto before = places[i - 1], index = places[i];
    if (std::ranges::lexicographical_compare(before, index)) continue;
    return is_not_behind(index, i, before);
  }
  return {};
}

/// The shape [count, rank] of indices: a vector is that of a tensor's only axis, a scalar that of
/// one.
Result<Shape> shape_of_rows(const Tensor& indices, int64_t rank) {
  const auto& shape = indices.shape();
  if (shape.rank() == 2) return shape;
  if (shape.rank() > 2)
    return invalid_argument(
        "'sparse_indices' must have at most rank 2, but their shape is " + shape.to_string());
  if (rank != 1)
    return invalid_argument(
        "indices of shape " + shape.to_string() + " do not fit a tensor of rank " +
        std::to_string(rank));
  return Shape{indices.elements(), 1};
}

Status compute_to_dense(Launch& launch, bool is_validated) {
  const auto &values = launch.input(2), &fallback = launch.input(3);
  auto shapes = DenseShapes::of(launch);
  if (!shapes) return shapes.status();
  auto places = SparsePlaces::of(launch.input(0).reshaped(shapes->indices), launch.input(1));
  if (!places) return places.status();
  auto status = places->check_bounds();
  if (status.ok() && is_validated) status = check_order(*places);
  if (!status.ok()) return status;
  auto out = launch.allocate(values.dtype(), shapes->dense);
  if (!out) return out.status();
  fill_with(*out, fallback);
  auto strides = strides_of(shapes->dense);
  auto step = values.shape().is_scalar() ? 0 : 1;
  // A scalar can be named any number of times, in no memory.
  auto is_repeated = step == 0 && places->rank() == 0;
  auto count = is_repeated ? std::min<int64_t>(places->count(), 1) : places->count();
  for (int64_t i = 0; i < count; ++i)
    copy_elements(*out, sparse_offset((*places)[i], strides), values, i * step, 1);
  launch.set(0, *std::move(out));
  return {};
}

Status compute_dense_add(Launch& launch, UpdateSlices add) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto shape = places->dense_shape();
  if (!shape) return shape.status();
  if (launch.input(3).shape() != *shape)
    return invalid_argument(
        "shapes " + shape->to_string() + " and " + launch.input(3).shape().to_string() +
        " do not agree");
  auto out = launch.reuse_or_allocate({3}, launch.input(3).dtype(), *shape);
  if (!out) return out.status();
  copy_all(*out, launch.input(3));
  auto offsets = sparse_offsets(*places, strides_of(*shape));
  add(out->mutable_raw(), launch.input(1).raw(), offsets, 1, 0, 1);
  launch.set(0, *std::move(out));
  return {};
}

/// sums[offsets[i]] += values[i]
using AddSparse = void (*)(void* sums, const void* values, std::span<const int64_t> offsets);

template <class T>
void add_sparse(void* sums, const void* values, std::span<const int64_t> offsets) {
  using A = Promoted<T>;
  const auto* value = static_cast<const T*>(values);
  for (auto offset : offsets) {
    auto& sum = static_cast<A*>(sums)[offset];
    sum = static_cast<A>(wrap(sum) + wrap(promote(*value++)));
  }
}

Status compute_reduce_sum(Launch& launch, AddSparse add, bool keep_dims) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto axes = IntInput::of(launch.input(3));
  if (!axes) return axes.status();
  std::vector<bool> is_reduced(places->sizes().size());
  for (auto each : axes->values()) {
    auto axis = find_axis(each, places->rank());
    if (!axis) return axis.status();
    is_reduced[static_cast<size_t>(*axis)] = true;
  }
  std::vector<int64_t> kept, result;
  for (size_t axis = 0; axis < is_reduced.size(); ++axis) {
    kept.push_back(is_reduced[axis] ? 1 : places->sizes()[axis]);
    if (keep_dims || !is_reduced[axis]) result.push_back(kept.back());
  }
  auto shape = Shape::make(kept), result_shape = Shape::make(result);
  for (const auto* each : {&shape, &result_shape})
    if (!*each) return each->status();
  auto strides = strides_of(*shape);
  for (size_t axis = 0; axis < is_reduced.size(); ++axis)
    if (is_reduced[axis]) strides[axis] = 0;
  const auto& values = launch.input(1);
  return set_sums(launch, values.dtype(), *result_shape, [&](void* sums) {
    add(sums, values.raw(), sparse_offsets(*places, strides));
    return Status();
  });
}

template <class T>
T conjugate_if(const T& value, bool is_conjugated) {
  if constexpr (is_complex<T>) return is_conjugated ? std::conj(value) : value;
  else return value;
}

/// How matrices of a dtype are multiplied.
struct ProductElements {
  /// Adds those columns of the product to `sums`: for each entry of a, its row of b.
  void (*add)(
      void* sums, const SparsePlaces& places, const void* values, const void* b,
      const SparseProduct& sizes, const SparseAdjoints& adjoint, int64_t begin, int64_t end);
  /// Sets `to` to the conjugate transpose of `from`, which has rows of `inner` elements.
  void (*turn)(void* to, const void* from, const SparseProduct& sizes);
};

template <class T>
void add_products(
    void* sums, const SparsePlaces& places, const void* values, const void* b,
    const SparseProduct& sizes, const SparseAdjoints& adjoint, int64_t begin, int64_t end) {
  using A = Promoted<T>;
  for (int64_t i = 0; i < places.count(); ++i) {
    auto index = places[i];
    auto* to = static_cast<A*>(sums) + index[adjoint.a ? 1 : 0] * sizes.columns;
    const auto* row = static_cast<const T*>(b) + index[adjoint.a ? 0 : 1] * sizes.columns;
    auto value = static_cast<A>(promote(static_cast<const T*>(values)[i]));
    auto factor = conjugate_if(value, adjoint.a);
#pragma GCC ivdep
    for (auto column = begin; column < end; ++column)
      to[column] = static_cast<A>(
          wrap(to[column]) + wrap(factor) * wrap(static_cast<A>(promote(row[column]))));
  }
}

template <class T>
void turn_matrix(void* to, const void* from, const SparseProduct& sizes) {
  for (int64_t i = 0; i < sizes.inner * sizes.columns; ++i)
    static_cast<T*>(to)[i % sizes.inner * sizes.columns + i / sizes.inner] =
        conjugate_if(static_cast<const T*>(from)[i], true);
}

template <class T>
constexpr ProductElements product_elements = {add_products<T>, turn_matrix<T>};

Status compute_sparse_product(
    Launch& launch, const ProductElements& elements, const SparseAdjoints& adjoint) {
  const auto &values = launch.input(1), &b = launch.input(3);
  auto places = SparsePlaces::of(launch.input(0), values, launch.input(2));
  if (!places) return places.status();
  auto sizes = SparseProduct::of(places->sizes(), b.shape(), adjoint);
  if (!sizes) return sizes.status();
  auto shape = Shape::make(std::array{sizes->rows, sizes->columns});
  if (!shape) return shape.status();
  auto rows = b;
  if (adjoint.b) {
    auto turned = launch.allocate(b.dtype(), {b.elements()});
    if (!turned) return turned.status();
    elements.turn(turned->mutable_raw(), b.raw(), *sizes);
    rows = *std::move(turned);
  }
  return set_sums(launch, b.dtype(), *shape, [&](void* sums) {
    // Not so few columns that the entries would take longer to read than their rows to add.
    constexpr int64_t few = 32;
    auto work = few * std::max<int64_t>(places->count(), 1), columns = sizes->columns;
    auto parts = (columns + few - 1) / few;
    if (parts == 0) return Status();
    parallel_ranges(parts, work, [&](int64_t begin, int64_t end) {
      elements.add(
          sums, *places, values.raw(), rows.raw(), *sizes, adjoint, columns * begin / parts,
          columns * end / parts);
    });
    return Status();
  });
}

int64_t sparse_product_cost_ns(const Launch& launch) {
  int64_t cost;
  const auto &count = launch.input(1).elements(), &elements = launch.input(3).elements();
  auto rows = launch.input(3).shape().rank() == 2 ? launch.input(3).shape()[0] : 1;
  auto overflows = __builtin_mul_overflow(count, elements / std::max<int64_t>(rows, 1), &cost);
  return overflows ? std::numeric_limits<int64_t>::max() : cost;
}

}  // namespace

Result<DenseShapes> DenseShapes::of(const Launch& launch) {
  const auto &values = launch.input(2).shape(), &fallback = launch.input(3).shape();
  auto shape = shape_input(launch.input(1));
  if (!shape) return shape.status();
  auto indices = shape_of_rows(launch.input(0), shape->rank());
  if (!indices) return indices.status();
  if (auto sizes = SparsePlaces::sizes_of(*indices, launch.input(1)); !sizes) return sizes.status();
  if (!fallback.is_scalar())
    return invalid_argument(
        "the default value must have rank 0, but has shape " + fallback.to_string());
  if (!values.is_scalar() && values != Shape{(*indices)[0]})
    return invalid_argument(
        "'sparse_values' must be a scalar or one for each of " + std::to_string((*indices)[0]) +
        " indices, but their shape is " + values.to_string());
  return DenseShapes{*shape, *indices};
}

Result<SparseProduct> SparseProduct::of(
    std::span<const int64_t> a, const Shape& b, const SparseAdjoints& adjoint) {
  if (a.size() != 2)
    return invalid_argument(
        "input 0 must be a sparse matrix, but its rank is " + std::to_string(a.size()));
  if (b.rank() != 2)
    return invalid_argument("input 3 must have rank 2, but its shape is " + b.to_string());
  SparseProduct product = {a[adjoint.a ? 1 : 0], a[adjoint.a ? 0 : 1], b[adjoint.b ? 0 : 1]};
  if (auto rows = b[adjoint.b ? 1 : 0]; rows != product.inner)
    return invalid_argument(
        "matrices of " + std::to_string(product.inner) + " columns and of " + std::to_string(rows) +
        " rows cannot be multiplied");
  return product;
}

void add_sparse_dense_kernels(KernelCatalog& catalog) {
  catalog.add("SparseToDense", [](const Node& node) {
    auto is_validated = node.attr<bool>("validate_indices");
    return copying_kernel(node.attr<DType>("T"), [is_validated](Launch& launch) {
      return compute_to_dense(launch, is_validated);
    });
  });
  catalog.add("SparseTensorDenseAdd", [](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto add = find_update(Update::add, dtype);
    if (!add) return no_kernel(dtype);
    return Kernel{.compute = [add](Launch& launch) { return compute_dense_add(launch, add); }};
  });
  catalog.add("SparseReduceSum", [](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto add = choose(Numeric{}, dtype, [](auto zero) { return add_sparse<decltype(zero)>; });
    if (!add) return no_kernel(dtype);
    return Kernel{.compute = [add, keep_dims = node.attr<bool>("keep_dims")](Launch& launch) {
      return compute_reduce_sum(launch, add, keep_dims);
    }};
  });
  catalog.add("SparseTensorDenseMatMul", [](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    const auto* elements =
        choose(Numeric{}, dtype, [](auto zero) { return &product_elements<decltype(zero)>; });
    if (!elements) return no_kernel(dtype);
    SparseAdjoints adjoint = {node.attr<bool>("adjoint_a"), node.attr<bool>("adjoint_b")};
    return Kernel{
        .compute =
            [elements, adjoint](Launch& launch) {
              return compute_sparse_product(launch, *elements, adjoint);
            },
        .cost_ns = sparse_product_cost_ns};
  });
}

}  // namespace troupe::cpu
