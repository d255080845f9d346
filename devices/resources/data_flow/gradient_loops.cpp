#include "troupe/devices/resources/data_flow/gradient_loops.hpp"

#include <cstring>

namespace troupe::gradient_loops {
namespace {

/// Calls f with an element of the C++ type of a floating dtype.
template <class F>
void visit_floating(DType dtype, const F& f) {
  switch (dtype) {
    case DType::float16: return f(float16{});
    case DType::bfloat16: return f(bfloat16{});
    case DType::float64: return f(double{});
    default: return f(float{});
  }
}

Result<Tensor> copy_of(const Tensor& tensor, Allocator& allocator) {
  auto copy = Tensor::allocate(tensor.dtype(), tensor.shape(), allocator);
  if (copy && tensor.bytes() > 0) std::memcpy(copy->mutable_raw(), tensor.raw(), tensor.bytes());
  return copy;
}

}  // namespace

Result<Tensor> writable(Tensor& tensor, Allocator& allocator) {
  if (tensor.is_sole_owner()) return std::move(tensor);
  return copy_of(tensor, allocator);
}

Result<Tensor> kept(Tensor tensor, Allocator& allocator) {
  auto is_lent = !tensor.allocator() || tensor.allocator() == &lent_memory();
  if (is_lent) return copy_of(tensor, allocator);
  return tensor;
}

void add(Tensor& sum, const Tensor& gradient) { add(sum, 0, gradient, 0, gradient.elements()); }

void add(Tensor& sum, int64_t at, const Tensor& gradient, int64_t from, int64_t count) {
  visit_floating(sum.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto* to = sum.mutable_data<T>() + at;
    const auto* added = gradient.data<T>() + from;
    for (int64_t i = 0; i < count; ++i) to[i] = to[i] + added[i];
  });
}

void divide(Tensor& sum, int64_t at, int64_t count, int32_t divisor) {
  visit_floating(sum.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto* to = sum.mutable_data<T>() + at;
    auto by = static_cast<T>(static_cast<float>(divisor));
    for (int64_t i = 0; i < count; ++i) to[i] = to[i] / by;
  });
}

}  // namespace troupe::gradient_loops
