#include <complex>
#include <utility>

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

Status check_permutation(const IntInput& permutation, int rank) {
  if (permutation.count() != rank)
    return invalid_argument(
        "a permutation of " + std::to_string(rank) + " axes is needed, not one of " +
        std::to_string(permutation.count()));
  std::array<bool, Shape::max_rank> seen{};
  for (auto given_axis : permutation.values()) {
    auto axis = find_axis(given_axis, rank);
    if (!axis) return axis.status();
    if (std::exchange(seen[*axis], true))
      return invalid_argument("axis " + std::to_string(*axis) + " is twice in the permutation");
  }
  return {};
}

struct Transposition {
  Shape shape;
  LoopNest<1> nest;
};

Result<Transposition> read_transposition(const Launch& launch) {
  const auto& shape = launch.input(0).shape();
  auto permutation = IntInput::of(launch.input(1));
  if (!permutation) return permutation.status();
  auto status = check_permutation(*permutation, shape.rank());
  if (!status.ok()) return status;
  auto strides = strides_of(shape);
  Transposition result = {.shape = shape, .nest = {}};
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto from = *find_axis((*permutation)[axis], shape.rank());
    result.shape.set(axis, shape[from]);
    result.nest.add_axis(shape[from], {strides[from]});
  }
  return result;
}

template <class C>
Status compute_transpose(Launch& launch) {
  auto transposition = read_transposition(launch);
  if (!transposition) return transposition.status();
  return set_copy<C>(launch, transposition->shape, transposition->nest);
}

/// The same for complex numbers, whose conjugates it sets.
template <class T>
Status compute_conjugate_transpose(Launch& launch) {
  auto transposition = read_transposition(launch);
  if (!transposition) return transposition.status();
  auto out = launch.allocate(dtype_of<T>(), transposition->shape);
  if (!out) return out.status();
  auto* to = out->template mutable_data<T>();
  if (out->elements() > 0) copy_strided(to, launch.input(0).data<T>(), transposition->nest);
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) to[i] = std::conj(to[i]);
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class C>
Status compute_reverse(Launch& launch) {
  const auto shape = launch.input(0).shape();
  const auto& is_reversed = launch.input(1);
  if (is_reversed.shape() != Shape{shape.rank()})
    return invalid_argument(
        "dims must have an element for each axis of " + shape.to_string() + ", but has the shape " +
        is_reversed.shape().to_string());
  auto strides = strides_of(shape);
  LoopNest<1> nest;
  int64_t first = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto reversed = is_reversed.data<bool>()[axis];
    nest.add_axis(shape[axis], {reversed ? -strides[axis] : strides[axis]});
    if (reversed) first += (shape[axis] - 1) * strides[axis];
  }
  return set_copy<C>(launch, shape, nest, first);
}

template <class C>
Status compute_broadcast_to(Launch& launch) {
  auto shape = shape_input(launch.input(1));
  if (!shape) return shape.status();
  const auto& from = launch.input(0).shape();
  auto joint = broadcast(from, *shape);
  if (!joint || *joint != *shape)
    return invalid_argument(from.to_string() + " cannot be broadcast to " + shape->to_string());
  return set_copy<C>(launch, *shape, broadcast_nest(from, *shape));
}

}  // namespace

void add_layout_kernels(KernelCatalog& catalog) {
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
  catalog.add("Reverse", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_reverse<decltype(cell)>};
    });
  });
  catalog.add("BroadcastTo", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_broadcast_to<decltype(cell)>};
    });
  });
}

}  // namespace troupe::cpu
