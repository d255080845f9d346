#include "troupe/capnp/stream/frame_stream.hpp"

#include <capnp/message.h>
#include <kj/debug.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "troupe/capnp/protocol.hpp"
#include "troupe/graph/types/allocator.hpp"

namespace troupe {
namespace {

using capnp::word;

constexpr size_t buffer_bytes = size_t{16} << 10;
constexpr size_t pending_bytes_max = size_t{64} << 10;
constexpr size_t small_message_bytes = size_t{8} << 10;

constexpr size_t table_bytes(uint64_t segment_count) { return (segment_count / 2 + 1) * 8; }

/// The traversal limit for a message. Words count each time they are read, a tensor's up to three
/// times.
constexpr uint64_t words_to_read(uint64_t message_bytes) {
  constexpr uint64_t small = uint64_t{8} << 10;
  return small + 4 * message_bytes / sizeof(word);
}

uint32_t number_at(const kj::byte* bytes) {
  uint32_t number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

kj::Array<kj::byte> make_table(kj::ArrayPtr<const kj::ArrayPtr<const word>> segments) {
  auto table = kj::heapArray<kj::byte>(table_bytes(segments.size()));
  std::memset(table.begin(), 0, table.size());
  auto put = [&table](size_t index, uint32_t number) {
    std::memcpy(table.begin() + index * 4, &number, sizeof number);
  };
  put(0, static_cast<uint32_t>(segments.size() - 1));
  for (size_t i = 0; i < segments.size(); ++i)
    put(i + 1, static_cast<uint32_t>(segments[i].size()));
  return table;
}

/// A message whose memory tensors may keep alive after the message is destroyed.
class Frame final : public capnp::MessageReader {
 public:
  Frame(
      capnp::ReaderOptions options, std::shared_ptr<std::byte[]> bytes, bool can_be_shared,
      const std::vector<size_t>& segment_words, std::shared_ptr<MessageMemory> memory)
      : MessageReader(options), bytes_(std::move(bytes)), memory_(std::move(memory)) {
    auto* next = reinterpret_cast<const word*>(bytes_.get());
    for (auto words : segment_words) {
      segments_.push_back(kj::arrayPtr(next, words));
      next += words;
    }
    auto size = reinterpret_cast<const std::byte*>(next) - bytes_.get();
    if (can_be_shared) memory_->add_message(bytes_, static_cast<size_t>(size));
  }
  ~Frame() noexcept(false) { memory_->remove_message(bytes_.get()); }

  kj::ArrayPtr<const word> getSegment(kj::uint id) override {
    return id < segments_.size() ? segments_[id] : kj::ArrayPtr<const word>();
  }

 private:
  std::shared_ptr<std::byte[]> bytes_;
  std::vector<kj::ArrayPtr<const word>> segments_;
  std::shared_ptr<MessageMemory> memory_;
};

}  // namespace

/// A message whose segment table has been read, and whose bytes are being read.
struct FrameStream::Body {
  std::vector<size_t> segment_words;
  std::shared_ptr<std::byte[]> bytes;
  size_t size = 0;
  bool can_be_shared = false;  // with tensors

  Status allocate(Allocator& allocator);
};

Status FrameStream::Body::allocate(Allocator& allocator) {
  Shape shape({static_cast<int64_t>(size)});
  can_be_shared = size >= share_bytes_min;
  auto memory = Tensor::allocate(DType::uint8, shape, can_be_shared ? allocator : heap_allocator());
  if (!memory && size <= protocol::uncounted_bytes_max) {
    memory = Tensor::allocate(DType::uint8, shape);
    can_be_shared = false;
  }
  if (!memory) return memory.status();
  auto* begin = static_cast<std::byte*>(memory->mutable_raw());
  prefer_huge_pages(begin, size);
  bytes = {begin, [owner = *std::move(memory)](std::byte*) {}};
  return {};
}

capnp::ReaderOptions reader_options() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = words_to_read(protocol::message_bytes_max);
  return options;
}

void tune_socket(int socket) {
  auto set = [socket](int level, int option, int value) {
    (void)::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);  // seconds
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);  // seconds
  // Milliseconds. It bounds the silence of an idle connection, too, whatever the count of probes.
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000);
}

FrameStream::FrameStream(kj::Own<kj::AsyncIoStream> stream, Allocator& allocator)
    : stream_(kj::mv(stream)),
      memory_(std::make_shared<MessageMemory>(allocator)),
      buffer_(kj::heapArray<kj::byte>(buffer_bytes)),
      last_write_(kj::Promise<void>(kj::READY_NOW).fork()) {}

kj::Exception FrameStream::refuse(std::string reason) {
  fault_ = std::move(reason);
  return kj::Exception(
      kj::Exception::Type::FAILED, __FILE__, __LINE__, kj::heapString(fault_.c_str()));
}

/// Resolves to true once that many bytes are buffered; to false if the stream ended before the
/// first byte.
kj::Promise<bool> FrameStream::fill(size_t bytes) {
  if (buffered() >= bytes) return true;
  std::memmove(buffer_.begin(), buffer_.begin() + begin_, buffered());
  end_ = buffered();
  begin_ = 0;
  return stream_->tryRead(buffer_.begin() + end_, bytes - end_, buffer_.size() - end_)
      .then([this, bytes](size_t given) {
        end_ += given;
        if (buffered() >= bytes) return true;
        if (buffered() > 0)
          kj::throwFatalException(
              KJ_EXCEPTION(DISCONNECTED, "the connection ended in the middle of a message"));
        return false;
      });
}

