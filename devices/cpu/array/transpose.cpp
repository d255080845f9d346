#include <algorithm>
#include <complex>
#include <utility>

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/vector/transpose/transpose_small.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {
namespace {

Status check_permutation(const IntInput& permutation, int rank) {
  if (permutation.count() != rank)
    return invalid_argument(
        "a permutation of " + std::to_string(rank) + " axes is needed, not one of " +
        std::to_string(permutation.count()));
  std::array<bool, Shape::max_rank> seen{};
  for (auto axis : permutation.values()) {
    if (axis < 0 || axis >= rank)
      return invalid_argument(
          "axis " + std::to_string(axis) + " of the permutation is not in [0, " +
          std::to_string(rank) + ")");
    if (std::exchange(seen[static_cast<size_t>(axis)], true))
      return invalid_argument("axis " + std::to_string(axis) + " is twice in the permutation");
  }
  return {};
}

/// An axis of the output, and how far apart its elements lie there and in the input.
struct TransposedAxis {
  int64_t size, out_stride, in_stride;
};

/// The output's shape, and its axes from the innermost; those that the input crosses in one even
/// stride, too, are one.
struct Transposition {
  Shape shape;
  std::array<TransposedAxis, Shape::max_rank> axes;
  int rank = 0;

  void add_axis(int64_t size, int64_t out_stride, int64_t in_stride) {
    if (size == 1) return;
    if (rank > 0 && axes[rank - 1].in_stride * axes[rank - 1].size == in_stride)
      axes[rank - 1].size *= size;
    else axes[rank++] = {size, out_stride, in_stride};
  }

  LoopNest<1> nest() const {
    LoopNest<1> nest;
    for (int axis = 0; axis < rank; ++axis) nest.add_axis(axes[axis].size, {axes[axis].in_stride});
    return nest;
  }
};

Result<Transposition> read_transposition(const Launch& launch) {
  const auto& shape = launch.input(0).shape();
  if (launch.input(1).shape().rank() != 1)
    return invalid_argument(
        "the permutation must be a vector, not of shape " + launch.input(1).shape().to_string());
  auto permutation = IntInput::of(launch.input(1));
  if (!permutation) return permutation.status();
  auto status = check_permutation(*permutation, shape.rank());
  if (!status.ok()) return status;
  auto strides = strides_of(shape);
  Transposition result = {.shape = shape, .axes = {}};
  int64_t out_stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto from = static_cast<int>((*permutation)[axis]);
    result.shape.set(axis, shape[from]);
    result.add_axis(shape[from], out_stride, strides[from]);
    out_stride *= shape[from];
  }
  return result;
}

/// A transposition as that of many matrices: their rows in the input are contiguous, their columns
/// are so in the output.
struct Matrices {
  TransposedAxis row;     // its steps lead from row to row of the input
  TransposedAxis column;  // and from column to column
  std::array<TransposedAxis, Shape::max_rank> others;
  int other_count = 0;
  int64_t count = 1;

  /// `axes[0]` must not be contiguous in the input.
  explicit Matrices(const Transposition& transposition) : row(transposition.axes[0]), column() {
    for (int i = 1; i < transposition.rank; ++i) {
      const auto& axis = transposition.axes[i];
      if (axis.in_stride == 1) {
        column = axis;
      } else {
        others[other_count++] = axis;
        count *= axis.size;
      }
    }
  }

  /// Where a matrix begins in the output and the input.
  std::pair<int64_t, int64_t> begin(int64_t matrix) const {
    int64_t out = 0, in = 0;
    for (int i = 0; i < other_count; ++i) {
      auto index = matrix % others[i].size;
      matrix /= others[i].size;
      out += index * others[i].out_stride;
      in += index * others[i].in_stride;
    }
    return {out, in};
  }
};

/// The part that one call transposes: the lines that it reads and writes fit the nearest caches.
constexpr int64_t part_rows = 256, part_columns = 64;

int64_t parts(int64_t size, int64_t part) { return (size + part - 1) / part; }

template <class C>
void transpose_matrices(C* out, const C* in, const Matrices& matrices, vector::TransposeLoop loop) {
  auto down = parts(matrices.row.size, part_rows),
       across = parts(matrices.column.size, part_columns);
  auto elements =
      std::min(matrices.row.size, part_rows) * std::min(matrices.column.size, part_columns);
  parallel_ranges(matrices.count * across * down, elements, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto row = i % down * part_rows, column = i / down % across * part_columns;
      auto [to, from] = matrices.begin(i / down / across);
      loop(
          {.out = out + to + column * matrices.column.out_stride + row,
           .out_stride = matrices.column.out_stride,
           .in = in + from + row * matrices.row.in_stride + column,
           .in_stride = matrices.row.in_stride,
           .rows = std::min(part_rows, matrices.row.size - row),
           .columns = std::min(part_columns, matrices.column.size - column)});
    }
  });
}

template <class C>
void transpose_cells(const vector::Transposed& of) {
  auto* out = static_cast<C*>(of.out);
  const auto* in = static_cast<const C*>(of.in);
  for (int64_t c = 0; c < of.columns; ++c)
    for (int64_t r = 0; r < of.rows; ++r) out[c * of.out_stride + r] = in[r * of.in_stride + c];
}

template <class C>
void transpose_to(C* out, const C* in, const Transposition& transposition) {
  auto elements = transposition.shape.elements();
  if (elements == 0) return;
  if (transposition.rank == 0 || transposition.axes[0].in_stride == 1)
    return copy_strided(out, in, transposition.nest());
  vector::TransposeLoop loop = nullptr;
  if constexpr (std::is_trivially_copyable_v<C>)
    loop = sizeof(C) < 4 ? vector::small_transpose_loop(sizeof(C))
                         : vector::transpose_loop(
                               sizeof(C), vector::is_beyond_caches(elements * int64_t(sizeof(C))));
  transpose_matrices(out, in, Matrices(transposition), loop ? loop : transpose_cells<C>);
}

template <class C>
Status compute_transpose(Launch& launch) {
  auto transposition = read_transposition(launch);
  if (!transposition) return transposition.status();
  auto out = launch.allocate(launch.input(0).dtype(), transposition->shape);
  if (!out) return out.status();
  transpose_to(mutable_cells<C>(*out), cells<C>(launch.input(0)), *transposition);
  launch.set(0, *std::move(out));
  return {};
}

/// The same for complex numbers, whose conjugates it sets.
template <class T>
Status compute_conjugate_transpose(Launch& launch) {
  auto transposition = read_transposition(launch);
  if (!transposition) return transposition.status();
  auto out = launch.allocate(dtype_of<T>(), transposition->shape);
  if (!out) return out.status();
  auto* to = out->template mutable_data<T>();
  transpose_to(to, launch.input(0).data<T>(), *transposition);
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) to[i] = std::conj(to[i]);
  });
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_transpose_kernels(KernelCatalog& catalog) {
  catalog.add("Transpose", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_transpose<decltype(cell)>};
    });
  });
  catalog.add("ConjugateTranspose", [](const Node& node) -> Result<Kernel> {
    if (node.attr<DType>("T") == DType::complex64)
      return Kernel{.compute = compute_conjugate_transpose<complex64>};
    if (node.attr<DType>("T") == DType::complex128)
      return Kernel{.compute = compute_conjugate_transpose<complex128>};
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_transpose<decltype(cell)>};
    });
  });
}

}  // namespace troupe::cpu
