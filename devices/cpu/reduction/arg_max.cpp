#include <limits>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/reduction/reduction.hpp"
#include "troupe/devices/cpu/vector/search.hpp"

namespace troupe::cpu {
namespace {

/// The first index of the most extreme of `size` elements that lie `stride` apart.
using FindExtreme = int64_t (*)(const void* elements, int64_t size, int64_t stride);

struct IsGreater {
  template <class P>
  bool operator()(P x, P y) const {
    return x > y;
  }
};
struct IsLess {
  template <class P>
  bool operator()(P x, P y) const {
    return x < y;
  }
};

/// NaN is neither great nor small.
template <class T, class IsBetter>
int64_t index_of_extreme(const void* first, int64_t size, int64_t stride) {
  using P = Promoted<T>;
  using Limits = std::numeric_limits<P>;
  const auto* elements = static_cast<const T*>(first);
  constexpr bool is_maximum = std::is_same_v<IsBetter, IsGreater>;
  auto extreme = is_maximum ? Limits::lowest() : Limits::max();
  if (Limits::has_infinity) extreme = is_maximum ? -Limits::infinity() : Limits::infinity();
  int64_t index = 0;
  for (int64_t i = 0; i < size; ++i) {
    auto element = promote(elements[i * stride]);
    if (IsBetter{}(element, extreme)) {
      extreme = element;
      index = i;
    }
  }
  return index;
}

struct ExtremeElements {
  FindExtreme find;
  vector::FindExtreme find_in_row;  // of elements side by side, where there is a loop for them
  int64_t size;                     // of an element, in bytes
};

template <class Index>
Status compute_position(Launch& launch, const ExtremeElements& elements) {
  const auto& in = launch.input(0);
  auto given_axis = scalar_input(launch.input(1), "the axis");
  if (!given_axis) return given_axis.status();
  auto axis = find_axis(*given_axis, in.shape().rank());
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
  const auto* from = static_cast<const std::byte*>(in.raw());
  parallel_ranges(out->elements(), size, [&](int64_t begin, int64_t end) {
    constexpr int64_t short_row = 32;
    if (inner == 1 && size >= short_row && elements.find_in_row) {
      for (auto i = begin; i < end; ++i)
        result[i] = static_cast<Index>(elements.find_in_row(from + i * size * elements.size, size));
      return;
    }
    for (auto i = begin; i < end; ++i) {
      const auto* line = from + (i / inner * inner * size + i % inner) * elements.size;
      result[i] = static_cast<Index>(elements.find(line, size, inner));
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class IsBetter>
Result<Kernel> make_position(const Node& node) {
  auto is_long = node.attr<DType>("output_type") == DType::int64;
  return dispatch(Real{}, node.attr<DType>("T"), [is_long](auto zero) {
    using T = decltype(zero);
    constexpr bool is_maximum = std::is_same_v<IsBetter, IsGreater>;
    ExtremeElements elements{
        .find = index_of_extreme<T, IsBetter>,
        .find_in_row = vector::find_extreme_loop(is_maximum, dtype_of<T>()),
        .size = sizeof(T)};
    auto compute = is_long ? compute_position<int64_t> : compute_position<int32_t>;
    return Kernel{.compute = [=](Launch& launch) { return compute(launch, elements); }};
  });
}

}  // namespace

void add_arg_max_kernel(KernelCatalog& catalog) {
  catalog.add("ArgMax", make_position<IsGreater>);
  catalog.add("ArgMin", make_position<IsLess>);
}

}  // namespace troupe::cpu
