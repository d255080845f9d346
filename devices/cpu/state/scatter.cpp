#include <cstring>
#include <string>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/state/row_indices.hpp"
#include "troupe/devices/cpu/state/state.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
namespace {

/// How a scatter changes the elements of a row, by one update for each or one for all.
struct ScatterRule {
  BinaryElements elements;
  bool divides = false;
  bool names_parts = false;  // by vectors of indices, instead of rows by single ones
};

/// The shape of updates for each place that is named.
Result<Shape> shape_of_updates(const ScatterRule& rule, const Shape& indices, const Tensor& value) {
  auto outer = indices.sizes();
  int depth = 1;
  if (rule.names_parts) {
    depth = static_cast<int>(outer.back());
    outer = outer.first(outer.size() - 1);
  }
  std::vector<int64_t> sizes(outer.begin(), outer.end());
  auto inner = value.shape().sizes().subspan(static_cast<size_t>(depth));
  sizes.insert(sizes.end(), inner.begin(), inner.end());
  return Shape::make(sizes);
}

/// Whether one update, a scalar, is for all. Fails where the updates do not fit.
Result<bool> check_updates(
    const ScatterRule& rule, const Tensor& indices, const Tensor& updates, const Tensor& value) {
  if (updates.dtype() != value.dtype())
    return invalid_argument(
        std::string("the variable is ") + to_string(value.dtype()) + ", but the updates are " +
        to_string(updates.dtype()));
  if (rule.names_parts) {
    auto depth = depth_of(indices, value.shape());
    if (!depth) return depth.status();
  } else if (value.shape().is_scalar()) {
    return invalid_argument("the variable is a scalar, which has no rows");
  }
  auto is_scalar = updates.shape().is_scalar() && !rule.names_parts;
  auto shape = shape_of_updates(rule, indices.shape(), value);
  if (!is_scalar && !shape) return shape.status();
  if (!is_scalar && updates.shape() != *shape)
    return invalid_argument(
        "updates must have the shape " + shape->to_string() + ", but have " +
        updates.shape().to_string());
  return is_scalar;
}

bool has_zero(const Tensor& updates) {
  bool found = false;
  for_dtype(Integral{}, updates.dtype(), [&](auto zero) {
    auto values = updates.values<decltype(zero)>();
    found = std::ranges::count(values, zero) > 0;
  });
  return found;
}

void apply_updates(
    const ScatterRule& rule, const Rows& rows, Tensor& value, const Tensor& updates,
    bool is_scalar) {
  auto row_bytes = rows.size * static_cast<int64_t>(size_of(value.dtype()));
  auto* to = static_cast<std::byte*>(value.mutable_raw());
  const auto* by = static_cast<const std::byte*>(updates.raw());
  auto repeat = is_scalar ? Repeat::y : Repeat::none;
  change_rows(rows, [&](int64_t i) {
    auto* row = to + rows.chosen[static_cast<size_t>(i)] * row_bytes;
    rule.elements.loop(row, row, by + (is_scalar ? 0 : i * row_bytes), rows.size, repeat);
  });
}

Status compute_scatter(Launch& launch, const ScatterRule& rule) {
  return update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& value = *values[0];
    const auto &indices = launch.input(1), &updates = launch.input(2);
    auto is_scalar = check_updates(rule, indices, updates, value);
    if (!is_scalar) return is_scalar.status();
    auto rows = rule.names_parts ? choose_parts(indices, value.shape())
                                 : choose_rows(indices, value.shape());
    if (!rows) return rows.status();
    if (rule.divides && has_zero(updates))
      return invalid_argument("updates must not contain 0, which integers cannot be divided by");
    if (rows->chosen.empty() || rows->size == 0) return {};
    auto updated = copy_for_update(launch, value);
    if (!updated) return updated.status();
    apply_updates(rule, *rows, *updated, updates, *is_scalar);
    value = *std::move(updated);
    return {};
  });
}

struct ScatterProduct {
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(wrap(x) * wrap(y));
  }
};

/// The divisor is not 0.
struct ScatterQuotient {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      if (y == T(-1)) return static_cast<T>(wrap(T()) - wrap(x));  // the least has no opposite
    return static_cast<T>(x / y);
  }
};

struct ScatterMinimum {
  template <class T>
  T operator()(T x, T y) const {
    return y < x ? y : x;
  }
};

struct ScatterMaximum {
  template <class T>
  T operator()(T x, T y) const {
    return x < y ? y : x;
  }
};

template <class F, class Allowed>
BinaryElements scatter_elements(DType dtype) {
  BinaryElements elements{};
  for_dtype(Allowed{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    elements = binary_elements<F, T, T>();
  });
  return elements;
}

/// Replaces the elements.
template <class C>
void replace_loop(void* out, const void*, const void* updates, int64_t count, Repeat repeat) {
  auto* to = static_cast<C*>(out);
  const auto* from = static_cast<const C*>(updates);
  if (repeat == Repeat::y) std::fill_n(to, count, *from);
  else std::copy_n(from, count, to);
}

Result<Kernel> make_scatter_update(const Node& node, const char* dtype_attr, bool names_parts) {
  return dispatch_cells(node.attr<DType>(dtype_attr), [names_parts](auto cell) {
    ScatterRule rule{
        .elements = {.loop = replace_loop<decltype(cell)>, .in = {}, .out = {}},
        .names_parts = names_parts};
    return Kernel{.compute = [rule](Launch& launch) { return compute_scatter(launch, rule); }};
  });
}

void add_scatter(
    KernelCatalog& catalog, const char* op, BinaryElements (*choose)(DType), ScatterRule rule,
    const char* dtype_attr) {
  catalog.add(op, [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>(dtype_attr);
    auto chosen = rule;
    chosen.elements = choose(dtype);
    if (!chosen.elements.loop) return no_kernel(dtype);
    return Kernel{.compute = [chosen](Launch& launch) { return compute_scatter(launch, chosen); }};
  });
}

}  // namespace

void add_scatter_kernels(KernelCatalog& catalog) {
  auto add_rows = [&](const char* op, BinaryElements (*choose)(DType), bool divides = false) {
    add_scatter(catalog, op, choose, {.elements = {}, .divides = divides}, "dtype");
  };
  add_rows("ResourceScatterAdd", addition);
  add_rows("ResourceScatterSub", subtraction);
  add_rows("ResourceScatterMul", scatter_elements<ScatterProduct, Numeric>);
  add_rows("ResourceScatterDiv", scatter_elements<ScatterQuotient, Numeric>, true);
  add_rows("ResourceScatterMin", scatter_elements<ScatterMinimum, Real>);
  add_rows("ResourceScatterMax", scatter_elements<ScatterMaximum, Real>);
  catalog.add("ResourceScatterUpdate", [](const Node& node) {
    return make_scatter_update(node, "dtype", /*names_parts=*/false);
  });
  ScatterRule parts{.elements = {}, .names_parts = true};
  add_scatter(catalog, "ResourceScatterNdAdd", addition, parts, "T");
  add_scatter(catalog, "ResourceScatterNdSub", subtraction, parts, "T");
  catalog.add("ResourceScatterNdUpdate", [](const Node& node) {
    return make_scatter_update(node, "T", /*names_parts=*/true);
  });
}

}  // namespace troupe::cpu
