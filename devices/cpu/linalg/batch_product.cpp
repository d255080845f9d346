#include "troupe/devices/cpu/linalg/batch_product.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <type_traits>

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <tbb/task_arena.h>

#include "troupe/devices/cpu/linalg/product.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/vector/product.hpp"

namespace troupe::cpu {
namespace {

/// oneDNN and Eigen must not start OpenMP teams: the arena's threads are the only ones.
void use_one_thread() {
  thread_local const bool once = (omp_set_num_threads(1), true);
  static_cast<void>(once);
}

/// Integers: Eigen would let them overflow, which is not defined.
template <class T>
void multiply_by_loops(const Product<T>& p) {
  auto a_row = p.transpose_a ? 1 : p.a_stride, a_inner = p.transpose_a ? p.a_stride : 1;
  auto b_inner = p.transpose_b ? 1 : p.b_stride, b_column = p.transpose_b ? p.b_stride : 1;
  if constexpr (std::is_same_v<T, uint32_t>) {
    if (b_column == 1) {
      const auto multiply_row = vector::multiply_row_loop();
      for (int64_t i = 0; i < p.rows; ++i)
        multiply_row(
            {.inner = p.inner,
             .columns = p.columns,
             .factors = p.a + i * a_row,
             .rows = p.b,
             .factor_stride = a_inner,
             .row_stride = b_inner,
             .out = p.out + i * p.out_stride});
      return;
    }
  }
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
  constexpr double small_flops = 10000;
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

bool has_conflicts(int64_t stride) { return stride % 512 == 0; }

/// Copies a matrix so that its rows are not a multiple of 2 KiB apart, and lets `matrix` and
/// `stride` be those of the copy, which is returned; null where there is no memory for one.
std::unique_ptr<float[]> spread_rows(
    const float*& matrix, int64_t rows, int64_t columns, int64_t& stride) {
  auto wider = columns + 16;
  if (has_conflicts(wider)) wider += 16;
  std::unique_ptr<float[]> copy(new (std::nothrow) float[static_cast<size_t>(rows * wider)]);
  if (!copy) return copy;
  parallel_ranges(rows, columns, [&, from = matrix, old = stride](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) std::copy_n(from + i * old, columns, copy.get() + i * wider);
  });
  matrix = copy.get();
  stride = wider;
  return copy;
}

/// oneDNN reads these operands down their columns without a copy of its own where a part has few
/// rows. Elements that are a multiple of 2 KiB apart share few places of the cache, so it would
/// take up to twice as long; a copy takes far less than that where its elements are used often.
struct SpreadOperands {
  std::unique_ptr<float[]> a, b;

