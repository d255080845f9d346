#include "troupe/capnp/convert/convert_tensor.hpp"

#include <capnp/capability.h>
#include <capnp/orphan.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

// Elements are sent in their memory layout.
static_assert(std::endian::native == std::endian::little);

using Chunks = capnp::List<capnp::Data>;

bool goes_as_source(const Tensor& tensor, const ExternalSegmentBudget& segment_budget) {
  return tensor.dtype() != DType::string && tensor.bytes() > segment_budget.bytes_left;
}

bool can_reference(const Tensor& tensor, const ExternalSegmentBudget& segment_budget) {
  auto pieces = tensor.bytes() / protocol::chunk_bytes_max + 1;
  return segment_budget.memory && tensor.bytes() >= share_bytes_min &&
         static_cast<size_t>(std::max(segment_budget.segments_left, 0)) >= pieces &&
         reinterpret_cast<uintptr_t>(tensor.raw()) % alignof(uint64_t) == 0;
}

/// Adds chunks that reference the tensor's memory. Cap'n Proto writes whole words, so that the last
/// incomplete word, up to seven bytes, is copied into a chunk of its own: the bytes behind the
/// tensor must not be read.
void reference_chunks(
    rpc::Tensor::Builder to, const Tensor& tensor, ExternalSegmentBudget& segment_budget) {
  auto* begin = static_cast<const capnp::byte*>(tensor.raw());
  auto whole = tensor.bytes() / 8 * 8;
  auto pieces = (whole + protocol::chunk_bytes_max - 1) / protocol::chunk_bytes_max;
  auto tail = tensor.bytes() - whole;
  auto chunks = to.initChunks(static_cast<unsigned>(pieces + (tail > 0)));
  auto orphanage = capnp::Orphanage::getForMessageContaining(to);
  for (size_t piece = 0; piece < pieces; ++piece) {
    auto* start = begin + piece * protocol::chunk_bytes_max;
    auto size = std::min(protocol::chunk_bytes_max, whole - piece * protocol::chunk_bytes_max);
    chunks.adopt(
        static_cast<unsigned>(piece),
        orphanage.referenceExternalData(capnp::Data::Reader(start, size)));
    segment_budget.memory->add_external_segment(start, tensor);
    --segment_budget.segments_left;
  }
  if (tail > 0) chunks.set(static_cast<unsigned>(pieces), capnp::Data::Reader(begin + whole, tail));
}

void copy_chunks(rpc::Tensor::Builder to, const Tensor& tensor) {
  auto* begin = static_cast<const capnp::byte*>(tensor.raw());
  auto pieces = (tensor.bytes() + protocol::chunk_bytes_max - 1) / protocol::chunk_bytes_max;
  auto chunks = to.initChunks(static_cast<unsigned>(pieces));
  for (size_t piece = 0; piece < pieces; ++piece) {
    auto offset = piece * protocol::chunk_bytes_max;
    auto size = std::min(protocol::chunk_bytes_max, tensor.bytes() - offset);
    chunks.set(static_cast<unsigned>(piece), capnp::Data::Reader(begin + offset, size));
  }
}

Result<Tensor> read_strings(capnp::List<capnp::Data>::Reader strings, const Shape& shape) {
  if (static_cast<int64_t>(strings.size()) != shape.elements())
    return invalid_argument(
        "a string tensor of shape " + shape.to_string() + " came with " +
        std::to_string(strings.size()) + " elements");
  auto tensor = Tensor::allocate(DType::string, shape);
  if (!tensor) return tensor;
  auto* element = tensor->mutable_data<std::string>();
  for (auto string : strings)
    (element++)->assign(reinterpret_cast<const char*>(string.begin()), string.size());
  return tensor;
}

Result<Tensor> copy_elements(
    DType dtype, const Shape& shape, Chunks::Reader chunks, Allocator& allocator) {
  auto tensor = Tensor::allocate(dtype, shape, allocator);
  if (!tensor) return tensor;
  uint64_t begin = 0;
  for (auto chunk : chunks) {
    set_elements(*tensor, begin, chunk);
    begin += chunk.size();
  }
  return tensor;
}

