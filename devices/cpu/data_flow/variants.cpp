#include "troupe/devices/cpu/data_flow/variants.hpp"

#include <string>
#include <utility>

#include "troupe/devices/cpu/data_flow/tensor_list.hpp"
#include "troupe/devices/data/optional.hpp"

namespace troupe::cpu {
namespace {

using data::OptionalElement;

Result<Tensor> zeros_like(const Launch& launch, const ElementRows& rows, const Tensor& value);
Result<Tensor> sum_of(const Launch& launch, const ElementRows& rows, Tensor a, const Tensor& b);

// -- zeros

Result<Variant> zeros_like(
    const Launch& launch, const ElementRows& rows, const OptionalElement& optional) {
  auto zeros = optional.element();
  if (zeros)
    for (auto& component : *zeros) {
      auto zero = zeros_like(launch, rows, component);
      if (!zero) return zero.status();
      component = *std::move(zero);
    }
  return Variant(std::make_shared<OptionalElement>(std::move(zeros)));
}

/// A tensor of variants, each of which `make` makes.
template <class Make>
Result<Tensor> variants_of(const Shape& shape, const Make& make) {
  auto out = Tensor::allocate(DType::variant, shape);
  if (!out) return out;
  for (int64_t i = 0; i < out->elements(); ++i) {
    Result<Variant> variant = make(i);
    if (!variant) return variant.status();
    out->mutable_data<Variant>()[i] = *std::move(variant);
  }
  return out;
}

const OptionalElement* find_optional(const Tensor& variants, int64_t index) {
  return dynamic_cast<const OptionalElement*>(variants.data<Variant>()[index].get());
}

Result<Tensor> zeros_like(const Launch& launch, const ElementRows& rows, const Tensor& value) {
  if (value.dtype() != DType::variant) return rows.zeros(launch, value.dtype(), value.shape());
  return variants_of(value.shape(), [&](int64_t i) -> Result<Variant> {
    if (const auto* optional = find_optional(value, i)) return zeros_like(launch, rows, *optional);
    auto list = list_at(value, i);
    auto zeros = list ? list_zeros_like(launch, rows, **list) : list.status();
    return zeros ? Result<Variant>(*std::move(zeros)) : zeros.status();
  });
}

// -- sums

Result<Variant> sum_of(
    const Launch& launch, const ElementRows& rows, const OptionalElement& a,
    const OptionalElement* b) {
  if (!b || a.element().has_value() != b->element().has_value())
    return invalid_argument("an optional with a value can only be added to others with a value");
  if (!a.element()) return Variant(std::make_shared<OptionalElement>(std::nullopt));
  auto sums = *a.element();
  const auto& others = *b->element();
  if (sums.size() != others.size())
    return invalid_argument(
        "optionals of " + std::to_string(sums.size()) + " and " + std::to_string(others.size()) +
        " components cannot be added");
  for (size_t i = 0; i < sums.size(); ++i) {
    auto sum = sum_of(launch, rows, std::move(sums[i]), others[i]);
    if (!sum) return sum.status();
    sums[i] = *std::move(sum);
  }
  return Variant(std::make_shared<OptionalElement>(std::move(sums)));
}

/// Adds the lists at that index of tensors of variants.
Result<Variant> sum_of_lists(
    const Launch& launch, const ElementRows& rows, const Tensor& a, const Tensor& b,
    int64_t index) {
  auto list = list_at(a, index);
  if (!list) return list.status();
  auto other = list_at(b, index);
  if (!other) return other.status();
  // A sum of earlier ones, which nobody else has, takes this one up.
  const auto& held = a.data<Variant>()[index];
  auto sum =
      a.is_sole_owner() && held.use_count() == 1
          ? std::const_pointer_cast<TensorList>(std::static_pointer_cast<const TensorList>(held))
          : std::make_shared<TensorList>(**list);
  if (auto status = add_elements(launch, rows, *sum, **other); !status.ok()) return status;
  return Variant(std::move(sum));
}

Result<Tensor> sum_of(const Launch& launch, const ElementRows& rows, Tensor a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return invalid_argument(
        std::string("what is added must have one dtype and shape, but is ") + to_string(a.dtype()) +
        a.shape().to_string() + " and " + to_string(b.dtype()) + b.shape().to_string());
  if (a.dtype() != DType::variant) return rows.sum(launch, std::move(a), b);
  return variants_of(a.shape(), [&](int64_t i) {
    if (const auto* optional = find_optional(a, i))
      return sum_of(launch, rows, *optional, find_optional(b, i));
    return sum_of_lists(launch, rows, a, b, i);
  });
}

}  // namespace

Status zero_variants(Launch& launch, const ElementRows& rows) {
  auto zeros = zeros_like(launch, rows, launch.input(0));
  if (zeros) launch.set(0, *std::move(zeros));
  return zeros.status();
}

Status sum_variants(Launch& launch, const ElementRows& rows) {
  auto sum = launch.input(0);
  for (int i = 1; i < launch.input_count(); ++i) {
    auto more = sum_of(launch, rows, std::move(sum), launch.input(i));
    if (!more) return more.status();
    sum = *std::move(more);
  }
  launch.set(0, std::move(sum));
  return {};
}

}  // namespace troupe::cpu
