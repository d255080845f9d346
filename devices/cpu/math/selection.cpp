#include "troupe/devices/cpu/math/selection.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

struct Clip {
  template <class T>
  T operator()(T x, T low, T high) const {
    auto limited = x > high ? high : x;
    return limited < low ? low : limited;
  }
};

/// A bound with a value for each element, or one for all.
template <class T>
struct Bound {
  const T* values;
  int64_t step;
  const T& operator[](int64_t i) const { return values[i * step]; }
};

template <class T>
Status compute_clip(Launch& launch) {
  const auto shape = launch.input(0).shape();
  for (int i : {1, 2}) {
    const auto& own = launch.input(i).shape();
    if (!own.is_scalar() && own != shape)
      return invalid_argument(
          "bound " + std::to_string(i) + " must be a scalar or of the shape " + shape.to_string() +
          ", but its shape is " + own.to_string());
  }
  const auto* x = launch.input(0).data<T>();
  Bound<T> low{launch.input(1).data<T>(), launch.input(1).shape().is_scalar() ? 0 : 1};
  Bound<T> high{launch.input(2).data<T>(), launch.input(2).shape().is_scalar() ? 0 : 1};
  // Not over a bound, whose first element may stand for all.
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    if (begin == end) return;
    if (low.step == 0 && high.step == 0)
      return apply<Clip>(
          result + begin, end - begin, x + begin, Repeated<T>{low[0]}, Repeated<T>{high[0]});
    apply<Clip>(
        result + begin, end - begin, x + begin, Bound<T>{&low[begin], low.step},
        Bound<T>{&high[begin], high.step});
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_clip(const Node& node) {
  return dispatch(Real{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = compute_clip<decltype(zero)>};
  });
}

/// The maker of a kernel that says of each floating-point number whether something is true.
template <class F>
KernelCatalog::Make float_test(F) {
  return [](const Node& node) {
    return dispatch(Floating{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_unary<F, decltype(zero), bool>};
    });
  };
}

template <class T>
bool is_infinite(T x) {
  return std::abs(x) == std::numeric_limits<T>::infinity();
}

/// How far apart two numbers are; exactly, where they are integers.
template <class T>
auto distance(T x, T y) {
  if constexpr (is_number<T>) return x < y ? wrap(y) - wrap(x) : wrap(x) - wrap(y);
  else return std::abs(x - y);
}

template <class T>
Status compute_approximate_equal(Launch& launch, float tolerance) {
  const auto &x = launch.input(0), &y = launch.input(1);
  if (x.shape() != y.shape())
    return invalid_argument(
        "both operands must have one shape, but are " + x.shape().to_string() + " and " +
        y.shape().to_string());
  auto out = launch.allocate(DType::boolean, x.shape());
  if (!out) return out.status();
  auto* result = out->mutable_data<bool>();
  const auto *a = x.data<T>(), *b = y.data<T>();
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto apart = distance<Promoted<T>>(promote(a[i]), promote(b[i]));
      if constexpr (is_number<T>) result[i] = static_cast<double>(apart) <= tolerance;
      else result[i] = apart <= static_cast<Promoted<T>>(tolerance);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_approximate_equal(const Node& node) {
  return dispatch(Real{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [tolerance = node.attr<float>("tolerance")](Launch& launch) {
      return compute_approximate_equal<decltype(zero)>(launch, tolerance);
    }};
  });
}

