#include "troupe/capnp/server/link/link_streams.hpp"

#include <kj/async-unix.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

#include "troupe/capnp/protocol.hpp"
#include "troupe/capnp/stream/frame_stream.hpp"
#include "troupe/capnp/stream/local_socket.hpp"

namespace troupe {
namespace {

/// What the system has taken to send is ahead of any small message that comes later, and it takes
/// megabytes where nobody says how much. (To bound what it holds at the receiver, too, makes small
/// messages slower: their threads wake more often.)
void bound_unsent_bytes(int socket) {
  constexpr int unsent_bytes_max = 256 << 10;
  (void)::setsockopt(
      socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes_max, sizeof unsent_bytes_max);
}

}  // namespace

/// A connection and its link: reads what comes, and writes what the link gives, one write at a
/// time.
class LinkStreams::Stream final : public LinkStream {
 public:
  Stream(LinkStreams& owner, kj::Own<kj::AsyncIoStream> socket)
      : owner_(owner),
        socket_(kj::mv(socket)),
        tasks_(owner),
        wake_(std::make_shared<Wake>(*this)) {}
  /// Over a Unix socket.
  Stream(LinkStreams& owner, kj::Own<kj::AsyncCapabilityStream> socket)
      : Stream(owner, kj::Own<kj::AsyncIoStream>(kj::mv(socket))) {
    local_socket_ = static_cast<kj::AsyncCapabilityStream*>(socket_.get());
  }
  ~Stream() noexcept override { wake_->stream = nullptr; }

  void start(std::shared_ptr<Link> link, bool is_accepted) {
    link_ = std::move(link);
    auto greeting = kj::evalNow([&] {
      return is_accepted ? socket_->read(greeting_.data(), greeting_.size())
                         : socket_->write(protocol::link.data(), protocol::link.size());
    });
    tasks_.add(greeting
                   .then([this] {
                     is_writing_ = false;
                     write();
                     return read();
                   })
                   .catch_([this](kj::Exception&& error) { fail(error); }));
  }
  const std::shared_ptr<Link>& link() const { return link_; }

  void wake() override {
    auto& queue = owner_.unit_.task_queue();
    auto write = [wake = wake_] {
      if (wake->stream) wake->stream->write();
    };
    if (queue->is_loop_thread()) tasks_.add(kj::evalLater(kj::mv(write)));
    else queue->post(write);
  }
  void close() override {
    is_closing_ = true;
    wake();
  }
  bool passes_descriptors() const override { return local_socket_ != nullptr; }
  void keep_lent(LentMemory lent, Descriptor lease) override {
    owner_.keep_lent(std::move(lent), std::move(lease));
  }

 private:
  /// What a posted task finds of the stream: it may have gone meanwhile.
  struct Wake {
    explicit Wake(Stream& stream) : stream(&stream) {}
    Stream* stream;
  };

  kj::Promise<size_t> read_into(std::span<std::byte> space) {
    if (!local_socket_) return socket_->tryRead(space.data(), 1, space.size());
    return local_socket_
        ->tryReadWithFds(space.data(), 1, space.size(), descriptors_.data(), descriptors_.size())
        .then([this](kj::AsyncCapabilityStream::ReadResult result) {
          for (size_t i = 0; i < result.capCount; ++i)
            link_->received(Descriptor(descriptors_[i].release()));
          return result.byteCount;
        });
  }
  kj::Promise<void> read() {
    return read_into(link_->space()).then([this](size_t bytes) {
      if (bytes == 0) return finish(unavailable("the peer closed the connection"));
      auto status = link_->received(bytes);
      owner_.unit_.drain();
      if (!status.ok()) return finish(status);
      return read();
    });
  }
  /// Ends the link for what was read. The peer is told of its mistake first.
  kj::Promise<void> finish(const Status& why) {
    if (why.code() == Code::unavailable) {
      end(why);
    } else {
      close_reason_ = why;
      link_->close(why.message());
      write();
    }
    return kj::NEVER_DONE;
  }

  void write() {
    if (link_->is_overfull()) return end(unavailable("the peer does not read"));
    if (is_closing_) limit_closing();
    if (is_writing_) return;
    auto slices = link_->output();
    if (slices.empty()) {
      if (is_closing_) end(close_reason_);
      return;
    }
    auto pieces = kj::heapArrayBuilder<kj::ArrayPtr<const kj::byte>>(slices.size());
    for (const auto& slice : slices)
      pieces.add(static_cast<const kj::byte*>(slice.data), slice.size);
    auto array = pieces.finish();
    is_writing_ = true;
    // KJ may throw at once where the peer is gone.
    auto written = kj::evalNow([&] {
      const auto& descriptors = slices.front().descriptors;
      if (descriptors.empty()) return socket_->write(array);
      return local_socket_->writeWithFds(
          array[0], array.slice(1, array.size()),
          kj::arrayPtr(descriptors.data(), descriptors.size()));
    });
    tasks_.add(written.attach(kj::mv(array), kj::mv(slices))
                   .then([this] {
                     // While the peer reads as fast, no write waits: the loop must poll in between.
                     owner_.unit_.task_queue()->activity().note();
                     is_writing_ = false;
                     write();
                   })
                   .catch_([this](kj::Exception&& error) { fail(error); }));
  }
  /// The last output may wait for a peer that does not read.
  void limit_closing() {
    if (std::exchange(is_closing_limited_, true)) return;
    auto limit = owner_.io_.provider->getTimer().afterDelay(1 * kj::SECONDS);
    tasks_.add(limit.then([this] { end(close_reason_); }));
  }
  void fail(const kj::Exception& error) {
    end(unavailable(std::string("the connection broke: ") + error.getDescription().cStr()));
  }
  /// The stream is destroyed in a later turn, as this is called by what it owns.
  void end(const Status& why) {
    if (std::exchange(has_ended_, true)) return;
    owner_.tasks_.add(kj::evalLater([this, why] { owner_.end(*this, why); }));
  }

