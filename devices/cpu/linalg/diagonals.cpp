#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/linalg/diagonal_input.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// The one element of a scalar input.
template <class C>
Result<C> scalar_cell(const Launch& launch, int input) {
  const auto& tensor = launch.input(input);
  if (!tensor.shape().is_scalar())
    return invalid_argument(
        "input " + std::to_string(input) + " must be a scalar, but is " +
        tensor.shape().to_string());
  return *cells<C>(tensor);
}

constexpr auto no_padding = [](int64_t, int64_t) {};

template <class C>
void write_diagonals(const DiagonalWalk& walk, int64_t batches, C* matrices, const C* packed) {
  auto step = walk.columns + 1;
  parallel_ranges(batches, walk.packed_size(), [&](int64_t begin, int64_t end) {
    for (auto matrix = begin; matrix < end; ++matrix)
      walk.each(
          matrix,
          [&](int64_t to, int64_t from, int64_t count) {
            for (int64_t i = 0; i < count; ++i) matrices[to + i * step] = packed[from + i];
          },
          no_padding);
  });
}

template <class C>
Status compute_matrix_diag(Launch& launch, DiagonalVersion version, DiagonalAlign align) {
  const auto& diagonal = launch.input(0);
  auto band = band_of(launch, 1, version);
  if (!band) return band.status();
  auto sizes = read_matrix_sizes(launch, version);
  if (!sizes) return sizes.status();
  C padding{};
  if (version != DiagonalVersion::first) {
    auto given = scalar_cell<C>(launch, 4);
    if (!given) return given.status();
    padding = *given;
  }
  auto shape = band->matrices_of(diagonal.shape(), sizes->rows, sizes->columns);
  if (!shape) return shape.status();
  auto out = launch.allocate(diagonal.dtype(), *shape);
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    std::fill(to + begin, to + end, padding);
  });
  DiagonalWalk walk{(*shape)[shape->rank() - 2], (*shape)[shape->rank() - 1], *band, align};
  if (out->elements() > 0)
    write_diagonals(walk, out->elements() / walk.matrix_size(), to, cells<C>(diagonal));
  launch.set(0, *std::move(out));
  return {};
}

