#include <cstring>

#include "troupe/devices/cpu/linalg/diagonal_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/linalg/band_part.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe::cuda {
namespace {

using cpu::DiagonalVersion;
using cpu::DiagonalWalk;

/// Sets all of `to` to an element that lies on the host.
Status fill(const Launch& launch, Tensor& to, const Tensor& value) {
  if (!value.shape().is_scalar())
    return invalid_argument("the padding must be a scalar, but is " + value.shape().to_string());
  if (to.elements() == 0) return {};
  auto size = size_of(to.dtype());
  uint64_t bits = 0;
  CHECK(size <= sizeof bits);
  std::memcpy(&bits, value.raw(), size);
  launch_fill(to.mutable_raw(), bits, static_cast<int>(size), to.elements(), stream_of(launch));
  return launched("a fill");
}

/// Copies all diagonals of matrices to where they lie packed, or back.
void copy_diagonals(
    const Launch& launch, const DiagonalWalk& diagonals, Tensor& to, const Tensor& from,
    bool to_matrices) {
  const auto& packed = to_matrices ? from : to;
  if (packed.elements() == 0) return;
  auto batches = packed.elements() / diagonals.packed_size();
  auto copy = [&](int64_t in_matrix, int64_t in_packed, int64_t count) {
    auto step = diagonals.columns + 1, matrix = diagonals.matrix_size(),
         pack = diagonals.packed_size();
    StridedWalk<2> walk;
    if (to_matrices) {
      walk.add_axis(count, {{step, 1}});
      walk.add_axis(batches, {{matrix, pack}});
      copy_walk(launch, to, in_matrix, from, in_packed, walk);
    } else {
      walk.add_axis(count, {{1, step}});
      walk.add_axis(batches, {{pack, matrix}});
      copy_walk(launch, to, in_packed, from, in_matrix, walk);
    }
  };
  diagonals.each(0, copy, [](int64_t, int64_t) {});
}

DiagonalWalk walk_of(const Shape& matrices, const DiagonalBand& band, DiagonalAlign align) {
  auto rank = matrices.rank();
  return {matrices[rank - 2], matrices[rank - 1], band, align};
}

Status compute_diag(Launch& launch, DiagonalVersion version, DiagonalAlign align) {
  const auto& diagonals = launch.input(0);
  auto band = cpu::band_of(launch, 1, version);
  if (!band) return band.status();
  auto sizes = cpu::read_matrix_sizes(launch, version);
  if (!sizes) return sizes.status();
  auto shape = band->matrices_of(diagonals.shape(), sizes->rows, sizes->columns);
  if (!shape) return shape.status();
  auto result = launch.allocate(diagonals.dtype(), *shape);
  if (!result) return result.status();
  auto status = version == DiagonalVersion::first ? set_zeros(launch, *result)
                                                  : fill(launch, *result, launch.input(4));
  if (!status.ok()) return status;
  if (result->elements() > 0)
    copy_diagonals(launch, walk_of(*shape, *band, align), *result, diagonals, /*to_matrices=*/true);
  return set_launched(launch, 0, *std::move(result), "a copy of diagonals");
}

Status compute_diag_part(Launch& launch, DiagonalVersion version, DiagonalAlign align) {
  const auto& matrices = launch.input(0);
  auto band = cpu::band_of(launch, 1, version);
  if (!band) return band.status();
  auto shape = band->diagonals_of(matrices.shape());
  if (!shape) return shape.status();
  auto result = launch.allocate(matrices.dtype(), *shape);
  if (!result) return result.status();
  if (version != DiagonalVersion::first)
    if (auto status = fill(launch, *result, launch.input(2)); !status.ok()) return status;
  copy_diagonals(
      launch, walk_of(matrices.shape(), *band, align), *result, matrices, /*to_matrices=*/false);
  return set_launched(launch, 0, *std::move(result), "a copy of diagonals");
}

Status compute_set_diag(Launch& launch, DiagonalVersion version, DiagonalAlign align) {
  const auto shape = launch.input(0).shape();
  auto band = cpu::band_of(launch, 2, version);
  if (!band) return band.status();
  auto expected = band->diagonals_of(shape);
  if (!expected) return expected.status();
  const auto& diagonals = launch.input(1);
  if (diagonals.shape() != *expected)
    return invalid_argument(
        "the diagonals of " + shape.to_string() + " have the shape " + expected->to_string() +
        ", not " + diagonals.shape().to_string());
  auto result = launch.reuse_or_allocate({0}, launch.input(0).dtype(), shape);
  if (!result) return result.status();
  if (auto status = copy_all(launch, *result, launch.input(0)); !status.ok()) return status;
  copy_diagonals(launch, walk_of(shape, *band, align), *result, diagonals, /*to_matrices=*/true);
  return set_launched(launch, 0, *std::move(result), "a copy of diagonals");
}

/// A tensor of rank k as the diagonal of one of rank 2k.
Status compute_outer_diag(Launch& launch) {
  const auto& in = launch.input(0);
  auto shape = outer_diagonal(in.shape());
  if (!shape) return shape.status();
  auto result = launch.allocate(in.dtype(), *shape);
  if (!result) return result.status();
  if (auto status = set_zeros(launch, *result); !status.ok()) return status;
  StridedWalk<2> walk;
  walk.add_axis(in.elements(), {{in.elements() + 1, 1}});
  copy_walk(launch, *result, 0, in, 0, walk);
  return set_launched(launch, 0, *std::move(result), "a copy of a diagonal");
}

/// The diagonal of rank k of a tensor of rank 2k.
Status compute_outer_diag_part(Launch& launch) {
  const auto& in = launch.input(0);
  auto shape = diagonal_part(in.shape());
  if (!shape) return shape.status();
  auto result = launch.allocate(in.dtype(), *shape);
  if (!result) return result.status();
  StridedWalk<2> walk;
  walk.add_axis(result->elements(), {{1, result->elements() + 1}});
  copy_walk(launch, *result, 0, in, 0, walk);
  return set_launched(launch, 0, *std::move(result), "a copy of a diagonal");
}

Status compute_band_part(Launch& launch) {
  auto band = cpu::read_kept_band(launch);
  if (!band) return band.status();
  const auto& in = launch.input(0);
  auto result = launch.allocate(in.dtype(), in.shape());
  if (!result) return result.status();
  if (result->elements() > 0)
    launch_band_part(
        {.to = result->mutable_raw(),
         .from = in.raw(),
         .size = static_cast<int>(size_of(in.dtype())),
         .elements = in.elements(),
         .rows = band->rows,
         .columns = band->columns,
         .lower = band->lower,
         .upper = band->upper,
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a copy of bands");
}

using Compute = Status (*)(Launch&, DiagonalVersion, DiagonalAlign);

KernelCatalog::Make make(Compute compute, DiagonalVersion version) {
  return [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    if (is_plain(dtype) && size_of(dtype) > 8 && version != DiagonalVersion::first)
      return no_kernel(dtype);
    auto align = cpu::align_of(node, version);
    return copying_kernel(dtype, [=](Launch& launch) { return compute(launch, version, align); });
  };
}

}  // namespace

void add_diagonals_kernels(KernelCatalog& catalog) {
  for (auto [version, suffix] :
       {std::pair(DiagonalVersion::first, ""), std::pair(DiagonalVersion::second, "V2"),
        std::pair(DiagonalVersion::third, "V3")}) {
    auto name = [suffix = std::string(suffix)](const char* op) { return op + suffix; };
    catalog.add(name("MatrixDiag"), make(compute_diag, version));
    catalog.add(name("MatrixDiagPart"), make(compute_diag_part, version));
    catalog.add(name("MatrixSetDiag"), make(compute_set_diag, version));
  }
  catalog.add("MatrixBandPart", copying(compute_band_part));
  for (auto name : {"MatrixBandPart", "MatrixDiag", "MatrixDiagPart", "MatrixSetDiag"})
    catalog.add(std::string("Batch") + name, catalog.find(name));
  catalog.add("Diag", copying(compute_outer_diag));
  catalog.add("DiagPart", copying(compute_outer_diag_part));
}

}  // namespace troupe::cuda