template <class T>
Status compute_bucketize(Launch& launch, const std::vector<double>& boundaries) {
  const auto& x = launch.input(0);
  const auto* from = x.data<T>();
  auto out = launch.allocate(DType::int32, x.shape());
  if (!out) return out.status();
  auto* result = out->mutable_data<int32_t>();
  parallel_ranges(out->elements(), 8, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto above = std::ranges::upper_bound(boundaries, static_cast<double>(from[i]));
      result[i] = static_cast<int32_t>(above - boundaries.begin());
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_bucketize(const Node& node) {
  const auto& given = node.attr<std::vector<float>>("boundaries");
  std::vector<double> boundaries(given.begin(), given.end());
  return dispatch(Types<int32_t, int64_t, float, double>{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [boundaries](Launch& launch) {
      return compute_bucketize<decltype(zero)>(launch, boundaries);
    }};
  });
}

template <class T>
Status compute_cross(Launch& launch) {
  const auto &a = launch.input(0), &b = launch.input(1);
  if (auto status = check_vectors(launch); !status.ok()) return status;
  auto out = launch.allocate(dtype_of<T>(), a.shape());
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  const auto *x = a.data<T>(), *y = b.data<T>();
  parallel_ranges(out->elements() / 3, 8, [&](int64_t begin, int64_t end) {
    for (auto v = 3 * begin; v < 3 * end; v += 3) {
      auto minor = [&](int i, int j) {
        auto product = [&](int p, int q) {
          return wrap(promote(x[v + p])) * wrap(promote(y[v + q]));
        };
        return static_cast<T>(product(i, j) - product(j, i));
      };
      result[v] = minor(1, 2);
      result[v + 1] = minor(2, 0);
      result[v + 2] = minor(0, 1);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_cross(const Node& node) {
  return dispatch(Real{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = compute_cross<decltype(zero)>};
  });
}

}  // namespace

Result<Shape> bitcast_shape(const Shape& shape, DType from_dtype, DType to_dtype) {
  auto from = static_cast<int64_t>(size_of(from_dtype)),
       to = static_cast<int64_t>(size_of(to_dtype));
  if (from == to) return shape;
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  if (from > to) {
    sizes.push_back(from / to);
    return Shape::make(sizes);
  }
  if (sizes.empty() || sizes.back() != to / from)
    return invalid_argument(
        "elements of " + std::to_string(to) + " bytes need a last dimension of size " +
        std::to_string(to / from) + ", but the shape is " + shape.to_string());
  sizes.pop_back();
  return Shape::make(sizes);
}

namespace {

/// Copies: the input's memory may be aligned for smaller elements only.
Status compute_bitcast(Launch& launch, DType to) {
  const auto& x = launch.input(0);
  auto shape = bitcast_shape(x.shape(), x.dtype(), to);
  if (!shape) return shape.status();
  auto out = launch.allocate(to, *shape);
  if (!out) return out.status();
  const auto* in = static_cast<const std::byte*>(x.raw());
  auto* result = static_cast<std::byte*>(out->mutable_raw());
  parallel_ranges(static_cast<int64_t>(x.bytes()), 1, [&](int64_t begin, int64_t end) {
    if (begin < end) std::memcpy(result + begin, in + begin, static_cast<size_t>(end - begin));
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_bitcast(const Node& node) {
  auto to = node.attr<DType>("type");
  if (node.attr<DType>("T") == to)
    return Kernel{.compute = [](Launch& launch) {
      launch.set(0, launch.take_input(0));
      return Status();
    }};
  return Kernel{.compute = [to](Launch& launch) { return compute_bitcast(launch, to); }};
}

Result<Kernel> make_accumulate(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto add = addition(dtype);
  if (!add.loop) return no_kernel(dtype);
  return Kernel{.compute = [add, shape = node.attr<Shape>("shape")](Launch& launch) {
    const auto& given = launch.input(0).shape();
    if (!given.is_compatible_with(shape))
      return invalid_argument(
          "inputs must have the shape " + shape.to_string() + ", but input 0 is " +
          given.to_string());
    return compute_add_n(launch, add);
  }};
}

}  // namespace

Status check_vectors(const Launch& launch) {
  const auto &shape = launch.input(0).shape(), &other = launch.input(1).shape();
  if (shape == other && shape.rank() > 0 && shape[shape.rank() - 1] == 3) return {};
  return invalid_argument(
      "both operands must have one shape, whose last dimension is 3, but are " + shape.to_string() +
      " and " + other.to_string());
}

void add_selection_kernels(KernelCatalog& catalog) {
  add_select_v2_kernel(catalog);
  catalog.add("ClipByValue", make_clip);
  catalog.add("IsNan", float_test([](auto x) { return x != x; }));
  catalog.add("IsInf", float_test([](auto x) { return is_infinite(x); }));
  catalog.add("IsFinite", float_test([](auto x) { return x == x && !is_infinite(x); }));
  catalog.add("ApproximateEqual", make_approximate_equal);
  catalog.add("NextAfter", binary<Types<float, double>>([](auto x, auto y) {
                return std::nextafter(x, y);
              }));
  catalog.add("Bucketize", make_bucketize);
  catalog.add("Cross", make_cross);
  catalog.add("Bitcast", make_bitcast);
  catalog.add("AccumulateNV2", make_accumulate);
}

}  // namespace troupe::cpu
