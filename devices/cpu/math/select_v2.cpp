#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/math/selection.hpp"

namespace troupe::cpu {
namespace {

/// The walk over `whole` with three operands, all broadcast to it.
LoopNest<3> nest_of_three(const std::array<Shape, 3>& operands, const Shape& whole) {
  LoopNest<3> nest;
  LoopNest<3>::Offsets next = {1, 1, 1};
  for (int back = 1; back <= whole.rank(); ++back) {
    LoopNest<3>::Offsets strides{};
    for (size_t i = 0; i < 3; ++i) {
      auto rank = operands[i].rank();
      auto size = back <= rank ? operands[i][rank - back] : 1;
      if (size != 1) strides[i] = next[i];
      next[i] *= size;
    }
    nest.add_axis(whole[whole.rank() - back], strides);
  }
  return nest;
}

/// A row of the result, where each operand has an element for each, or one for all.
template <class C>
void select_row(
    C* out, int64_t size, const bool* flags, const C* then, const C* otherwise,
    const LoopNest<3>::Offsets& strides) {
  if (strides[0] == 0) {
    const auto* chosen = *flags ? then : otherwise;
    auto stride = *flags ? strides[1] : strides[2];
    for (int64_t i = 0; i < size; ++i) out[i] = chosen[i * stride];
  } else if (strides[1] != 0 && strides[2] != 0) {
    select_elements(out, flags, then, otherwise, size);
  } else {
    for (int64_t i = 0; i < size; ++i)
      out[i] = flags[i] ? then[i * strides[1]] : otherwise[i * strides[2]];
  }
}

template <class C>
Status compute_select_v2(Launch& launch) {
  std::array<Shape, 3> shapes;
  for (int i : {0, 1, 2}) shapes[static_cast<size_t>(i)] = launch.input(i).shape();
  auto choices = broadcast(shapes[1], shapes[2]);
  if (!choices) return choices.status();
  auto whole = broadcast(shapes[0], *choices);
  if (!whole) return whole.status();
  auto dtype = launch.input(1).dtype();
  const auto* flags = launch.input(0).data<bool>();
  if (shapes[0].is_scalar() && shapes[*flags ? 1 : 2] == *whole) {
    launch.set(0, launch.take_input(*flags ? 1 : 2));
    return {};
  }
  const auto *then = cells<C>(launch.input(1)), *otherwise = cells<C>(launch.input(2));
  auto out = launch.reuse_or_allocate({1, 2}, dtype, *whole);
  if (!out) return out.status();
  auto* result = mutable_cells<C>(*out);
  auto nest = nest_of_three(shapes, *whole);
  auto size = nest.row_size();
  parallel_ranges(nest.rows(), size, [&](int64_t begin, int64_t end) {
    nest.each_row(begin, end, [&](int64_t row, const auto& offsets) {
      select_row(
          result + row * size, size, flags + offsets[0], then + offsets[1], otherwise + offsets[2],
          nest.row_strides());
    });
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_select_v2(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
    return Kernel{.compute = compute_select_v2<decltype(cell)>};
  });
}

}  // namespace

void add_select_v2_kernel(KernelCatalog& catalog) { catalog.add("SelectV2", make_select_v2); }

}  // namespace troupe::cpu
