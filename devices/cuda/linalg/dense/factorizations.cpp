#if TROUPE_CUSOLVER
#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/linalg/decompositions.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/linalg/dense/decompositions.hpp"
#include "troupe/devices/cuda/linalg/dense/factors.hpp"
#include "troupe/devices/cuda/linalg/dense/faults.hpp"
#include "troupe/devices/cuda/linalg/dense/matrix_copy.hpp"
#include "troupe/devices/cuda/linalg/dense/reflections.hpp"
#include "troupe/devices/cuda/linalg/dense/solver_library.hpp"

namespace troupe::cuda {
namespace {

using cpu::MatrixBatch;

Status compute_qr(Launch& launch, bool full) {
  auto batch = MatrixBatch::of(launch, 0);
  if (!batch) return batch.status();
  auto rows = batch->rows, columns = batch->columns;
  auto inner = full ? rows : std::min(rows, columns);
  auto q = cpu::allocate(launch, batch->with({rows, inner}));
  auto r = cpu::allocate(launch, batch->with({inner, columns}));
  for (const auto* tensor : {&q, &r})
    if (!*tensor) return tensor->status();
  auto element = element_of(q->dtype());
  auto stream = stream_of(launch);
  if (launch.input(0).elements() > 0) {
    auto made = find_reflections(launch, *batch);
    if (!made) return made.status();
    launch_multiply_reflections(
        element, q->mutable_raw(), inner,
        {made->matrices.mutable_raw(), made->factors.mutable_raw(), batch->count, rows, columns},
        stream);
    launch_matrix_copy(
        element, {.to = r->mutable_raw(),
                  .from = made->matrices.raw(),
                  .count = batch->count,
                  .rows = inner,
                  .columns = columns,
                  .matrix = batch->size(),
                  .row = columns,
                  .column = 1,
                  .part = MatrixPart::upper,
                  .stream = stream});
  } else if (q->elements() > 0) {
    launch_identities(element, q->mutable_raw(), batch->count, rows, inner, stream);
  }
  launch.set(0, *std::move(q));
  launch.set(1, *std::move(r));
  return launched("a decomposition by reflections");
}

/// As real numbers, which belong to matrices of that dtype.
DType real_of(DType dtype) {
  return dtype == DType::complex64 || dtype == DType::float32 ? DType::float32 : DType::float64;
}

/// Sets vectors of `size` numbers to real ones, or for matrices with faults to NaN.
void put_reals(
    const Launch& launch, Tensor& to, const Tensor& reals, int64_t count, int64_t size,
    const Tensor& faults) {
  launch_matrix_copy(
      element_of(to.dtype()), {.to = to.mutable_raw(),
                               .from = reals.raw(),
                               .count = count,
                               .rows = 1,
                               .columns = size,
                               .matrix = size,
                               .row = size,
                               .column = 1,
                               .are_reals = true,
                               .faults = static_cast<const int32_t*>(faults.raw()),
                               .instead = std::numeric_limits<double>::quiet_NaN(),
                               .stream = stream_of(launch)});
}

/// The faults of matrices whose elements are not finite, which the library does not get to see.
Result<Tensor> find_not_finite(const Launch& launch, const MatrixBatch& batch, MatrixPart part) {
  auto faults = launch.allocate(DType::int32, {batch.count});
  if (!faults) return faults;
  const auto& in = launch.input(0);
  launch_find_not_finite_matrices(
      element_of(in.dtype()), out<int32_t>(*faults), in.raw(), batch.count, batch.rows,
      batch.columns, part, stream_of(launch));
  return faults;
}

Result<Decomposed> find_eigenvalues(Launch& launch, bool finds_vectors) {
  auto batch = MatrixBatch::of_square(launch, 0);
  if (!batch) return batch.status();
  auto n = batch->rows;
  auto e = cpu::allocate(launch, batch->with({n}));
  auto v = cpu::allocate(launch, finds_vectors ? batch->with({n, n}) : Shape{0});
  for (const auto* tensor : {&e, &v})
    if (!*tensor) return tensor->status();
  if (e->elements() == 0) return Decomposed{{*std::move(e), *std::move(v)}, {}};
  const auto& in = launch.input(0);
  auto element = element_of(in.dtype());
  auto matrices = launch.allocate(in.dtype(), in.shape());
  auto values = launch.allocate(real_of(in.dtype()), e->shape());
  auto infos = launch.allocate(DType::int32, {batch->count});
  auto faults = find_not_finite(launch, *batch, MatrixPart::lower);
  for (const auto* tensor : {&matrices, &values, &infos, &faults})
    if (!*tensor) return tensor->status();
  MatrixCopy copy{
      .to = matrices->mutable_raw(),
      .from = in.raw(),
      .count = batch->count,
      .rows = n,
      .columns = n,
      .matrix = n * n,
      .row = n,
      .column = 1,
      .part = MatrixPart::lower,
      .faults = out<int32_t>(*faults),
      .stream = stream_of(launch)};
  launch_matrix_copy(element, copy);
  // In column-major order it is the transposed, conjugated matrix, with such eigenvectors.
  auto status = kept<SolverLibrary>(launch).find_eigenvalues(
      launch, {in.dtype(), matrices->mutable_raw(), batch->count, n, n}, finds_vectors,
      values->mutable_raw(), out<int32_t>(*infos));
  if (!status.ok()) return status;
  launch_join_faults(out<int32_t>(*faults), out<int32_t>(*infos), batch->count, stream_of(launch));
  put_reals(launch, *e, *values, batch->count, n, *faults);
  if (finds_vectors) {
    copy = {
        .to = v->mutable_raw(),
        .from = matrices->raw(),
        .count = batch->count,
        .rows = n,
        .columns = n,
        .matrix = n * n,
        .row = 1,
        .column = n,
        .conjugates = true,
        .stream = stream_of(launch)};
    launch_matrix_copy(element, copy);
  }
  if (status = launched("copies of eigenvectors"); !status.ok()) return status;
  return Decomposed{{*std::move(e), *std::move(v)}, *std::move(faults)};
}

/// Singular values of a batch, of which one factor is that of the greater side.
struct SingularShape {
  const MatrixBatch& batch;
  bool is_tall;  // at least as many rows as columns; else the adjoint is decomposed
  int64_t longer, shorter;
  int64_t kept;  // columns of the factor of the longer side
};

/// The matrices, or their adjoints, in column-major order.
MatrixCopy tall_copy(const Launch& launch, const SingularShape& shape, const Tensor& faults) {
  auto is_tall = shape.is_tall;
  return {
      .to = nullptr,
      .from = launch.input(0).raw(),
      .count = shape.batch.count,
      .rows = shape.shorter,
      .columns = shape.longer,
      .matrix = shape.batch.size(),
      .row = is_tall ? 1 : shape.longer,
      .column = is_tall ? shape.shorter : 1,
      .conjugates = !is_tall,
      .faults = static_cast<const int32_t*>(faults.raw()),
      .stream = stream_of(launch)};
}

/// From what the library made to the results, with NaN for matrices that have faults.
void put_vectors(
    const Launch& launch, const SingularShape& shape, const Tensor& u, const Tensor& adjoint_v,
    const Tensor& faults, Tensor& of_longer, Tensor& of_shorter) {
  auto element = element_of(u.dtype());
  MatrixCopy copy{
      .to = of_longer.mutable_raw(),
      .from = u.raw(),
      .count = shape.batch.count,
      .rows = shape.longer,
      .columns = shape.kept,
      .matrix = shape.longer * shape.kept,
      .row = 1,
      .column = shape.longer,
      .faults = static_cast<const int32_t*>(faults.raw()),
      .instead = std::numeric_limits<double>::quiet_NaN(),
      .stream = stream_of(launch)};
  launch_matrix_copy(element, copy);
  // An adjoint in column-major order is the conjugated factor in row-major order.
  copy.to = of_shorter.mutable_raw();
  copy.from = adjoint_v.raw();
  copy.rows = copy.columns = copy.row = shape.shorter;
  copy.matrix = shape.shorter * shape.shorter;
  copy.column = 1;
  copy.conjugates = true;
  launch_matrix_copy(element, copy);
}

/// Decomposes and sets the results, whose memory is there unless no vectors are wanted.
Status put_singular_values(
    const Launch& launch, const SingularShape& shape, bool finds_vectors, Tensor& s,
    Tensor& of_longer, Tensor& of_shorter) {
  auto dtype = launch.input(0).dtype();
  auto count = shape.batch.count, longer = shape.longer, shorter = shape.shorter;
  auto vectors = [&](int64_t rows, int64_t columns) {
    return launch.allocate(dtype, finds_vectors ? Shape{count, columns, rows} : Shape{0});
  };
  auto matrices = launch.allocate(dtype, launch.input(0).shape());
  auto values = launch.allocate(real_of(dtype), s.shape());
  auto infos = launch.allocate(DType::int32, {count});
  auto u = vectors(longer, shape.kept), adjoint_v = vectors(shorter, shorter);
  auto faults = find_not_finite(launch, shape.batch, MatrixPart::whole);
  for (const auto* tensor : {&matrices, &values, &infos, &u, &adjoint_v, &faults})
    if (!*tensor) return tensor->status();
  auto copy = tall_copy(launch, shape, *faults);
  copy.to = matrices->mutable_raw();
  launch_matrix_copy(element_of(dtype), copy);
  auto memory_of = [&](Tensor& tensor) { return finds_vectors ? tensor.mutable_raw() : nullptr; };
  auto status = kept<SolverLibrary>(launch).find_singular_values(
      launch, {dtype, matrices->mutable_raw(), count, longer, shorter}, values->mutable_raw(),
      {dtype, memory_of(*u), count, longer, shape.kept},
      {dtype, memory_of(*adjoint_v), count, shorter, shorter}, out<int32_t>(*infos));
  if (!status.ok()) return status;
  launch_join_faults(out<int32_t>(*faults), out<int32_t>(*infos), count, stream_of(launch));
  put_reals(launch, s, *values, count, shorter, *faults);
  if (finds_vectors) put_vectors(launch, shape, *u, *adjoint_v, *faults, of_longer, of_shorter);
  return {};
}

Status compute_svd(Launch& launch, bool finds_vectors, bool full) {
  auto batch = MatrixBatch::of(launch, 0);
  if (!batch) return batch.status();
  auto rows = batch->rows, columns = batch->columns, shorter = std::min(rows, columns);
  auto u_columns = full ? rows : shorter, v_columns = full ? columns : shorter;
  auto s = cpu::allocate(launch, batch->with({shorter}));
  auto u = cpu::allocate(launch, finds_vectors ? batch->with({rows, u_columns}) : Shape{0});
  auto v = cpu::allocate(launch, finds_vectors ? batch->with({columns, v_columns}) : Shape{0});
  for (const auto* tensor : {&s, &u, &v})
    if (!*tensor) return tensor->status();
  auto is_tall = rows >= columns;
  auto &of_longer = is_tall ? *u : *v, &of_shorter = is_tall ? *v : *u;
  auto longer = std::max(rows, columns), kept = is_tall ? u_columns : v_columns;
  if (s->elements() > 0) {
    auto status = put_singular_values(
        launch, {*batch, is_tall, longer, shorter, kept}, finds_vectors, *s, of_longer, of_shorter);
    if (!status.ok()) return status;
  } else if (of_longer.elements() > 0) {
    launch_identities(
        element_of(s->dtype()), of_longer.mutable_raw(), batch->count, longer, kept,
        stream_of(launch));
  }
  launch.set(0, *std::move(s));
  launch.set(1, *std::move(u));
  launch.set(2, *std::move(v));
  return launched("singular values");
}

Result<Kernel> make_qr(const Node& node) {
  if (auto status = need_solver(node); !status.ok()) return status;
  auto full = node.attr<bool>("full_matrices");
  return Kernel{
      .compute = [full](Launch& launch) { return compute_qr(launch, full); },
      .cost_ns = decomposition_cost_ns};
}

Result<Kernel> make_eigenvalues(const Node& node) {
  if (auto status = need_solver(node); !status.ok()) return status;
  auto finds_vectors = node.attr<bool>("compute_v");
  return answering_kernel(
      [=](Launch& launch) { return find_eigenvalues(launch, finds_vectors); },
      cpu::no_eigenvalues(), [](const Launch&) { return true; });
}

Result<Kernel> make_svd(const Node& node) {
  if (auto status = need_solver(node); !status.ok()) return status;
  auto finds_vectors = node.attr<bool>("compute_uv"), full = node.attr<bool>("full_matrices");
  return Kernel{
      .compute = [=](Launch& launch) { return compute_svd(launch, finds_vectors, full); },
      .cost_ns = [](const Launch&) { return solver_cost_ns; }};
}

}  // namespace

void add_factorizations_kernels(KernelCatalog& catalog) {
  catalog.add("Qr", make_qr);
  for (std::string prefix : {"", "Batch"}) {
    catalog.add(prefix + "SelfAdjointEigV2", make_eigenvalues);
    catalog.add(prefix + "Svd", make_svd);
  }
}

}  // namespace troupe::cuda

#endif
