#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/graph/ops/linalg/diagonal_band.hpp"

namespace troupe::cpu {
namespace {

/// Which form of an op: the first knows the main diagonal only, the third how to align.
enum class DiagonalVersion : uint8_t { first = 1, second, third };

DiagonalAlign align_of(const Node& node, DiagonalVersion version) {
  // The second version has no attribute: its diagonals begin at the left.
  return version == DiagonalVersion::third ? DiagonalAlign::of(node.attr<std::string>("align"))
                                           : DiagonalAlign{};
}

Result<DiagonalBand> band_of(const Launch& launch, int input, DiagonalVersion version) {
  if (version == DiagonalVersion::first) return DiagonalBand{};
  auto given = IntInput::of(launch.input(input));
  if (!given) return given.status();
  return DiagonalBand::of(given->values());
}

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

/// The diagonals of matrices of one size, and where they lie packed.
struct DiagonalWalk {
  int64_t rows, columns;
  DiagonalBand band;
  DiagonalAlign align;

  int64_t matrix_size() const { return rows * columns; }
  int64_t packed_size() const { return band.count() * band.length(rows, columns); }

  /// Calls f(matrix element, packed element, count) for each diagonal of a matrix: the offsets of
  /// its first element in both, of `count` that are columns + 1 and 1 apart; and `padding` with
  /// the packed elements before and after it.
  template <class F, class P>
  void each(int64_t matrix, const F& f, const P& padding) const {
    auto width = band.length(rows, columns);
    auto packed = matrix * packed_size();
    for (auto d = band.upper; d >= band.lower; --d, packed += width) {
      auto length = DiagonalBand{d, d}.length(rows, columns);
      auto start = align.is_left(d) ? 0 : width - length;
      padding(packed, start);
      padding(packed + start + length, width - start - length);
      auto first = d >= 0 ? d : -d * columns;
      if (length > 0) f(matrix * matrix_size() + first, packed + start, length);
    }
  }
};

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
  int64_t rows = Shape::unknown, columns = Shape::unknown;
  C padding{};
  if (version != DiagonalVersion::first) {
    for (int i : {2, 3}) {
      if (!launch.input(i).shape().is_scalar())
        return invalid_argument(
            "input " + std::to_string(i) + " must be a scalar, but is " +
            launch.input(i).shape().to_string());
      (i == 2 ? rows : columns) = launch.input(i).value<int32_t>();
    }
    auto given = scalar_cell<C>(launch, 4);
    if (!given) return given.status();
    padding = *given;
  }
  auto shape = band->matrices_of(diagonal.shape(), rows, columns);
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
  const auto& shape = in.shape();
  if (shape.rank() < 2)
    return invalid_argument("input 0 must have at least rank 2, but is " + shape.to_string());
  auto rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  int64_t kept[2];
  for (int i : {0, 1}) {
    auto given = IntInput::of(launch.input(1 + i));
    if (!given) return given.status();
    if (!launch.input(1 + i).shape().is_scalar())
      return invalid_argument(
          "input " + std::to_string(1 + i) + " must be a scalar, but is " +
          launch.input(1 + i).shape().to_string());
    auto most = i == 0 ? rows : columns;
    kept[i] = (*given)[0] < 0 ? most : (*given)[0];
    if (kept[i] > most)
      return invalid_argument(
          std::string(i == 0 ? "'num_lower'" : "'num_upper'") + " must be at most " +
          std::to_string(most) + ", but is " + std::to_string(kept[i]));
  }
  auto out = launch.allocate(in.dtype(), shape);
  if (!out) return out.status();
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  auto all_rows = columns > 0 ? in.elements() / columns : 0;
  parallel_ranges(all_rows, columns, [&](int64_t begin, int64_t end) {
    for (auto index = begin; index < end; ++index) {
      auto row = index % rows;
      auto first = std::clamp<int64_t>(row - kept[0], 0, columns);
      auto last = std::clamp<int64_t>(row + kept[1] + 1, first, columns);
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