template <class C>
Status compute_matrix_diag_part(Launch& launch, DiagonalVersion version, DiagonalAlign align) {
  const auto& in = launch.input(0);
  auto band = band_of(launch, 1, version);
  if (!band) return band.status();
  auto shape = band->diagonals_of(in.shape());
  if (!shape) return shape.status();
  C padding{};
  if (version != DiagonalVersion::first) {
    auto given = scalar_cell<C>(launch, 2);
    if (!given) return given.status();
    padding = *given;
  }
  auto out = launch.allocate(in.dtype(), *shape);
  if (!out) return out.status();
  auto rank = in.shape().rank();
  DiagonalWalk walk{in.shape()[rank - 2], in.shape()[rank - 1], *band, align};
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  auto step = walk.columns + 1;
  auto batches = out->elements() > 0 ? out->elements() / walk.packed_size() : 0;
  parallel_ranges(batches, std::max<int64_t>(1, walk.packed_size()), [&](auto begin, auto end) {
    for (auto matrix = begin; matrix < end; ++matrix)
      walk.each(
          matrix,
          [&](int64_t first, int64_t packed, int64_t count) {
            for (int64_t i = 0; i < count; ++i) to[packed + i] = from[first + i * step];
          },
          [&](int64_t packed, int64_t count) { std::fill_n(to + packed, count, padding); });
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class C>
Status compute_matrix_set_diag(Launch& launch, DiagonalVersion version, DiagonalAlign align) {
  const auto shape = launch.input(0).shape();
  auto band = band_of(launch, 2, version);
  if (!band) return band.status();
  auto expected = band->diagonals_of(shape);
  if (!expected) return expected.status();
  if (launch.input(1).shape() != *expected)
    return invalid_argument(
        "the diagonals of " + shape.to_string() + " have the shape " + expected->to_string() +
        ", not " + launch.input(1).shape().to_string());
  const auto* from = cells<C>(launch.input(0));
  auto out = launch.reuse_or_allocate({0}, launch.input(0).dtype(), shape);
  if (!out) return out.status();
  auto* to = mutable_cells<C>(*out);
  if (to != from)
    parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
      std::copy(from + begin, from + end, to + begin);
    });
  DiagonalWalk walk{shape[shape.rank() - 2], shape[shape.rank() - 1], *band, align};
  if (expected->elements() > 0)
    write_diagonals(walk, expected->elements() / walk.packed_size(), to, cells<C>(launch.input(1)));
  launch.set(0, *std::move(out));
  return {};
}

template <class C>
Status compute_band_part(Launch& launch) {
  const auto& in = launch.input(0);
  auto band = read_kept_band(launch);
  if (!band) return band.status();
  const auto [rows, columns, lower, upper] = *band;
  auto out = launch.allocate(in.dtype(), in.shape());
  if (!out) return out.status();
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  auto all_rows = columns > 0 ? in.elements() / columns : 0;
  parallel_ranges(all_rows, columns, [&, rows, columns, lower, upper](int64_t begin, int64_t end) {
    for (auto index = begin; index < end; ++index) {
      auto row = index % rows;
      auto first = std::clamp<int64_t>(row - lower, 0, columns);
      auto last = std::clamp<int64_t>(row + upper + 1, first, columns);
      auto* out_row = to + index * columns;
      const auto* in_row = from + index * columns;
      std::fill(out_row, out_row + first, C{});
      std::copy(in_row + first, in_row + last, out_row + first);
      std::fill(out_row + last, out_row + columns, C{});
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

/// A tensor of rank k as the diagonal of one of rank 2k, or back.
template <class C, bool makes_diagonal>
Status compute_diag(Launch& launch) {
  const auto& in = launch.input(0);
  auto shape = makes_diagonal ? outer_diagonal(in.shape()) : diagonal_part(in.shape());
  if (!shape) return shape.status();
  auto out = launch.allocate(in.dtype(), *shape);
  if (!out) return out.status();
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  if constexpr (makes_diagonal) {
    std::fill_n(to, out->elements(), C{});
    for (int64_t i = 0; i < in.elements(); ++i) to[i * (in.elements() + 1)] = from[i];
  } else {
    for (int64_t i = 0; i < out->elements(); ++i) to[i] = from[i * (out->elements() + 1)];
  }
  launch.set(0, *std::move(out));
  return {};
}

KernelCatalog::Make make_diag(bool makes_diagonal) {
  return [=](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [=](auto cell) -> Result<Kernel> {
      using C = decltype(cell);
      if constexpr (std::is_same_v<C, std::string>) return no_kernel(DType::string);
      else
        return Kernel{.compute = makes_diagonal ? compute_diag<C, true> : compute_diag<C, false>};
    });
  };
}

enum class DiagonalOp : uint8_t { make, part, set };

KernelCatalog::Make make_matrix_diag(DiagonalOp op, DiagonalVersion version) {
  return [=](const Node& node) {
    auto align = align_of(node, version);
    return dispatch_cells(node.attr<DType>("T"), [=](auto cell) -> Result<Kernel> {
      using C = decltype(cell);
      if constexpr (std::is_same_v<C, std::string>) return no_kernel(DType::string);
      else
        return Kernel{.compute = [=](Launch& launch) {
          switch (op) {
            case DiagonalOp::make: return compute_matrix_diag<C>(launch, version, align);
            case DiagonalOp::part: return compute_matrix_diag_part<C>(launch, version, align);
            default: return compute_matrix_set_diag<C>(launch, version, align);
          }
        }};
    });
  };
}

}  // namespace

void add_diagonals_kernels(KernelCatalog& catalog) {
  for (auto [version, suffix] :
       {std::pair(DiagonalVersion::first, ""), std::pair(DiagonalVersion::second, "V2"),
        std::pair(DiagonalVersion::third, "V3")}) {
    auto name = [suffix = std::string(suffix)](const char* op) { return op + suffix; };
    catalog.add(name("MatrixDiag"), make_matrix_diag(DiagonalOp::make, version));
    catalog.add(name("MatrixDiagPart"), make_matrix_diag(DiagonalOp::part, version));
    catalog.add(name("MatrixSetDiag"), make_matrix_diag(DiagonalOp::set, version));
  }
  catalog.add("Diag", make_diag(/*makes_diagonal=*/true));
  catalog.add("DiagPart", make_diag(/*makes_diagonal=*/false));
  catalog.add("MatrixBandPart", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) -> Result<Kernel> {
      using C = decltype(cell);
      if constexpr (std::is_same_v<C, std::string>) return no_kernel(DType::string);
      else return Kernel{.compute = compute_band_part<C>};
    });
  });
}

}  // namespace troupe::cpu
