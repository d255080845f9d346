#include "troupe/capnp/tensor_source.hpp"

#include <capnp/orphan.h>
#include <kj/memory.h>
#include <kj/vector.h>

#include <algorithm>
#include <string>
#include <utility>

#include "troupe/capnp/convert.hpp"
#include "troupe/capnp/convert_tensor.hpp"
#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/allocator.hpp"

namespace troupe {
namespace {

// Other calls' messages wait for no more than the pieces under way.
constexpr uint64_t piece_bytes = uint64_t{4} << 20;
constexpr int pieces_under_way = 4;

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
    if (!may_lend(begin, bytes)) {
      results.setBytes(piece);
      return kj::READY_NOW;
    }
    auto orphanage = capnp::Orphanage::getForMessageContaining(results);
    results.adoptBytes(orphanage.referenceExternalData(piece));
    memory_->lend(begin, tensor_);
    return kj::READY_NOW;
  }

 private:
  /// Cap'n Proto writes whole words.
  static bool may_lend(const capnp::byte* begin, uint64_t bytes) {
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

/// Reads one tensor, each of its lines piece after piece.
class SourceReader {
 public:
  explicit SourceReader(Intake::Rest rest) : rest_(std::move(rest)) {}

  kj::Promise<Status> read() {
    // Not before: what is only announced must take no memory.
    prefer_huge_pages(rest_.tensor.mutable_raw(), rest_.tensor.bytes());
    kj::Vector<kj::Promise<void>> lines;
    for (int i = 0; i < pieces_under_way; ++i) lines.add(read_on());
    return kj::joinPromises(lines.releaseAsArray()).then([this] { return status_; });
  }

 private:
  kj::Promise<void> read_on() {
    auto begin = next_;
    auto bytes = std::min(piece_bytes, rest_.tensor.bytes() - begin);
    if (bytes == 0 || !status_.ok()) return kj::READY_NOW;
    next_ += bytes;
    auto request = rest_.source.readRequest();
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
      set_elements(rest_.tensor, begin, piece);
      return Status();
    });
  }

  Intake::Rest rest_;
  uint64_t next_ = 0;  // the first byte that was not asked for
  Status status_;
};

kj::Promise<Status> read_from(std::shared_ptr<Intake> intake, size_t index) {
  if (index == intake->rests.size()) return Status();
  auto reader = kj::heap<SourceReader>(std::move(intake->rests[index]));
  auto read = reader->read().attach(kj::mv(reader));
  return read.then([intake, index](Status status) -> kj::Promise<Status> {
    if (!status.ok()) return status;
    return read_from(intake, index + 1);
  });
}

}  // namespace

rpc::TensorSource::Client make_tensor_source(Tensor tensor, std::shared_ptr<MessageMemory> memory) {
  return kj::heap<TensorSourceServer>(std::move(tensor), std::move(memory));
}

kj::Promise<Status> read_rests(Intake intake) {
  return read_from(std::make_shared<Intake>(std::move(intake)), 0);
}

}  // namespace troupe