Result<Tensor> read_elements(
    DType dtype, const Shape& shape, Chunks::Reader chunks, const MessageMemory* memory) {
  auto expected = static_cast<uint64_t>(shape.elements()) * size_of(dtype);
  uint64_t given = 0;
  for (auto chunk : chunks) given += chunk.size();
  if (given != expected)
    return invalid_argument(
        "a tensor " + std::string(to_string(dtype)) + shape.to_string() + " has " +
        std::to_string(expected) + " bytes, but came with " + std::to_string(given));
  if (!memory || given < share_bytes_min)
    return copy_elements(dtype, shape, chunks, heap_allocator());
  if (chunks.size() != 1 || dtype == DType::boolean)
    return copy_elements(dtype, shape, chunks, memory->allocator());
  auto bytes = chunks[0];
  auto owner = memory->owner_of(bytes.begin(), bytes.size());
  if (!owner) return copy_elements(dtype, shape, chunks, memory->allocator());
  // The cast is safe: kernels never write in place to a tensor over foreign memory.
  return Tensor::alias(
      dtype, shape, const_cast<capnp::byte*>(bytes.begin()), [owner = std::move(owner)] {});
}

Result<Shape> read_sizes(capnp::List<int64_t>::Reader from) {
  if (from.size() > static_cast<unsigned>(Shape::max_rank))
    return invalid_argument(
        "a tensor has at most " + std::to_string(Shape::max_rank) + " dimensions, not " +
        std::to_string(from.size()));
  std::array<int64_t, Shape::max_rank> sizes{};
  std::copy(from.begin(), from.end(), sizes.begin());
  return Shape::make(std::span<const int64_t>(sizes.data(), from.size()));
}

/// Whether the capability is hosted by the other end. (A capability of this process would be called
/// locally: its messages are never written, so their external segments would never be released.)
bool is_remote(rpc::TensorSource::Client source) {
  auto local = capnp::ClientHook::from(make_tensor_source(Tensor(), nullptr));
  const auto* brand = capnp::ClientHook::from(kj::mv(source))->getBrand();
  return brand != nullptr && brand != local->getBrand();
}

/// Allocates the tensor and defers its elements.
Result<Tensor> defer_elements(
    DeferredTensors& deferred, DType dtype, const Shape& shape, rpc::Tensor::Reader from) {
  CHECK(deferred.memory);
  if (!is_remote(from.getSource()))
    return invalid_argument(
        "the source of a tensor must be hosted by the end that sends the tensor");
  auto reservation = deferred.memory->reserve_source_bytes(
      static_cast<uint64_t>(shape.elements()) * size_of(dtype));
  if (!reservation)
    return resource_exhausted(
        "more than 64 GiB are still to be read for the steps of this connection: wait for some");
  auto tensor = Tensor::allocate(dtype, shape, deferred.memory->allocator());
  if (tensor) deferred.remaining.push_back({*tensor, from.getSource(), std::move(reservation)});
  return tensor;
}

Result<Tensor> read_tensor(rpc::Tensor::Reader from, DeferredTensors* deferred) {
  auto dtype = to_dtype(from.getDtype());
  auto shape = read_sizes(from.getSizes());
  if (!dtype) return dtype.status();
  if (!shape) return shape.status();
  if (is_opaque(*dtype))
    return invalid_argument(
        std::string("an element of a ") + to_string(*dtype) +
        " tensor is no value that a client can give");
  if (!shape->is_known())
    return invalid_argument("a tensor's sizes are known, but here is " + shape->to_string());
  if (*dtype == DType::string) return read_strings(from.getStrings(), *shape);
  if (!from.hasSource())
    return read_elements(*dtype, *shape, from.getChunks(), deferred ? deferred->memory : nullptr);
  if (deferred) return defer_elements(*deferred, *dtype, *shape, from);
  return invalid_argument("only a feed, or what a step answers, can come from a source");
}

uint64_t sent_bytes(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) return tensor.bytes() + 64;
  uint64_t bytes = 64;
  for (const auto& string : tensor.values<std::string>()) bytes += string.size() + 16;
  return bytes;
}

}  // namespace

