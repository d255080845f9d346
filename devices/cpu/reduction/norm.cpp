#include <cmath>

#include "troupe/devices/cpu/reduction/reduce.hpp"
#include "troupe/devices/cpu/reduction/reduction.hpp"

namespace troupe::cpu {
namespace {

/// The square of an element's absolute value, in the dtype that squares are summed in.
template <class A, class T>
A square_of(const T& element) {
  if constexpr (is_complex<T>) {
    return element.real() * element.real() + element.imag() * element.imag();
  } else {
    auto wide = static_cast<A>(element);
    return wide * wide;
  }
}

template <class A, class T>
void add_squares_of_row(void* out, const void* row, int64_t size) {
  constexpr int64_t lanes = 8;
  const auto* elements = static_cast<const T*>(row);
  A parts[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) parts[lane] += square_of<A>(elements[i + lane]);
  for (; i < size; ++i) parts[0] += square_of<A>(elements[i]);
  for (auto part : parts) *static_cast<A*>(out) += part;
}

template <class A, class T>
void add_squares(void* out, const void* row, int64_t size) {
  auto* sums = static_cast<A*>(out);
  const auto* elements = static_cast<const T*>(row);
#pragma GCC ivdep
  for (int64_t i = 0; i < size; ++i) sums[i] += square_of<A>(elements[i]);
}

/// An integer beyond the greatest of its dtype would have no value.
template <class A, class T>
void narrow_norms(void* out, const void* norms, int64_t count) {
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const A*>(norms);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (is_number<T>) {
      constexpr auto most = std::numeric_limits<T>::max();
      to[i] = from[i] >= static_cast<A>(most) ? most : static_cast<T>(from[i]);
    } else {
      to[i] = static_cast<T>(from[i]);
    }
  }
}

template <class T>
struct SquareSum {
  using type = std::conditional_t<is_number<T>, double, Promoted<T>>;
};
template <class R>
struct SquareSum<std::complex<R>> {
  using type = R;
};

template <class T>
FoldElements norm_elements() {
  using A = typename SquareSum<T>::type;
  FoldElements elements{
      .in = dtype_of<T>(),
      .folded = dtype_of<A>(),
      .set_none = [](void* out, int64_t count) { std::fill_n(static_cast<A*>(out), count, A(0)); },
      .fold_row = add_squares_of_row<A, T>,
      .fold_each = add_squares<A, T>,
      .join = fold_each<FoldSum, A, A>};
  if constexpr (!std::is_same_v<A, T>) elements.narrow = narrow_norms<A, T>;
  return elements;
}

template <class A>
void set_roots(void* sums, int64_t count) {
  auto* sum = static_cast<A*>(sums);
  for (int64_t i = 0; i < count; ++i) sum[i] = std::sqrt(sum[i]);
}

Status compute_norm(Launch& launch, const FoldElements& elements, bool keep_dims) {
  const auto& in = launch.input(0);
  auto plan = plan_reduction(in.shape(), launch.input(1), keep_dims);
  if (!plan) return plan.status();
  auto take_roots = elements.folded == DType::float64 ? set_roots<double> : set_roots<float>;
  auto out = reduce(launch, elements, in, plan->kept, plan->result, take_roots);
  if (!out) return out.status();
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_norm_kernel(KernelCatalog& catalog) {
  catalog.add("EuclideanNorm", [](const Node& node) {
    auto keep_dims = node.attr<bool>("keep_dims");
    return dispatch(Numeric{}, node.attr<DType>("T"), [keep_dims](auto zero) {
      auto elements = norm_elements<decltype(zero)>();
      return Kernel{
          .compute = [=](Launch& launch) { return compute_norm(launch, elements, keep_dims); }};
    });
  });
}

}  // namespace troupe::cpu
