#include <algorithm>
#include <string>

#include "troupe/devices/cpu/array/strided_copy.hpp"
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

/// Fails unless each entry comes after the one before.
Status check_order(const SparsePlaces& places) {
  for (int64_t i = 1; i < places.count(); ++i) {
    auto before = places[i - 1], index = places[i];
    if (std::ranges::lexicographical_compare(before, index)) continue;
    return invalid_argument(
        "index " + show_index(index) + " (number " + std::to_string(i) + " of the indices) " +
        (std::ranges::equal(before, index) ? "is repeated" : "is out of order"));
  }
  return {};
}

/// The indices as [count, rank]: a vector is that of a tensor's only axis, a scalar that of one.
Result<Tensor> as_rows(const Tensor& indices, int64_t rank) {
  const auto& shape = indices.shape();
  if (shape.rank() == 2) return indices;
  if (shape.rank() > 2)
    return invalid_argument(
        "'sparse_indices' must have at most rank 2, but their shape is " + shape.to_string());
  if (rank != 1)
    return invalid_argument(
        "indices of shape " + shape.to_string() + " do not fit a tensor of rank " +
        std::to_string(rank));
  return indices.reshaped({indices.elements(), 1});
}

template <class C>
Status compute_to_dense(Launch& launch, bool is_validated) {
  const auto &values = launch.input(2), &fallback = launch.input(3);
  auto shape = shape_input(launch.input(1));
  if (!shape) return shape.status();
  auto rows = as_rows(launch.input(0), shape->rank());
  if (!rows) return rows.status();
  auto places = SparsePlaces::of(*rows, launch.input(1));
  if (!places) return places.status();
  if (!fallback.shape().is_scalar())
    return invalid_argument(
        "the default value must have rank 0, but has shape " + fallback.shape().to_string());
  if (!values.shape().is_scalar() && values.shape() != Shape{places->count()})
    return invalid_argument(
        "'sparse_values' must be a scalar or one for each of " + std::to_string(places->count()) +
        " indices, but their shape is " + values.shape().to_string());
  auto status = places->check_bounds();
  if (status.ok() && is_validated) status = check_order(*places);
  if (!status.ok()) return status;
  auto out = launch.allocate(values.dtype(), *shape);
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    std::fill(to + begin, to + end, *cells<C>(fallback));
  });
  auto strides = strides_of(*shape);
  auto step = values.shape().is_scalar() ? 0 : 1;
  for (int64_t i = 0; i < places->count(); ++i)
    to[sparse_offset((*places)[i], strides)] = cells<C>(values)[i * step];
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_dense_add(Launch& launch) {
  auto places = SparsePlaces::of(launch.input(0), launch.input(1), launch.input(2));
  if (!places) return places.status();
  auto shape = places->dense_shape();
  if (!shape) return shape.status();
  if (launch.input(3).shape() != *shape)
    return invalid_argument(
        "shapes " + shape->to_string() + " and " + launch.input(3).shape().to_string() +
        " do not agree");
  const auto* from = launch.input(3).data<T>();
  auto out = launch.reuse_or_allocate({3}, dtype_of<T>(), *shape);
  if (!out) return out.status();
  auto* to = out->template mutable_data<T>();
  if (to != from) std::copy_n(from, out->elements(), to);
  auto strides = strides_of(*shape);
  const auto* values = launch.input(1).data<T>();
  for (int64_t i = 0; i < places->count(); ++i) {
    auto& sum = to[sparse_offset((*places)[i], strides)];
    sum = static_cast<T>(wrap(promote(sum)) + wrap(promote(values[i])));
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_reduce_sum(Launch& launch, bool keep_dims) {
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
  auto out = launch.allocate(dtype_of<T>(), *result_shape);
  if (!out) return out.status();
  auto strides = strides_of(*shape);
  for (size_t axis = 0; axis < is_reduced.size(); ++axis)
    if (is_reduced[axis]) strides[axis] = 0;
  // Sums of 16-bit floats are made as floats.
  std::vector<Promoted<T>> sums(static_cast<size_t>(out->elements()));
  const auto* values = launch.input(1).data<T>();
  for (int64_t i = 0; i < places->count(); ++i) {
    auto& sum = sums[static_cast<size_t>(sparse_offset((*places)[i], strides))];
    sum = static_cast<Promoted<T>>(wrap(sum) + wrap(promote(values[i])));
  }
  std::ranges::transform(
      sums, out->template mutable_data<T>(), [](auto sum) { return static_cast<T>(sum); });
  launch.set(0, *std::move(out));
  return {};
}

struct Adjoints {
  bool a, b;
};

template <class T>
T conjugate_if(const T& value, bool is_conjugated) {
  if constexpr (is_complex<T>) return is_conjugated ? std::conj(value) : value;
  else return value;
}

/// The sizes of a sparse and a dense matrix, as they are to be multiplied.
struct SparseProduct {
  int64_t rows, inner, columns;

  static Result<SparseProduct> of(const SparsePlaces& a, const Tensor& b, const Adjoints& adjoint) {
    if (a.rank() != 2)
      return invalid_argument(
          "input 0 must be a sparse matrix, but its rank is " + std::to_string(a.rank()));
    if (b.shape().rank() != 2)
      return invalid_argument(
          "input 3 must have rank 2, but its shape is " + b.shape().to_string());
    SparseProduct product = {
        a.sizes()[adjoint.a ? 1 : 0], a.sizes()[adjoint.a ? 0 : 1], b.shape()[adjoint.b ? 0 : 1]};
    if (auto rows = b.shape()[adjoint.b ? 1 : 0]; rows != product.inner)
      return invalid_argument(
          "matrices of " + std::to_string(product.inner) + " columns and of " +
          std::to_string(rows) + " rows cannot be multiplied");
    return product;
  }
};

/// Those columns of the product, added to `sums`: for each entry of a, its row of b.
template <class T>
void add_products(
    Promoted<T>* sums, const SparsePlaces& places, const Tensor& values, const T* b,
    const SparseProduct& sizes, const Adjoints& adjoint, int64_t begin, int64_t end) {
  using A = Promoted<T>;
  for (int64_t i = 0; i < places.count(); ++i) {
    auto index = places[i];
    auto* to = sums + index[adjoint.a ? 1 : 0] * sizes.columns;
    const auto* row = b + index[adjoint.a ? 0 : 1] * sizes.columns;
    auto factor = conjugate_if(static_cast<A>(promote(values.data<T>()[i])), adjoint.a);
    for (auto column = begin; column < end; ++column)
      to[column] = static_cast<A>(
          wrap(to[column]) + wrap(factor) * wrap(static_cast<A>(promote(row[column]))));
  }
}

template <class T>
Status compute_sparse_product(Launch& launch, const Adjoints& adjoint) {
  const auto &values = launch.input(1), &b = launch.input(3);
  auto places = SparsePlaces::of(launch.input(0), values, launch.input(2));
  if (!places) return places.status();
  auto sizes = SparseProduct::of(*places, b, adjoint);
  if (!sizes) return sizes.status();
  auto shape = Shape::make(std::array{sizes->rows, sizes->columns});
  if (!shape) return shape.status();
  auto out = launch.allocate(b.dtype(), *shape);
  if (!out) return out.status();
  const auto* rows = b.data<T>();
  std::vector<T> turned;
  if (adjoint.b) {
    turned.resize(static_cast<size_t>(b.elements()));
    for (int64_t i = 0; i < b.elements(); ++i)
      turned[static_cast<size_t>(i % sizes->inner * sizes->columns + i / sizes->inner)] =
          conjugate_if(rows[i], true);
    rows = turned.data();
  }
  std::vector<Promoted<T>> sums(static_cast<size_t>(out->elements()));
  parallel_ranges(sizes->columns, std::max<int64_t>(places->count(), 1), [&](auto begin, auto end) {
    add_products<T>(sums.data(), *places, values, rows, *sizes, adjoint, begin, end);
  });
  std::ranges::transform(
      sums, out->template mutable_data<T>(), [](auto sum) { return static_cast<T>(sum); });
  launch.set(0, *std::move(out));
  return {};
}

int64_t sparse_product_cost_ns(const Launch& launch) {
  int64_t cost;
  const auto &count = launch.input(1).elements(), &elements = launch.input(3).elements();
  auto rows = launch.input(3).shape().rank() == 2 ? launch.input(3).shape()[0] : 1;
  auto overflows = __builtin_mul_overflow(count, elements / std::max<int64_t>(rows, 1), &cost);
  return overflows ? std::numeric_limits<int64_t>::max() : cost;
}

}  // namespace

void add_sparse_dense_kernels(KernelCatalog& catalog) {
  catalog.add("SparseToDense", [](const Node& node) {
    auto is_validated = node.attr<bool>("validate_indices");
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{.compute = [is_validated](Launch& launch) {
        return compute_to_dense<decltype(cell)>(launch, is_validated);
      }};
    });
  });
  catalog.add("SparseTensorDenseAdd", [](const Node& node) {
    return dispatch(Numeric{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_dense_add<decltype(zero)>};
    });
  });
  catalog.add("SparseReduceSum", [](const Node& node) {
    auto keep_dims = node.attr<bool>("keep_dims");
    return dispatch(Numeric{}, node.attr<DType>("T"), [&](auto zero) {
      return Kernel{.compute = [keep_dims](Launch& launch) {
        return compute_reduce_sum<decltype(zero)>(launch, keep_dims);
      }};
    });
  });
  catalog.add("SparseTensorDenseMatMul", [](const Node& node) {
    Adjoints adjoint = {node.attr<bool>("adjoint_a"), node.attr<bool>("adjoint_b")};
    return dispatch(Numeric{}, node.attr<DType>("T"), [&](auto zero) {
      return Kernel{
          .compute =
              [adjoint](Launch& launch) {
                return compute_sparse_product<decltype(zero)>(launch, adjoint);
              },
          .cost_ns = sparse_product_cost_ns};
    });
  });
}

}  // namespace troupe::cpu