  /// Frees what has arrived in part, once nothing reads into it any more.
  struct ReleaseInput {
    ~ReleaseInput() {
      if (link) link->release_input();
    }
    std::shared_ptr<Link>& link;
  };

  LinkStreams& owner_;
  std::shared_ptr<Link> link_;
  ReleaseInput release_input_{link_};  // before those that read
  kj::Own<kj::AsyncIoStream> socket_;
  kj::AsyncCapabilityStream* local_socket_ = nullptr;  // the same, if it passes descriptors
  std::array<kj::AutoCloseFd, link_limits::descriptors_max> descriptors_;
  std::array<char, protocol::link.size()> greeting_;
  bool is_writing_ = true;  // until the greeting is over
  bool is_closing_ = false;
  bool is_closing_limited_ = false;
  Status close_reason_ = unavailable("this node has closed the link");
  bool has_ended_ = false;
  kj::TaskSet tasks_;
  std::shared_ptr<Wake> wake_;
};

LinkStreams::LinkStreams(
    kj::AsyncIoContext& io, PeerNetwork& network, EventLoopExecutionUnit& unit,
    Allocator& allocator, accelerator::OpenRegion open_region, uint32_t protocol_version,
    caf::strong_actor_ptr root, bool tcp_only)
    : io_(io),
      network_(network),
      unit_(unit),
      allocator_(allocator),
      tcp_only_(tcp_only),
      links_(std::make_unique<LinkSet>(
          LinkSettings{
              .system = unit.system(),
              .unit = &unit,
              .allocator = allocator,
              .open_region = std::move(open_region),
              .log = [](const std::string& line) { spdlog::info("{}", line); }},
          static_cast<LinkNetwork&>(*this), protocol_version, std::move(root))),
      tasks_(*this) {}

LinkStreams::~LinkStreams() noexcept {
  // Peers may read what they were lent for longer than this node knows of them.
  if (auto memory = allocator_.shared_file()) memory->retire();
  links_.reset();  // ends the links while their streams exist
}

void LinkStreams::keep_lent(LentMemory lent, Descriptor lease) {
  auto observer = kj::heap<kj::UnixEventPort::FdObserver>(
      io_.unixEventPort, lease.number(), kj::UnixEventPort::FdObserver::OBSERVE_READ);
  auto is_unused = observer->whenBecomesReadable();
  // Destroyed from the last to the first.
  tasks_.add(is_unused.attach(std::move(lent), std::move(lease), kj::mv(observer)));
}

kj::Own<LinkStreams::Stream> LinkStreams::make_stream(kj::AutoCloseFd socket) {
  auto& provider = *io_.lowLevelProvider;
  if (is_of_this_user(socket))
    return kj::heap<Stream>(*this, provider.wrapUnixSocketFd(kj::mv(socket)));
  tune_socket(socket);
  bound_unsent_bytes(socket);
  return kj::heap<Stream>(*this, provider.wrapSocketFd(kj::mv(socket)));
}

std::shared_ptr<Link> LinkStreams::begin(kj::Own<Stream> stream, bool is_accepted) {
  auto link = links_->make_link(*stream);
  stream->start(link, is_accepted);
  auto* key = stream.get();
  streams_.emplace(key, kj::mv(stream));
  return link;
}

void LinkStreams::end(Stream& stream, const Status& why) {
  auto found = streams_.find(&stream);
  if (found == streams_.end()) return;
  links_->ended(*stream.link(), why);
  streams_.erase(found);
  unit_.drain_soon();
}

void LinkStreams::accept(kj::AutoCloseFd socket) {
  if (links_->unopened() >= link_limits::unopened_max) return;
  begin(make_stream(kj::mv(socket)), /*is_accepted=*/true);
}

void LinkStreams::dial(
    const Address& address, std::function<void(std::shared_ptr<Link>)> opened, Dialed failed) {
  tasks_.add(network_.dial(address)
                 .then([this](kj::Own<kj::AsyncIoStream> socket) {
                   return make_preferred_stream(kj::mv(socket));
                 })
                 .then([this, opened = std::move(opened)](kj::Own<Stream> stream) {
                   opened(begin(kj::mv(stream), /*is_accepted=*/false));
                 })
                 .catch_([failed = std::move(failed)](kj::Exception&& error) {
                   failed(unavailable(error.getDescription().cStr()));
                 }));
}

/// Over a connection beside the one that was dialed, if the other node is on this host.
kj::Promise<kj::Own<LinkStreams::Stream>> LinkStreams::make_preferred_stream(
    kj::Own<kj::AsyncIoStream> dialed) {
  KJ_IF_MAYBE (file, dialed->getFd()) {
    auto unix_socket = tcp_only_ ? nullptr : connect_unix_socket(*file);
    if (unix_socket != nullptr) return make_stream(kj::mv(unix_socket));
    bound_unsent_bytes(*file);
  }
  return network_.secure(kj::mv(dialed)).then([this](kj::Own<kj::AsyncIoStream> stream) {
    return kj::heap<Stream>(*this, kj::mv(stream));
  });
}

void LinkStreams::after(std::chrono::milliseconds delay, std::function<void()> work) {
  tasks_.add(
      io_.provider->getTimer().afterDelay(delay.count() * kj::MILLISECONDS).then(kj::mv(work)));
}

uint64_t LinkStreams::random() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

void LinkStreams::log(const std::string& line) { spdlog::warn("{}", line); }

void LinkStreams::taskFailed(kj::Exception&& exception) {
  spdlog::error("links: {}", exception.getDescription().cStr());
}

}  // namespace troupe
