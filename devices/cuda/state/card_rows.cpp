#include "troupe/devices/cuda/state/card_rows.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "troupe/devices/cpu/data_flow/tensor_list.hpp"
#include "troupe/devices/cpu/state/tensor_array.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/array/joining.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {
namespace {

class CardRows final : public cpu::ElementRows {
 public:
  Result<Tensor> allocate(const Launch& launch, DType dtype, const Shape& shape) const override {
    return is_plain(dtype) ? launch.allocate(dtype, shape) : Tensor::allocate(dtype, shape);
  }

  Result<Tensor> zeros(const Launch& launch, DType dtype, const Shape& shape) const override {
    if (!is_plain(dtype)) return invalid_argument(std::string("no ") + to_string(dtype) + " is 0");
    auto made = launch.allocate(dtype, shape);
    if (!made) return made;
    auto status = set_zeros(launch, *made);
    return status.ok() ? made : status;
  }

  Result<Tensor> sum(const Launch& launch, Tensor a, const Tensor& b) const override {
    auto add = find_sum(element_of(a.dtype()));
    if (!add) return no_kernel(a.dtype());
    auto sum = a.is_sole_owner() ? Result<Tensor>(a) : launch.allocate(a.dtype(), a.shape());
    if (!sum || sum->elements() == 0) return sum;
    BinaryCall call{
        .out = sum->mutable_raw(),
        .x = a.raw(),
        .y = b.raw(),
        .walk = {},
        .stream = stream_of(launch)};
    call.walk.add_axis(a.elements(), {{1, 1}});
    add(call);
    auto status = launched("an element-wise kernel");
    return status.ok() ? sum : status;
  }

  /// Shares them where they are aligned.
  Result<Tensor> part(
      const Launch& launch, const Tensor& whole, int64_t first, const Shape& shape) const override {
    if (whole.dtype() == DType::string) return part_of_strings(whole, first, shape);
    auto size = size_of(whole.dtype()), offset = static_cast<size_t>(first) * size;
    auto* from = static_cast<std::byte*>(const_cast<void*>(whole.raw())) + offset;
    if (shape.elements() > 0 && reinterpret_cast<uintptr_t>(from) % alignment == 0)
      return Tensor::alias(
          whole.dtype(), shape, from, [whole] {}, whole.allocator());
    auto part = launch.allocate(whole.dtype(), shape);
    if (!part || part->elements() == 0) return part;
    auto status = to_status(
        cudaMemcpyAsync(
            part->mutable_raw(), from, part->bytes(), cudaMemcpyDeviceToDevice, stream_of(launch)),
        "a copy");
    return status.ok() ? part : status;
  }

  /// Copies of all that are not aligned lie in one block of memory, which one kernel fills, and
  /// which is free once none of them is used.
  Result<Tensors> rows(const Launch& launch, const Tensor& whole) const override {
    auto shape = cpu::row_of(whole.shape());
    auto dtype = whole.dtype();
    if (!is_plain(dtype) || whole.elements() == 0 || are_shared(whole, shape))
      return ElementRows::rows(launch, whole);
    auto size = static_cast<int64_t>(size_of(dtype)), count = whole.shape()[0];
    auto elements = shape.elements();
    auto bytes = (elements * size + alignment - 1) / alignment * alignment;
    auto block = scratch(launch, static_cast<size_t>(count * bytes));
    if (!block) return block.status();
    StridedWalk<2> walk;
    walk.add_axis(elements, {{1, 1}});
    walk.add_axis(count, {{bytes / size, elements}});
    copy_walk(launch, *block, 0, whole, 0, walk);
    if (auto status = launched("a copy"); !status.ok()) return status;
    auto* to = static_cast<std::byte*>(block->mutable_raw());
    Tensors rows;
    for (int64_t i = 0; i < count; ++i)
      rows.push_back(Tensor::alias(
          dtype, shape, to + i * bytes, [block = *block] {}, block->allocator()));
    return rows;
  }

  Status join(const Launch& launch, Tensor& to, const Tensors& values) const override {
    if (to.dtype() == DType::string) return join_strings(to, values);
    std::vector<JoinedPart> parts;
    int64_t at = 0;
    for (const auto& value : values) {
      auto bytes = static_cast<int64_t>(value.bytes());
      parts.push_back({value.raw(), at, bytes});
      at += bytes;
    }
    launch_join(to.mutable_raw(), at, 1, parts, stream_of(launch));
    return launched("a copy");
  }

 private:
  static constexpr int64_t alignment = 256;  // as what libraries compute with

  static bool are_shared(const Tensor& whole, const Shape& row) {
    auto bytes = static_cast<uintptr_t>(row.elements()) * size_of(whole.dtype());
    return (reinterpret_cast<uintptr_t>(whole.raw()) | bytes) % alignment == 0;
  }

  static Result<Tensor> part_of_strings(const Tensor& whole, int64_t first, const Shape& shape) {
    auto part = Tensor::allocate(DType::string, shape);
    if (part)
      std::copy_n(
          whole.data<std::string>() + first, part->elements(), part->mutable_data<std::string>());
    return part;
  }

  static Status join_strings(Tensor& to, const Tensors& values) {
    auto* next = to.mutable_data<std::string>();
    for (const auto& value : values)
      next = std::ranges::copy(value.values<std::string>(), next).out;
    return {};
  }
};

}  // namespace

const cpu::ElementRows& card_rows() {
  static const CardRows rows;
  return rows;
}

void add_tensor_array_kernels(KernelCatalog& catalog) {
  cpu::add_array_kernels(catalog, card_rows());
}

void add_tensor_list_kernels(KernelCatalog& catalog) {
  cpu::add_list_kernels(catalog, card_rows());
}

}  // namespace troupe::cuda
