#include <cmath>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/reduction/reduce.hpp"

namespace troupe::cpu {
namespace {

/// The logarithm of a sum of exponentials; that of none is the least number of a T.
template <class T>
struct FoldLogSumExp {
  template <class A>
  static A none() {
    return static_cast<A>(Eigen::NumTraits<T>::lowest());
  }
  template <class A>
  A operator()(A folded, A next) const {
    auto greater = std::max(folded, next), less = std::min(folded, next);
    if (std::isnan(folded) || std::isnan(next)) return folded + next;
    if (std::isinf(greater)) return greater;
    return greater + std::log1p(std::exp(less - greater));
  }
};

/// Lines that are scanned side by side, so that the compiler can use vector instructions.
constexpr int64_t scan_width = 64;

/// Scans `width` lines that lie side by side, of `size` elements that lie `stride` apart.
template <class Fold, class T>
void scan_lines(
    T* out, const T* in, int64_t size, int64_t stride, int64_t width, bool is_exclusive) {
  using A = Promoted<T>;
  A folded[scan_width];
  std::fill_n(folded, scan_width, Fold::template none<A>());
  for (int64_t i = 0; i < size; ++i) {
    auto* to = out + i * stride;
    const auto* from = in + i * stride;
    for (int64_t line = 0; line < width; ++line) {
      auto next = static_cast<A>(Fold{}(folded[line], promote(from[line])));
      to[line] = static_cast<T>(is_exclusive ? folded[line] : next);
      folded[line] = next;
    }
  }
}

template <class Fold, class T>
Status compute_scan(Launch& launch, bool is_exclusive, bool is_reverse) {
  const auto& in = launch.input(0);
  auto given_axis = scalar_input(launch.input(1), "the axis");
  if (!given_axis) return given_axis.status();
  auto axis = find_axis(*given_axis, in.shape().rank());
  if (!axis) return axis.status();
  auto out = launch.allocate(in.dtype(), in.shape());
  if (!out) return out.status();
  if (in.elements() > 0) {
    int64_t outer = 1, inner = 1, size = in.shape()[*axis];
    for (int i = 0; i < *axis; ++i) outer *= in.shape()[i];
    for (int i = *axis + 1; i < in.shape().rank(); ++i) inner *= in.shape()[i];
    auto blocks = (inner + scan_width - 1) / scan_width;
    auto* to = out->template mutable_data<T>();
    const auto* from = in.data<T>();
    auto each = size * std::min(inner, scan_width);
    parallel_ranges(outer * blocks, each, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i) {
        auto first = i % blocks * scan_width;
        auto at = i / blocks * size * inner + first + (is_reverse ? (size - 1) * inner : 0);
        scan_lines<Fold>(
            to + at, from + at, size, is_reverse ? -inner : inner,
            std::min(scan_width, inner - first), is_exclusive);
      }
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class Fold>
Result<Kernel> make_scan(const Node& node) {
  auto is_exclusive = node.attr<bool>("exclusive"), is_reverse = node.attr<bool>("reverse");
  return dispatch(Numeric{}, node.attr<DType>("T"), [=](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) {
      return compute_scan<Fold, T>(launch, is_exclusive, is_reverse);
    }};
  });
}

}  // namespace

void add_scan_kernels(KernelCatalog& catalog) {
  catalog.add("Cumsum", make_scan<FoldSum>);
  catalog.add("Cumprod", make_scan<FoldProduct>);
  catalog.add("CumulativeLogsumexp", [](const Node& node) {
    auto is_exclusive = node.attr<bool>("exclusive"), is_reverse = node.attr<bool>("reverse");
    return dispatch(Types<float16, float, double>{}, node.attr<DType>("T"), [=](auto zero) {
      using T = decltype(zero);
      return Kernel{.compute = [=](Launch& launch) {
        return compute_scan<FoldLogSumExp<T>, T>(launch, is_exclusive, is_reverse);
      }};
    });
  });
}

}  // namespace troupe::cpu
