#include <limits>

#include "troupe/devices/cpu/linalg/decompositions.hpp"

namespace troupe::cpu {
namespace {

struct QrKernel {
  bool full;
  explicit QrKernel(const Node& node) : full(node.attr<bool>("full_matrices")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of(launch, 0);
    if (!batch) return batch.status();
    auto rows = batch->rows, columns = batch->columns;
    auto inner = full ? rows : std::min(rows, columns);
    auto q = allocate(launch, batch->with({rows, inner}));
    auto r = allocate(launch, batch->with({inner, columns}));
    for (const auto* tensor : {&q, &r})
      if (!*tensor) return tensor->status();
    const auto& in = launch.input(0);
    auto status = each_matrix(*batch, full ? *q : *r, [&](int64_t index) -> Status {
      auto factors = factor_qr(matrix_of<T>(in, index, rows, columns), full);
      put_matrix<T>(*q, index, factors.q);
      put_matrix<T>(*r, index, factors.r);
      return {};
    });
    launch.set(0, *std::move(q));
    launch.set(1, *std::move(r));
    return status;
  }
};

struct LuKernel {
  DType index_dtype;
  explicit LuKernel(const Node& node) : index_dtype(node.attr<DType>("output_idx_type")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    auto n = batch->rows;
    auto factors = allocate(launch, batch->with({n, n}));
    if (!factors) return factors.status();
    auto shape = batch->with({n});
    if (!shape) return shape.status();
    auto rows = launch.allocate(index_dtype, *shape);
    if (!rows) return rows.status();
    const auto& in = launch.input(0);
    auto status = each_matrix(*batch, *factors, [&](int64_t index) -> Status {
      auto pivots = find_pivots(matrix_of<T>(in, index, n, n));
      if (pivots.is_singular()) return not_invertible();
      put_matrix<T>(*factors, index, pivots.factors);
      if (index_dtype == DType::int32) put_matrix<int32_t>(*rows, index, pivots.rows);
      else put_matrix<int64_t>(*rows, index, pivots.rows);
      return {};
    });
    if (!status.ok()) return status;
    launch.set(0, *std::move(factors));
    launch.set(1, *std::move(rows));
    return {};
  }
};

/// The eigenvalues as a row above the eigenvectors.
struct EigenTableKernel {
  explicit EigenTableKernel(const Node&) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    auto n = batch->rows;
    auto out = allocate(launch, batch->with({n + 1, n}));
    if (!out) return out.status();
    const auto& in = launch.input(0);
    auto status = each_matrix(*batch, *out, [&](int64_t index) -> Status {
      Eigen::VectorXd values;
      Dense<double> vectors, table(n + 1, n);
      if (!find_eigenvalues(matrix_of<T>(in, index, n, n), values, &vectors))
        return no_eigenvalues();
      table << values.transpose(), vectors;
      put_matrix<T>(*out, index, table);
      return {};
    });
    if (status.ok()) launch.set(0, *std::move(out));
    return status;
  }
};

struct EigenKernel {
  bool vectors;
  explicit EigenKernel(const Node& node) : vectors(node.attr<bool>("compute_v")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of_square(launch, 0);
    if (!batch) return batch.status();
    auto n = batch->rows;
    auto e = allocate(launch, batch->with({n}));
    auto v = allocate(launch, vectors ? batch->with({n, n}) : Shape{0});
    for (const auto* tensor : {&e, &v})
      if (!*tensor) return tensor->status();
    const auto& in = launch.input(0);
    auto status = each_matrix(*batch, *e, [&](int64_t index) -> Status {
      Eigen::VectorXd values;
      Dense<Wide<T>> columns;
      if (!find_eigenvalues(matrix_of<T>(in, index, n, n), values, vectors ? &columns : nullptr))
        return no_eigenvalues();
      put_matrix<T>(*e, index, values);
      if (vectors) put_matrix<T>(*v, index, columns);
      return {};
    });
    if (!status.ok()) return status;
    launch.set(0, *std::move(e));
    launch.set(1, *std::move(v));
    return {};
  }
};

struct SvdKernel {
  bool vectors, full;
  explicit SvdKernel(const Node& node)
      : vectors(node.attr<bool>("compute_uv")), full(node.attr<bool>("full_matrices")) {}

  template <class T>
  Status run(Launch& launch) const {
    auto batch = MatrixBatch::of(launch, 0);
    if (!batch) return batch.status();
    auto rows = batch->rows, columns = batch->columns, values = std::min(rows, columns);
    auto u_columns = full ? rows : values, v_columns = full ? columns : values;
    auto s = allocate(launch, batch->with({values}));
    auto u = allocate(launch, vectors ? batch->with({rows, u_columns}) : Shape{0});
    auto v = allocate(launch, vectors ? batch->with({columns, v_columns}) : Shape{0});
    for (const auto* tensor : {&s, &u, &v})
      if (!*tensor) return tensor->status();
    const auto& in = launch.input(0);
    // Of empty matrices there may be identities.
    const auto& largest = s->elements() > 0 ? *s : u->elements() > 0 ? *u : *v;
    auto status = each_matrix(*batch, largest, [&](int64_t index) -> Status {
      auto matrix = matrix_of<T>(in, index, rows, columns);
      SingularValues<Wide<T>> found;
      if (matrix.allFinite()) {
        found = find_singular_values(matrix, full && vectors);
      } else {
        constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
        found.s.setConstant(values, nan);
        found.u.setConstant(rows, u_columns, nan);
        found.v.setConstant(columns, v_columns, nan);
      }
      put_matrix<T>(*s, index, found.s);
      if (!vectors) return {};
      put_matrix<T>(*u, index, found.u);
      put_matrix<T>(*v, index, found.v);
      return {};
    });
    launch.set(0, *std::move(s));
    launch.set(1, *std::move(u));
    launch.set(2, *std::move(v));
    return status;
  }
};

}  // namespace

void add_factorization_kernels(KernelCatalog& catalog) {
  catalog.add("Qr", decomposition<QrKernel>());
  catalog.add("Lu", decomposition<LuKernel>());
  catalog.add("SelfAdjointEig", decomposition<EigenTableKernel>(Types<float, double>{}));
  catalog.add("SelfAdjointEigV2", decomposition<EigenKernel>());
  catalog.add("Svd", decomposition<SvdKernel>());
}

}  // namespace troupe::cpu
