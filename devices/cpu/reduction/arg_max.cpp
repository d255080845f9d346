#include <limits>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/reduction/reduction.hpp"

namespace troupe::cpu {
namespace {

/// The first index of the greatest of `size` elements that lie `stride` apart; NaN is not great.
template <class T>
int64_t index_of_greatest(const T* elements, int64_t size, int64_t stride) {
  using P = Promoted<T>;
  using Limits = std::numeric_limits<P>;
  auto greatest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  int64_t index = 0;
  for (int64_t i = 0; i < size; ++i) {
    auto element = promote(elements[i * stride]);
    if (element > greatest) {
      greatest = element;
      index = i;
    }
  }
  return index;
}

template <class T, class Index>
Status compute_arg_max(Launch& launch) {
  const auto& in = launch.input(0);
  auto given_axis = IntInput::of(launch.input(1));
  if (!given_axis) return given_axis.status();
  if (given_axis->count() != 1) return invalid_argument("exactly one axis must be given");
  auto axis = find_axis((*given_axis)[0], in.shape().rank());
  if (!axis) return axis.status();
  auto size = in.shape()[*axis];
  if (size == 0)
    return invalid_argument(
        "axis " + std::to_string(*axis) + " of " + in.shape().to_string() + " is empty");
  auto sizes = in.shape().sizes();
  std::array<int64_t, Shape::max_rank> kept;
  auto end = std::copy(sizes.begin(), sizes.begin() + *axis, kept.begin());
  end = std::copy(sizes.begin() + *axis + 1, sizes.end(), end);
  int64_t inner = 1;
  for (int i = *axis + 1; i < in.shape().rank(); ++i) inner *= in.shape()[i];
  auto out = launch.allocate(dtype_of<Index>(), Shape(std::span<const int64_t>(kept.begin(), end)));
  if (!out) return out.status();
  auto* result = out->template mutable_data<Index>();
  const auto* from = in.data<T>();
  parallel_ranges(out->elements(), size, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      result[i] = static_cast<Index>(
          index_of_greatest(from + i / inner * inner * size + i % inner, size, inner));
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_arg_max(const Node& node) {
  auto is_long = node.attr<DType>("output_type") == DType::int64;
  return dispatch(Real{}, node.attr<DType>("T"), [is_long](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = is_long ? compute_arg_max<T, int64_t> : compute_arg_max<T, int32_t>};
  });
}

}  // namespace

void add_arg_max_kernel(KernelCatalog& catalog) { catalog.add("ArgMax", make_arg_max); }

}  // namespace troupe::cpu