kj::Promise<FrameStream::MaybeMessage> FrameStream::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd>, capnp::ReaderOptions options, kj::ArrayPtr<word>) {
  return fill(8).then([this, options](bool is_more) -> kj::Promise<MaybeMessage> {
    if (!is_more) return MaybeMessage(nullptr);
    return read_table(options);
  });
}

kj::Promise<FrameStream::MaybeMessage> FrameStream::read_table(capnp::ReaderOptions options) {
  auto segment_count = uint64_t{number_at(buffer_.begin() + begin_)} + 1;
  if (segment_count > protocol::message_segments_max)
    return refuse("no message has " + std::to_string(segment_count) + " segments");
  return fill(table_bytes(segment_count)).then([this, options, segment_count](bool) {
    return read_body(options, segment_count);
  });
}

kj::Promise<FrameStream::MaybeMessage> FrameStream::read_body(
    capnp::ReaderOptions options, size_t segment_count) {
  Body body;
  for (size_t i = 0; i < segment_count; ++i) {
    body.segment_words.push_back(number_at(buffer_.begin() + begin_ + 4 + 4 * i));
    body.size += body.segment_words.back() * sizeof(word);
  }
  if (body.size > message_bytes_max_)
    return refuse("a message of " + std::to_string(body.size) + " bytes is over the limit");
  if (auto status = body.allocate(memory_->allocator()); !status.ok())
    return refuse("no memory for a message: " + status.message());
  begin_ += table_bytes(segment_count);
  options.traversalLimitInWords = std::min(options.traversalLimitInWords, words_to_read(body.size));

  auto here = std::min(body.size, buffered());
  std::memcpy(body.bytes.get(), buffer_.begin() + begin_, here);
  begin_ += here;
  auto finish = [this, options](Body done) -> MaybeMessage {
    auto frame = kj::heap<Frame>(
        options, std::move(done.bytes), done.can_be_shared, done.segment_words, memory_);
    return capnp::MessageReaderAndFds{kj::mv(frame), nullptr};
  };
  if (here == body.size) return finish(std::move(body));
  auto rest = body.size - here;
  auto* to = body.bytes.get() + here;
  return stream_->tryRead(to, rest, rest)
      .then([rest, finish, body = std::move(body)](size_t given) mutable -> MaybeMessage {
        if (given < rest)
          kj::throwFatalException(
              KJ_EXCEPTION(DISCONNECTED, "the connection ended in the middle of a message"));
        return finish(std::move(body));
      });
}

kj::Promise<void> FrameStream::writeMessage(kj::ArrayPtr<const int>, Segments segments) {
  auto table = make_table(segments);
  size_t bytes = table.size();
  for (auto segment : segments) bytes += segment.size() * sizeof(word);
  if (bytes > small_message_bytes) return write_large(kj::mv(table), segments);

  pending_.addAll(table);
  for (auto segment : segments) pending_.addAll(segment.asBytes());
  write_soon();
  // Back-pressure: a slow reader must slow down the writer.
  if (pending_.size() > pending_bytes_max) return last_write_.addBranch();
  return kj::READY_NOW;
}

/// Schedules the write of the pending bytes: after the events that are due now, and after the
/// previous write.
void FrameStream::write_soon() {
  if (std::exchange(is_write_queued_, true)) return;
  last_write_ = last_write_.addBranch()
                    .then([] { return kj::evalLater([] {}); })
                    .then([this] { return write_pending(); })
                    .fork();
}

kj::Promise<void> FrameStream::write_pending() {
  is_write_queued_ = false;
  if (pending_.empty()) return kj::READY_NOW;
  auto bytes = pending_.releaseAsArray();
  auto written = stream_->write(bytes.begin(), bytes.size());
  return written.attach(kj::mv(bytes));
}

/// The two-party network writes no other message until this one is written, so no pending bytes can
/// be written before it.
kj::Promise<void> FrameStream::write_large(kj::Array<kj::byte> table, Segments segments) {
  kj::Vector<kj::ArrayPtr<const kj::byte>> pieces(segments.size() + 1);
  pieces.add(table);
  for (auto segment : segments)
    if (segment.size() > 0) pieces.add(segment.asBytes());
  last_write_ = last_write_.addBranch()
                    .then([this] { return write_pending(); })
                    .then([this, all = pieces.releaseAsArray(), table = kj::mv(table)]() mutable {
                      auto written = stream_->write(all.asPtr());
                      return written.attach(kj::mv(all), kj::mv(table));
                    })
                    .fork();
  return last_write_.addBranch().then([this, segments] {
    for (auto segment : segments) memory_->release_external_segment(segment.begin());
  });
}

kj::Promise<void> FrameStream::writeMessages(kj::ArrayPtr<Segments> messages) {
  if (messages.size() == 0) return kj::READY_NOW;
  return writeMessage(nullptr, messages[0]).then([this, messages]() mutable {
    return writeMessages(messages.slice(1, messages.size()));
  });
}

kj::Maybe<int> FrameStream::getSendBufferSize() {
  int bytes = 0;
  kj::uint length = sizeof bytes;
  stream_->getsockopt(SOL_SOCKET, SO_SNDBUF, &bytes, &length);
  return bytes;
}

kj::Promise<void> FrameStream::end() {
  return last_write_.addBranch().then([this] { return write_pending(); }).then([this] {
    stream_->shutdownWrite();
  });
}

}  // namespace troupe
