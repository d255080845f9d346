#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/state/element_rows.hpp"
#include "troupe/devices/cpu/state/tensor_array.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

class HostRows final : public ElementRows {
 public:
  Result<Tensor> allocate(const Launch& launch, DType dtype, const Shape& shape) const override {
    return launch.allocate(dtype, shape);
  }

  Result<Tensor> zeros(const Launch& launch, DType dtype, const Shape& shape) const override {
    if (!is_plain(dtype)) return invalid_argument(std::string("no ") + to_string(dtype) + " is 0");
    auto made = launch.allocate(dtype, shape);
    if (made) set_zeros(*made);
    return made;
  }

  Result<Tensor> sum(const Launch& launch, Tensor a, const Tensor& b) const override {
    auto add = addition(a.dtype());
    if (!add.loop)
      return invalid_argument(std::string(to_string(a.dtype())) + " elements cannot be summed");
    auto out = a.is_sole_owner() ? Result<Tensor>(a) : launch.allocate(a.dtype(), a.shape());
    if (!out) return out;
    auto* to = static_cast<std::byte*>(out->mutable_raw());
    const auto* x = static_cast<const std::byte*>(a.raw());
    const auto* y = static_cast<const std::byte*>(b.raw());
    auto size = static_cast<int64_t>(size_of(a.dtype()));
    parallel_ranges(a.elements(), 1, [&](int64_t begin, int64_t end) {
      auto offset = begin * size;
      add.loop(to + offset, x + offset, y + offset, end - begin, Repeat::none);
    });
    return out;
  }

  Result<Tensor> part(
      const Launch& launch, const Tensor& whole, int64_t first, const Shape& shape) const override {
    return part_of(whole, first, shape, launch.device().allocator());
  }

  Status join(const Launch&, Tensor& to, const Tensors& values) const override {
    int64_t begin = 0;
    for (const auto& value : values) {
      parallel_pieces(1, value.elements(), [&](int64_t, int64_t first, int64_t last) {
        copy_elements(to, begin + first, value, first, last - first);
      });
      begin += value.elements();
    }
    return {};
  }
};

}  // namespace

const ElementRows& host_rows() {
  static const HostRows rows;
  return rows;
}

void add_tensor_array_kernels(KernelCatalog& catalog) { add_array_kernels(catalog, host_rows()); }

}  // namespace troupe::cpu
