#include "troupe/capnp/stream/tensor_source.hpp"

#include <capnp/orphan.h>
#include <kj/memory.h>
#include <kj/vector.h>

#include <algorithm>
#include <string>
#include <utility>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/types/allocator.hpp"

namespace troupe {
namespace {

// Limits how many bytes the messages of other calls can be queued behind.
constexpr uint64_t piece_bytes = uint64_t{4} << 20;
constexpr int pieces_in_flight = 4;

class TensorSourceServer final : public rpc::TensorSource::Server {
 public:
  TensorSourceServer(Tensor tensor, std::shared_ptr<MessageMemory> memory)
      : tensor_(std::move(tensor)), memory_(std::move(memory)) {}

  kj::Promise<void> read(ReadContext context) override {
    auto offset = context.getParams().getOffset();
    auto bytes = context.getParams().getBytes();
    context.releaseParams();
    auto results = context.getResults();
    auto status = check(offset, bytes);
    fill(results.initStatus(), status);
    if (!status.ok()) return kj::READY_NOW;
    auto* begin = static_cast<const capnp::byte*>(tensor_.raw()) + offset;
    capnp::Data::Reader piece(begin, bytes);
    if (!can_reference(begin, bytes)) {
      results.setBytes(piece);
      return kj::READY_NOW;
    }
    auto orphanage = capnp::Orphanage::getForMessageContaining(results);
    results.adoptBytes(orphanage.referenceExternalData(piece));
    memory_->add_external_segment(begin, tensor_);
    return kj::READY_NOW;
  }

 private:
  /// An external segment must be aligned whole words.
  static bool can_reference(const capnp::byte* begin, uint64_t bytes) {
    return bytes >= share_bytes_min && bytes % 8 == 0 &&
           reinterpret_cast<uintptr_t>(begin) % 8 == 0;
  }
  Status check(uint64_t offset, uint64_t bytes) const {
    if (bytes > protocol::chunk_bytes_max)
      return invalid_argument("a piece of a tensor has at most 256 MiB");
    if (offset <= tensor_.bytes() && bytes <= tensor_.bytes() - offset) return Status();
    return invalid_argument(
        "the tensor has " + std::to_string(tensor_.bytes()) + " bytes, and " +
        std::to_string(bytes) + " from " + std::to_string(offset) + " on are not among them");
  }

  Tensor tensor_;
  std::shared_ptr<MessageMemory> memory_;
};

/// Reads one tensor, with a bounded number of pieces in flight.
class SourceReader {
 public:
  explicit SourceReader(DeferredTensors::RemainingBytes rest) : remaining_(std::move(rest)) {}

  kj::Promise<Status> read() {
    // Only now are its pages touched: a tensor that is announced and never sent takes no memory.
    prefer_huge_pages(remaining_.tensor.mutable_raw(), remaining_.tensor.bytes());
    kj::Vector<kj::Promise<void>> readers;
    for (int i = 0; i < pieces_in_flight; ++i) readers.add(read_on());
    return kj::joinPromises(readers.releaseAsArray()).then([this] { return status_; });
  }

 private:
  kj::Promise<void> read_on() {
    auto begin = next_;
    auto bytes = std::min(piece_bytes, remaining_.tensor.bytes() - begin);
    if (bytes == 0 || !status_.ok()) return kj::READY_NOW;
    next_ += bytes;
    auto request = remaining_.source.readRequest();
    request.setOffset(begin);
    request.setBytes(bytes);
    return request.send().then([this, begin, bytes](auto response) {
      auto status = take(response, begin, bytes);
      if (!status.ok()) status_ = status;
      return read_on();
    });
  }

  Status take(rpc::TensorSource::ReadResults::Reader from, uint64_t begin, uint64_t bytes) {
    return checked([&] {
      if (auto failed = to_status(from.getStatus()); !failed.ok()) return failed;
      auto piece = from.getBytes();
      if (piece.size() != bytes)
        return invalid_argument(
            "the source of a tensor was asked for " + std::to_string(bytes) + " bytes, and gave " +
            std::to_string(piece.size()));
      set_elements(remaining_.tensor, begin, piece);
      return Status();
    });
  }

  DeferredTensors::RemainingBytes remaining_;
  uint64_t next_ = 0;  // the first byte that is not requested yet
  Status status_;
};

kj::Promise<Status> read_from(std::shared_ptr<DeferredTensors> deferred, size_t index) {
  if (index == deferred->remaining.size()) return Status();
  auto reader = kj::heap<SourceReader>(std::move(deferred->remaining[index]));
  auto read = reader->read().attach(kj::mv(reader));
  return read.then([deferred, index](Status status) -> kj::Promise<Status> {
    if (!status.ok()) return status;
    return read_from(deferred, index + 1);
  });
}

}  // namespace

rpc::TensorSource::Client make_tensor_source(Tensor tensor, std::shared_ptr<MessageMemory> memory) {
  return kj::heap<TensorSourceServer>(std::move(tensor), std::move(memory));
}

kj::Promise<Status> read_deferred(DeferredTensors deferred) {
  return read_from(std::make_shared<DeferredTensors>(std::move(deferred)), 0);
}

}  // namespace troupe