  template <class T>
  explicit SpreadOperands(Product<T>& p) {
    constexpr int64_t least_uses = 64;  // of each element
    if constexpr (std::is_same_v<T, float>) {
      if (p.transpose_a && has_conflicts(p.a_stride) && p.columns >= least_uses)
        a = spread_rows(p.a, p.inner, p.rows, p.a_stride);
      if (!p.transpose_b && has_conflicts(p.b_stride) && p.rows >= least_uses)
        b = spread_rows(p.b, p.inner, p.columns, p.b_stride);
    }
  }
};

constexpr double split_flops = 4e6, part_flops = 1e6;

/// Multiplies in parts on several threads where that is worth it.
template <class T>
Status multiply_split(Product<T> p) {
  if (p.flops() < split_flops) {
    use_one_thread();
    return multiply(p);
  }
  SpreadOperands copies(p);
  auto by_rows = p.rows >= p.columns;
  auto count = by_rows ? p.rows : p.columns;
  auto flops_each = p.flops() / double(count);
  // oneDNN copies the other operand for each part: two parts a thread, so that a thread that others
  // interrupt holds up little, but no more. Parts narrower than 32 would waste its tiles.
  auto parts = 2 * int64_t(tbb::this_task_arena::max_concurrency());
  auto grain = std::max({int64_t{32}, (count - 1) / parts + 1, int64_t(part_flops / flops_each)});
  std::atomic<bool> failed = false;
  split_ranges(count, grain, [&](int64_t begin, int64_t end) {
    use_one_thread();
    if (!multiply(by_rows ? p.rows_in(begin, end) : p.columns_in(begin, end)).ok()) failed = true;
  });
  return failed ? resource_exhausted("oneDNN could not multiply") : Status();
}

/// Calls f(batch, offsets of its operands) for each batch in [begin, end), until one fails.
template <class F>
Status each_batch(const LoopNest<2>& batches, int64_t begin, int64_t end, const F& f) {
  Status status;
  auto size = batches.row_size();
  auto [a_stride, b_stride] = batches.row_strides();
  batches.each_row(begin / size, (end - 1) / size + 1, [&](int64_t row, const auto& at) {
    auto first = std::max(begin - row * size, int64_t{0}), last = std::min(end - row * size, size);
    for (auto i = first; i < last && status.ok(); ++i)
      status = f(row * size + i, at[0] + i * a_stride, at[1] + i * b_stride);
  });
  return status;
}

/// Products of single elements need no matrices.
template <class T>
void multiply_elements(const LoopNest<2>& batches, const T* a, const T* b, T* out) {
  auto size = batches.row_size();
  auto strides = batches.row_strides();
  parallel_ranges(batches.rows(), size, [&](int64_t begin, int64_t end) {
    batches.each_row(begin, end, [&](int64_t row, const auto& at) {
      const auto *x = a + at[0], *y = b + at[1];
      auto* to = out + row * size;
      for (int64_t i = 0; i < size; ++i)
        to[i] = static_cast<T>(wrap(x[i * strides[0]]) * wrap(y[i * strides[1]]));
    });
  });
}

template <class T>
Status multiply_all(const BatchProduct& all, const T* a, const T* b, T* out) {
  if (all.rows == 1 && all.inner == 1 && all.columns == 1) {
    multiply_elements(all.batches, a, b, out);
    return {};
  }
  Product<T> first{
      .rows = all.rows,
      .inner = all.inner,
      .columns = all.columns,
      .transpose_a = all.transpose_a,
      .transpose_b = all.transpose_b,
      .a = a,
      .b = b,
      .out = out,
      .a_stride = all.transpose_a ? all.rows : all.inner,
      .b_stride = all.transpose_b ? all.inner : all.columns,
      .out_stride = all.columns};
  auto count = all.batches.elements();
  if (count == 1) return multiply_split(first);
  auto batch = [&](int64_t index, int64_t a_offset, int64_t b_offset) {
    auto product = first;
    product.a += a_offset;
    product.b += b_offset;
    product.out += index * all.rows * all.columns;
    return product;
  };
  if (all.flops_each() >= split_flops)
    return each_batch(
        all.batches, 0, count, [&](auto... at) { return multiply_split(batch(at...)); });
  std::atomic<bool> failed = false;
  auto multiply_some = [&](int64_t begin, int64_t end) {
    use_one_thread();
    auto multiply_one = [&](auto... at) { return multiply(batch(at...)); };
    if (!each_batch(all.batches, begin, end, multiply_one).ok()) failed = true;
  };
  if (all.flops_each() * double(count) < split_flops) multiply_some(0, count);
  else
    split_ranges(
        count, std::max<int64_t>(1, int64_t(part_flops / all.flops_each())), multiply_some);
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
Status compute_products(
    const Launch& launch, const BatchProduct& product, const Tensor& a, const Tensor& b,
    Tensor& out) {
  auto* products = static_cast<T*>(out.mutable_raw());
  if (out.elements() == 0) return {};
  if (product.inner == 0) {
    std::fill_n(products, out.elements(), T{});
    return {};
  }
  if constexpr (!is_half<T>) {
    return multiply_all(
        product, static_cast<const T*>(a.raw()), static_cast<const T*>(b.raw()), products);
  } else {
    auto wide_a = to_floats<T>(launch, a), wide_b = to_floats<T>(launch, b);
    auto wide = launch.allocate(DType::float32, out.shape());
    for (const auto* tensor : {&wide_a, &wide_b, &wide})
      if (!*tensor) return tensor->status();
    auto* floats = wide->template mutable_data<float>();
    auto status = multiply_all<float>(
        product, wide_a->template data<float>(), wide_b->template data<float>(), floats);
    narrow(products, floats, out.elements());
    return status;
  }
}

}  // namespace

template <class T>
Status multiply_matrices(const Product<T>& p) {
  if (p.rows == 0 || p.columns == 0) return {};
  if (p.inner > 0) return multiply_split(p);
  for (int64_t row = 0; row < p.rows; ++row)
    std::fill_n(p.out + row * p.out_stride, p.columns, T{});
  return {};
}

template Status multiply_matrices(const Product<float>&);
template Status multiply_matrices(const Product<double>&);

MultiplyBatches multiply_batches(DType dtype) {
  MultiplyBatches found = nullptr;
  for_dtype(
      Numeric{}, dtype, [&](auto zero) { found = compute_products<decltype(wrapping(zero))>; });
  return found;
}

}  // namespace troupe::cpu
