#include <atomic>
#include <functional>

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "troupe/devices/cpu/linalg/product.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/math/math.hpp"

namespace troupe::cpu {
namespace {

/// oneDNN and Eigen must not start OpenMP teams: the arena's threads are the only ones.
void use_one_thread() {
  thread_local const bool once = (omp_set_num_threads(1), true);
  static_cast<void>(once);
}

/// An integer without sign, of the same size: products that wrap around have the same bits.
template <class T>
auto wrapping(T value) {
  if constexpr (is_number<T>) return static_cast<std::make_unsigned_t<T>>(value);
  else return value;
}

/// Integers: Eigen would let them overflow, which is not defined.
template <class T>
void multiply_by_loops(const Product<T>& p) {
  auto a_row = p.transpose_a ? 1 : p.a_stride, a_inner = p.transpose_a ? p.a_stride : 1;
  auto b_inner = p.transpose_b ? 1 : p.b_stride, b_column = p.transpose_b ? p.b_stride : 1;
  for (int64_t i = 0; i < p.rows; ++i) {
    auto* out = p.out + i * p.out_stride;
    std::fill_n(out, p.columns, T{});
    for (int64_t k = 0; k < p.inner; ++k) {
      auto factor = wrap(p.a[i * a_row + k * a_inner]);
      const auto* b = p.b + k * b_inner;
      for (int64_t j = 0; j < p.columns; ++j)
        out[j] = static_cast<T>(wrap(out[j]) + factor * wrap(b[j * b_column]));
    }
  }
}

Status multiply(const Product<float>& p) {
  // Below this oneDNN's own overhead is the greater part.
  constexpr double small_flops = 2048;
  if (p.flops() <= small_flops) {
    multiply_by_eigen(p);
    return {};
  }
  auto done = dnnl_sgemm(
      p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.rows, p.columns, p.inner, 1.0f, p.a,
      p.a_stride, p.b, p.b_stride, 0.0f, p.out, p.out_stride);
  return done == dnnl_success ? Status() : resource_exhausted("oneDNN could not multiply");
}

template <class T>
Status multiply(const Product<T>& p) {
  if constexpr (is_number<T>) multiply_by_loops(p);
  else multiply_by_eigen(p);
  return {};
}

/// Multiplies in parts on several threads where that is worth it.
template <class T>
Status multiply_split(const Product<T>& p) {
  constexpr double split_flops = 4e6, part_flops = 1e6;
  if (p.flops() < split_flops) {
    use_one_thread();
    return multiply(p);
  }
  auto by_rows = p.rows >= p.columns;
  auto count = by_rows ? p.rows : p.columns;
  auto flops_each = p.flops() / double(count);
  // Parts narrower than this would waste oneDNN's tiles.
  auto grain = std::max<int64_t>(32, int64_t(part_flops / flops_each));
  std::atomic<bool> failed = false;
  split_ranges(count, grain, [&](int64_t begin, int64_t end) {
    use_one_thread();
    if (!multiply(by_rows ? p.rows_in(begin, end) : p.columns_in(begin, end)).ok()) failed = true;
  });
  return failed ? resource_exhausted("oneDNN could not multiply") : Status();
}

/// A tensor's elements as float32, of which oneDNN's product is fast.
template <class T>
Result<Tensor> to_floats(const Launch& launch, const Tensor& narrow) {
  auto wide = launch.allocate(DType::float32, narrow.shape());
  if (!wide) return wide;
  widen(wide->template mutable_data<float>(), narrow.data<T>(), narrow.elements());
  return wide;
}

template <class T>
Status compute_product(const Launch& launch, Product<T> p, Tensor& out) {
  p.out = static_cast<T*>(out.mutable_raw());
  p.out_stride = p.columns;
  if (p.inner == 0) {
    std::fill_n(p.out, out.elements(), T{});
    return {};
  }
  if (out.elements() == 0) return {};
  if constexpr (!is_half<T>) {
    p.a = static_cast<const T*>(launch.input(0).raw());
    p.b = static_cast<const T*>(launch.input(1).raw());
    return multiply_split(p);
  } else {
    auto a = to_floats<T>(launch, launch.input(0)), b = to_floats<T>(launch, launch.input(1));
    auto product = launch.allocate(DType::float32, out.shape());
    for (const auto* tensor : {&a, &b, &product})
      if (!*tensor) return tensor->status();
    const Tensor &wide_a = *a, &wide_b = *b;
    auto* wide = (*product).template mutable_data<float>();
    auto status = multiply_split(Product<float>{
        p.rows, p.inner, p.columns, p.transpose_a, p.transpose_b, wide_a.data<float>(),
        wide_b.data<float>(), wide, p.a_stride, p.b_stride, p.out_stride});
    narrow(p.out, wide, out.elements());
    return status;
  }
}

struct Transposes {
  bool a, b;
};

template <class T>
Status compute_matmul(Launch& launch, DType dtype, Transposes transposes) {
  const auto &a = launch.input(0).shape(), &b = launch.input(1).shape();
  if (a.rank() != 2 || b.rank() != 2)
    return invalid_argument(
        "both operands must be matrices, but are " + a.to_string() + " and " + b.to_string());
  Product<T> product{
      .rows = a[transposes.a ? 1 : 0],
      .inner = a[transposes.a ? 0 : 1],
      .columns = b[transposes.b ? 0 : 1],
      .transpose_a = transposes.a,
      .transpose_b = transposes.b,
      .a_stride = a[1],
      .b_stride = b[1]};
  if (product.inner != b[transposes.b ? 1 : 0])
    return invalid_argument(
        "the inner sizes of " + a.to_string() + (transposes.a ? " (transposed)" : "") + " and " +
        b.to_string() + (transposes.b ? " (transposed)" : "") + " differ");
  // Of empty operands the product may be too large for any tensor.
  const int64_t sizes[] = {product.rows, product.columns};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype, *shape);
  if (!out) return out.status();
  auto status = compute_product(launch, product, *out);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

int64_t matmul_cost_ns(const Launch& launch, Transposes transposes) {
  const auto &a = launch.input(0), &b = launch.input(1);
  if (a.shape().rank() != 2 || b.shape().rank() != 2) return 0;
  constexpr double flops_per_ns = 50;
  auto flops = 2.0 * double(a.elements()) * double(b.shape()[transposes.b ? 0 : 1]);
  return static_cast<int64_t>(flops / flops_per_ns);
}

Result<Kernel> make_matmul(const Node& node) {
  Transposes transposes{node.attr<bool>("transpose_a"), node.attr<bool>("transpose_b")};
  auto dtype = node.attr<DType>("T");
  return dispatch(Numeric{}, dtype, [=](auto zero) {
    using T = decltype(wrapping(zero));
    return Kernel{
        .compute = [=](Launch& launch) { return compute_matmul<T>(launch, dtype, transposes); },
        .cost_ns =
            [transposes](const Launch& launch) { return matmul_cost_ns(launch, transposes); }};
  });
}

}  // namespace

void add_matmul_kernels(KernelCatalog& catalog) { catalog.add("MatMul", make_matmul); }

}  // namespace troupe::cpu