/// Normalises booleans to 0 and 1: other values of a C++ bool are undefined behaviour.
void set_elements(Tensor& tensor, uint64_t begin, capnp::Data::Reader bytes) {
  auto* to = static_cast<uint8_t*>(tensor.mutable_raw()) + begin;
  if (tensor.dtype() == DType::boolean)
    std::ranges::transform(bytes, to, [](uint8_t byte) { return byte != 0; });
  else if (bytes.size() > 0) std::memcpy(to, bytes.begin(), bytes.size());
}

Result<DType> to_dtype(uint16_t number) {
  auto dtype = static_cast<DType>(number);
  if (number > 255 || !is_valid(dtype))
    return invalid_argument("no dtype has the number " + std::to_string(number));
  return dtype;
}

void fill(rpc::Shape::Builder to, const Shape& shape) {
  to.setUnknownRank(!shape.has_rank());
  if (shape.has_rank()) to.setSizes({shape.sizes().data(), shape.sizes().size()});
}

Result<Shape> to_shape(rpc::Shape::Reader from) {
  return checked([from]() -> Result<Shape> {
    if (from.getUnknownRank()) return Shape::unknown_rank();
    return read_sizes(from.getSizes());
  });
}

void fill(rpc::Tensor::Builder to, const Tensor& tensor, ExternalSegmentBudget& segment_budget) {
  to.setDtype(static_cast<uint16_t>(tensor.dtype()));
  to.setSizes({tensor.shape().sizes().data(), tensor.shape().sizes().size()});
  if (goes_as_source(tensor, segment_budget))
    return to.setSource(make_tensor_source(tensor, segment_budget.memory->shared_from_this()));
  segment_budget.bytes_left -= std::min(segment_budget.bytes_left, tensor.bytes());
  if (tensor.dtype() != DType::string)
    return can_reference(tensor, segment_budget) ? reference_chunks(to, tensor, segment_budget)
                                                 : copy_chunks(to, tensor);
  auto strings = to.initStrings(static_cast<unsigned>(tensor.elements()));
  unsigned index = 0;
  for (const auto& string : tensor.values<std::string>()) strings.set(index++, data_of(string));
}

Result<Tensor> to_tensor(rpc::Tensor::Reader from, DeferredTensors* deferred) {
  return checked([from, deferred] { return read_tensor(from, deferred); });
}

Status check_sendable(const Tensors& tensors, bool takes_sources) {
  uint64_t bytes = 0;
  for (const auto& tensor : tensors) {
    if (is_opaque(tensor.dtype()))
      return invalid_argument(
          std::string("a ") + to_string(tensor.dtype()) +
          " tensor cannot leave its process: fetch what its elements hold");
    bool may_go_as_source = takes_sources && tensor.dtype() != DType::string;
    bytes += may_go_as_source ? 64 : sent_bytes(tensor);
  }
  if (takes_sources) bytes += protocol::values_bytes_max;
  constexpr uint64_t rest = uint64_t{1} << 20;  // names, sizes and Cap'n Proto's own words
  if (bytes + rest <= protocol::message_bytes_max) return Status();
  return resource_exhausted(
      "the tensors of one message may have 4 GiB together, and these have " +
      std::to_string(bytes) + " bytes: feed or fetch them in several steps");
}

ExternalSegmentBudget segment_budget_for_values(MessageMemory& memory) {
  ExternalSegmentBudget segment_budget{.memory = &memory};
  if (memory.takes_sources()) segment_budget.bytes_left = protocol::values_bytes_max;
  return segment_budget;
}

void fill(
    capnp::List<rpc::Tensor>::Builder to, const Tensors& tensors,
    ExternalSegmentBudget& segment_budget) {
  for (unsigned i = 0; i < tensors.size(); ++i) fill(to[i], tensors[i], segment_budget);
}

Result<Tensors> to_tensors(capnp::List<rpc::Tensor>::Reader from, DeferredTensors* deferred) {
  return checked([from, deferred]() -> Result<Tensors> {
    Tensors tensors;
    tensors.reserve(from.size());
    for (auto tensor : from) {
      auto value = to_tensor(tensor, deferred);
      if (!value) return value.status();
      tensors.push_back(*std::move(value));
    }
    return tensors;
  });
}

}  // namespace troupe
