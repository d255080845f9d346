#include <algorithm>
#include <functional>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/math/selection.hpp"

namespace troupe::cpu {
namespace {

/// Element i of the result comes from `then` where flag i / group_size is true.
template <class C>
struct Selection {
  const bool* flags;
  const C* then;
  const C* otherwise;
  int64_t group_size;

  void write(C* out, int64_t begin, int64_t end) const {
    if (group_size == 1)
      return select_elements(
          out + begin, flags + begin, then + begin, otherwise + begin, end - begin);
    while (begin < end) {
      auto group = begin / group_size, next = std::min(end, (group + 1) * group_size);
      const auto* chosen = flags[group] ? then : otherwise;
      if (chosen != out) std::copy(chosen + begin, chosen + next, out + begin);
      begin = next;
    }
  }
};

Status check_select(const Shape& condition, const Shape& then, const Shape& otherwise) {
  if (then != otherwise)
    return invalid_argument(
        "both choices must have one shape, but are " + then.to_string() + " and " +
        otherwise.to_string());
  auto is_flag_per_row = condition.rank() == 1 && then.rank() > 0 && condition[0] == then[0];
  if (condition == then || condition.is_scalar() || is_flag_per_row) return {};
  return invalid_argument(
      "the condition must be a scalar, a flag for each row, or of the choices' shape " +
      then.to_string() + ", but is " + condition.to_string());
}

template <class C>
Status compute_select(Launch& launch) {
  const auto condition = launch.input(0).shape(), shape = launch.input(1).shape();
  auto status = check_select(condition, shape, launch.input(2).shape());
  if (!status.ok()) return status;
  const auto* flags = launch.input(0).data<bool>();
  if (condition.is_scalar()) {
    launch.set(0, launch.take_input(*flags ? 1 : 2));
    return {};
  }
  Selection<C> selection{
      .flags = flags,
      .then = cells<C>(launch.input(1)),
      .otherwise = cells<C>(launch.input(2)),
      .group_size =
          std::max<int64_t>(1, shape.elements() / std::max<int64_t>(1, condition.elements()))};
  auto out = launch.reuse_or_allocate({1, 2}, launch.input(1).dtype(), shape);
  if (!out) return out.status();
  auto* result = mutable_cells<C>(*out);
  parallel_ranges(
      out->elements(), 1, [&](int64_t begin, int64_t end) { selection.write(result, begin, end); });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_select(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
    return Kernel{.compute = compute_select<decltype(cell)>};
  });
}

/// Shapes that cannot be broadcast together are an error, or one `unequal`.
template <class F>
KernelCatalog::Make equality(F compare, bool unequal) {
  return [=](const Node& node) {
    auto kernel = comparison<decltype(AllPlain{} + Types<std::string>{})>(compare)(node);
    if (!kernel || node.attr<bool>("incompatible_shape_error")) return kernel;
    auto compute = kernel->compute;
    kernel->compute = [compute, unequal](Launch& launch) -> Status {
      if (broadcast(launch.input(0).shape(), launch.input(1).shape())) return compute(launch);
      auto out = launch.allocate(DType::boolean, Shape());
      if (!out) return out.status();
      *out->mutable_data<bool>() = unequal;
      launch.set(0, *std::move(out));
      return {};
    };
    return kernel;
  };
}

}  // namespace

void add_comparison_kernels(KernelCatalog& catalog) {
  catalog.add("Equal", equality(std::equal_to<>(), /*unequal=*/false));
  catalog.add("NotEqual", equality(std::not_equal_to<>(), /*unequal=*/true));
  catalog.add("Less", comparison<Real>(std::less<>()));
  catalog.add("LessEqual", comparison<Real>(std::less_equal<>()));
  catalog.add("Greater", comparison<Real>(std::greater<>()));
  catalog.add("GreaterEqual", comparison<Real>(std::greater_equal<>()));
  catalog.add_compute("LogicalAnd", compute_binary<std::bit_and<>, bool, bool>);
  catalog.add_compute("LogicalNot", compute_unary<std::logical_not<>, bool, bool>);
  catalog.add("Select", make_select);
}

}  // namespace troupe::cpu
