#include "troupe/graph/types/tensor.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sstream>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/variant.hpp"

namespace troupe {
namespace {

constexpr size_t round_up(size_t bytes) {
  return (bytes + Allocator::alignment - 1) / Allocator::alignment * Allocator::alignment;
}

template <class T>
void print(std::ostream& out, const T& value) {
  if constexpr (sizeof(T) == 1) out << static_cast<int>(value);
  else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    out << static_cast<float>(value);
  else out << value;
}

void print(std::ostream& out, const Variant& value) {
  out << (value ? value->type_name() : "unset");
}

Status no_memory(const std::string& tensor, size_t bytes, const MemoryUse& use) {
  auto message = "no memory for a tensor of " + std::to_string(bytes) + " bytes (" + tensor + ")";
  if (use.limit_bytes > 0)
    message += ": " + std::to_string(use.bytes_in_use) + " bytes are in use, the limit is " +
               std::to_string(use.limit_bytes);
  return resource_exhausted(std::move(message));
}

}  // namespace

void Tensor::wrong_count(const Shape& shape, size_t given) {
  std::fprintf(
      stderr, "Tensor::of: %zu elements given for the shape %s, which has %lld\n", given,
      shape.to_string().c_str(), static_cast<long long>(shape.elements()));
  std::abort();
}

Result<Tensor> Tensor::allocate(DType dtype, const Shape& shape, Allocator& allocator) {
  CHECK(shape.is_known());
  auto elements = shape.elements();
  if (elements > Shape::max_elements)
    return resource_exhausted("no tensor can have the shape " + shape.to_string());
  auto kind = allocator.kind();
  CHECK(kind != MemoryKind::device || is_plain(dtype));
  // The header is the host's to read.
  auto header = kind == MemoryKind::device ? 0 : round_up(sizeof(Rep));
  // An allocator may have nothing for 0 bytes.
  auto bytes = std::max<size_t>(header + static_cast<size_t>(elements) * size_of(dtype), 1);
  auto* block = static_cast<char*>(allocator.allocate(bytes));
  if (!block)
    return no_memory(troupe::to_string(dtype) + shape.to_string(), bytes - header, allocator.use());
  auto* data = block + header;
  if (dtype == DType::string)
    std::uninitialized_default_construct_n(reinterpret_cast<std::string*>(data), elements);
  if (dtype == DType::resource)
    std::uninitialized_default_construct_n(reinterpret_cast<ResourceHandle*>(data), elements);
  if (dtype == DType::variant)
    std::uninitialized_default_construct_n(reinterpret_cast<Variant*>(data), elements);
  auto* rep = header > 0 ? new (block)
                               Rep{1, dtype, kind, true, shape, elements, data, bytes, &allocator}
                         : new Rep{1, dtype, kind, true, shape, elements, data, bytes, &allocator};
  return Tensor(rep);
}

struct Tensor::Derived {
  std::shared_ptr<const DerivedData> data;
};

namespace {

/// Of all tensors: each holds it for as long as a pointer is copied, and few tensors have any.
std::mutex derived_mutex;

}  // namespace

std::shared_ptr<const DerivedData> Tensor::derived() const {
  if (!rep_->derived.load(std::memory_order_relaxed)) return nullptr;
  std::lock_guard lock(derived_mutex);
  const auto* derived = rep_->derived.load(std::memory_order_relaxed);
  return derived ? derived->data : nullptr;
}

void Tensor::keep_derived(std::shared_ptr<const DerivedData> data) const {
  auto added = std::make_unique<Derived>(std::move(data));
  std::lock_guard lock(derived_mutex);
  // What it replaces ends after the lock is released: that may free a tensor.
  if (auto* kept = rep_->derived.load(std::memory_order_relaxed))
    std::swap(kept->data, added->data);
  else rep_->derived.store(added.release(), std::memory_order_relaxed);
}

void Tensor::drop_derived() noexcept {
  std::unique_ptr<Derived> dropped;
  std::lock_guard lock(derived_mutex);
  dropped.reset(rep_->derived.exchange(nullptr, std::memory_order_relaxed));
}

/// Of memory that is not the tensor's own.
struct Tensor::Alias : Rep {
  std::function<void()> release;
};

Tensor Tensor::alias(
    DType dtype, const Shape& shape, void* memory, std::function<void()> release,
    Allocator* place) {
  CHECK(is_plain(dtype));
  return Tensor(new Alias{
      {.references{1},
       .dtype = dtype,
       .memory = place ? place->kind() : MemoryKind::host,
       .may_reuse = false,
       .shape = shape,
       .elements = shape.elements(),
       .data = memory,
       .block_bytes = 0,
       .allocator = place},
      std::move(release)});
}

void Tensor::destroy(Rep* rep) noexcept {
  delete rep->derived.load(std::memory_order_relaxed);
  if (rep->block_bytes == 0) {
    auto* alias = static_cast<Alias*>(rep);
    if (alias->release) alias->release();
    delete alias;
    return;
  }
  if (rep->dtype == DType::string)
    std::destroy_n(static_cast<std::string*>(rep->data), rep->elements);
  if (rep->dtype == DType::resource)
    std::destroy_n(static_cast<ResourceHandle*>(rep->data), rep->elements);
  if (rep->dtype == DType::variant) std::destroy_n(static_cast<Variant*>(rep->data), rep->elements);
  auto* allocator = rep->allocator;
  auto bytes = rep->block_bytes;
  if (rep->memory == MemoryKind::device) {
    allocator->deallocate(rep->data, bytes);
    delete rep;
    return;
  }
  rep->~Rep();
  allocator->deallocate(rep, bytes);
}

Tensor Tensor::reshaped(const Shape& shape) const {
  CHECK(shape.elements() == elements());
  if (shape == this->shape()) return *this;
  return Tensor(new Alias{
      {.references{1},
       .dtype = dtype(),
       .memory = memory(),
       .may_reuse = false,
       .shape = shape,
       .elements = elements(),
       .data = rep_->data,
       .block_bytes = 0,
       .allocator = allocator()},
      [owner = *this] {}});
}

std::string Tensor::to_string(int64_t most) const {
  if (!is_set()) return "<unset>";
  std::ostringstream out;
  out << troupe::to_string(dtype()) << shape().to_string() << " [";
  auto shown = std::min(most, elements());
  for (int64_t i = 0; i < shown; ++i) {
    if (i > 0) out << ' ';
    if (dtype() == DType::string) out << '"' << data<std::string>()[i] << '"';
    else if (dtype() == DType::resource) out << data<ResourceHandle>()[i].name;
    else if (dtype() == DType::variant) print(out, data<Variant>()[i]);
    else visit(dtype(), [&](auto zero) { print(out, data<decltype(zero)>()[i]); });
  }
  out << (shown < elements() ? " ...]" : "]");
  return out.str();
}

bool equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DType::string)
    return std::ranges::equal(a.values<std::string>(), b.values<std::string>());
  if (is_opaque(a.dtype())) return a.raw() == b.raw();
  return visit(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return std::ranges::equal(a.values<T>(), b.values<T>());
  });
}

}  // namespace troupe
