#include "troupe/actors/link/link.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "troupe/actors/error.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/devices/accelerator/filling_memory.hpp"

namespace troupe {
namespace {

constexpr size_t write_bytes_max = size_t{1} << 20;
constexpr size_t proxies_max = 1'000'000;
constexpr size_t requests_kept_min = 1024;

/// How the message may pass others, see LinkOutbox.
MessageOrder order_of(uint64_t target, const MessageFacts& facts) {
  return {
      .target = target,
      .session = facts.session,
      .step = facts.step,
      .passes = facts.may_pass,
      .is_tensors = facts.edges > 0};
}

Result<caf::node_id> to_node_id(const ProcessIdentity& node) {
  caf::node_id::default_data::host_id_type host{};
  uint32_t process = 0;
  static_assert(sizeof host + sizeof process == process_identity_bytes);
  if (node.size() != process_identity_bytes) return invalid_argument("an identity of no node");
  std::memcpy(host.data(), node.data(), host.size());
  std::memcpy(&process, node.data() + host.size(), sizeof process);
  return caf::make_node_id(process, host);
}

/// Messages of CAF itself, as one that ends an actor, are not for other nodes to send.
bool may_be_sent(caf::message_id id, const caf::message& content) {
  if (id.is_stream_message()) return false;
  if (content.empty()) return id.is_response();
  auto is_ours = content.type(0).first == 0;
  return is_ours || (id.is_response() && content.match_elements<caf::error>());
}

void fail_request(
    const caf::strong_actor_ptr& sender, uint64_t response, caf::execution_unit* unit,
    const caf::error& error = caf::make_error(caf::exit_reason::remote_link_unreachable)) {
  sender->enqueue(nullptr, caf::make_message_id(response), caf::make_message(error), unit);
}

}  // namespace

/// What is enqueued here is sent to the actor of that number at the peer.
class Link::Proxy final : public caf::actor_proxy {
 public:
  Proxy(caf::actor_config& config, std::shared_ptr<Link> link)
      : caf::actor_proxy(config), link_(std::move(link)) {}

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit*) override {
    if (has_ended_ || !link_->send(*this, *element))
      bounce(element, caf::exit_reason::remote_link_unreachable);
  }

  bool lends(const Tensor& tensor) const { return !has_ended_ && link_->lends(tensor); }

  void kill_proxy(caf::execution_unit* unit, caf::error reason) override {
    has_ended_ = true;
    cleanup(std::move(reason), unit);
  }

 private:
  const std::shared_ptr<Link> link_;
  std::atomic<bool> has_ended_ = false;
};

Link::Link(const LinkSettings& settings, LinkStream& stream, OnOpening on_opening)
    : settings_(settings),
      on_opening_(std::move(on_opening)),
      inbox_(
          settings.allocator, settings.sizes.granted_bytes,
          [this](const MessageFrame& frame, ReceivedMessage message) {
            return on_message(frame, std::move(message));
          },
          [this](uint64_t transfer) { send(GrantFrame{transfer}); }),
      reader_(
          [this](Frame frame, FrameReader::Spans& body) {
            return on_frame(std::move(frame), body);
          },
          [this] { return inbox_.body_received(); }),
      stream_(&stream),
      outbox_(settings.sizes) {}

Link::~Link() = default;

// -- output

void Link::wake() {
  if (stream_ && !std::exchange(is_awake_, true)) stream_->wake();
}

/// More of a message can be written, or it has failed.
void Link::on_filled() {
  std::lock_guard lock(mutex_);
  wake();
}

void Link::send(const Frame& frame) {
  std::lock_guard lock(mutex_);
  if (!stream_) return;
  outbox_.add(frame);
  wake();
}

std::vector<WireSlice> Link::output() {
  std::lock_guard lock(mutex_);
  auto slices = outbox_.take(write_bytes_max);
  if (slices.empty()) is_awake_ = false;
  return slices;
}

bool Link::is_overfull() {
  std::lock_guard lock(mutex_);
  return outbox_.unwritten_bytes() > link_limits::unwritten_bytes_max;
}

void Link::close(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    if (!stream_) return;
    outbox_.add_last(CloseFrame{why});
    wake();
  }
  stream_->close();
}

bool Link::send(const Proxy& proxy, const caf::mailbox_element& element) {
  if (element.content().match_elements<DiscardStep>()) {
    LinkOutbox::Discarded discarded;  // released without the lock
    std::lock_guard lock(mutex_);
    discarded = outbox_.discard(order_of(proxy.id(), facts_of(element)));
    wake();
    return true;
  }
  auto message = write_message(settings_.system, *this, element.content());
  for (const auto& tensor : message.out_of_band)
    if (auto* filling = accelerator::FillingMemory::of(tensor))
      filling->on_change([weak = weak_from_this()] {
        if (auto link = weak.lock()) link->on_filled();
      });
  auto facts = facts_of(element);
  MessageFrame frame{
      .target = proxy.id(),
      .sender = number_of(element.sender),
      .id = element.mid.integer_value(),
      .in_part = facts.may_arrive_in_part};
  auto order = order_of(frame.target, facts);
  std::vector<caf::strong_actor_ptr> senders;  // one that ends now does so without the lock
  std::lock_guard lock(mutex_);
  if (!stream_) return false;
  if (element.mid.is_request() && element.sender) {
    requests_[{element.sender->id(), element.mid.response_id().integer_value()}] =
        caf::actor_cast<caf::weak_actor_ptr>(element.sender);
    if (requests_.size() > std::max(2 * requests_kept_, requests_kept_min)) {
      std::erase_if(requests_, [&](const auto& request) {
        return !senders.emplace_back(request.second.lock());
      });
      requests_kept_ = requests_.size();
    }
  }
  stream_->on_sent(facts);
  outbox_.add(std::move(frame), std::move(message), order);
  if (outbox_.unwritten_bytes() > link_limits::unwritten_bytes_max) stream_->wake();
  else wake();
  return true;
}

// -- input

Status Link::on_frame(Frame frame, FrameReader::Spans& body) {
  if (auto* message = std::get_if<MessageFrame>(&frame)) {
    if (!is_open_) return invalid_argument("a message before the link is open");
    return inbox_.message(std::move(*message), body);
  }
  if (const auto* piece = std::get_if<PieceFrame>(&frame)) return inbox_.piece(*piece, body);
  if (const auto* grant = std::get_if<GrantFrame>(&frame)) {
    std::lock_guard lock(mutex_);
    if (!outbox_.grant(grant->transfer)) return invalid_argument("a grant of nothing");
    wake();
    return {};
  }
  if (const auto* withdrawn = std::get_if<WithdrawnFrame>(&frame))
    return inbox_.withdrawn(withdrawn->transfer);
  if (const auto* memory = std::get_if<MemoryFrame>(&frame)) return on_memory(*memory);
  if (std::holds_alternative<MappedFrame>(frame)) return on_mapped();
  if (const auto* returned = std::get_if<ReturnedFrame>(&frame))
    return on_returned(returned->number);
  if (const auto* region = std::get_if<RegionFrame>(&frame)) return on_region(*region);
  if (const auto* opened = std::get_if<OpenedFrame>(&frame)) return on_opened(*opened);
  if (const auto* ended = std::get_if<EndedFrame>(&frame)) {
    on_ended(ended->actor);
    return {};
  }
  return on_opening_(*this, frame);
}

Status Link::on_message(const MessageFrame& frame, ReceivedMessage received) {
  // It may have ended while a message arrived: the connection is read until what it writes is out.
  if (!is_open_) return unavailable("the link has ended");
  auto content = read_message(settings_.system, *this, std::move(received));
  if (!content) return content.status();
  caf::message_id id{frame.id};
  auto lends_of_card =
      std::ranges::any_of(frame.lent, [](const LentTensor& lent) { return lent.region != 0; });
  if (lends_of_card && !content->match_elements<Deliver>())
    return invalid_argument("memory of a card in a message that is for no device");
  if (frame.in_part && !content->match_elements<Deliver>())
    return invalid_argument("a message in part that is for no device");
  if (!may_be_sent(id, *content)) return invalid_argument("a message that no node may send");
  auto sender = handle_of(frame.sender);
  caf::strong_actor_ptr target;
  {
    std::lock_guard lock(mutex_);
    if (auto found = exports_.find(frame.target); found != exports_.end()) target = found->second;
    if (id.is_response()) requests_.erase({frame.target, frame.id});
  }
  auto message = caf::make_mailbox_element(sender, id, {}, *std::move(content));
  stream_->on_received(*message);
  if (target) target->enqueue(std::move(message), settings_.unit);
  else if (id.is_request() && sender)
    fail_request(sender, id.response_id().integer_value(), nullptr);
  return {};
}

void Link::received(Descriptor descriptor) {
  if (descriptors_.size() < link_limits::descriptors_max)
    descriptors_.push_back(std::move(descriptor));
}

bool Link::lends_to(const caf::strong_actor_ptr& to, const Tensor& tensor) {
  auto* proxy = to ? dynamic_cast<const Proxy*>(to->get()) : nullptr;
  return proxy && proxy->lends(tensor);
}

void Link::on_ended(uint64_t actor) {
  caf::strong_actor_ptr proxy;
  {
    std::lock_guard lock(mutex_);
    if (auto found = proxies_.extract(actor)) proxy = std::move(found.mapped());
  }
  if (proxy)
    static_cast<Proxy*>(proxy->get())
        ->kill_proxy(settings_.unit, caf::exit_reason::remote_link_unreachable);
}

// -- handles

Status Link::open(const ProcessIdentity& node, uint64_t root_actor, uint64_t number) {
  auto id = to_node_id(node);
  if (!id) return id.status();
  peer_ = node;
  peer_id_ = *id;
  root_actor_ = root_actor;
  number_ = number;
  is_open_ = true;
  reader_.set_frame_bytes_max(link_limits::frame_bytes_max);
  if (stream_->passes_descriptors()) offer_memory();
  return {};
}

uint64_t Link::number_of(const caf::strong_actor_ptr& actor) {
  if (!actor || actor->node() != settings_.system.node()) return 0;
  {
    std::lock_guard lock(mutex_);
    if (!stream_ || !exports_.emplace(actor->id(), actor).second) return actor->id();
  }
  static_cast<caf::monitorable_actor*>(actor->get())
      ->attach_functor([weak = weak_from_this(), id = actor->id()](const caf::error&) {
        if (auto link = weak.lock()) link->export_ended(id);
      });
  return actor->id();
}

void Link::export_ended(caf::actor_id actor) {
  caf::strong_actor_ptr ended;  // released without the lock
  std::lock_guard lock(mutex_);
  if (auto found = exports_.extract(actor)) ended = std::move(found.mapped());
  if (!ended || !stream_) return;
  outbox_.add_after_transfers(EndedFrame{actor});
  wake();
}

caf::strong_actor_ptr Link::handle_of(uint64_t number) {
  if (number == 0) return nullptr;
  std::lock_guard lock(mutex_);
  if (!stream_ || proxies_.size() > proxies_max) return nullptr;
  auto& proxy = proxies_[number];
  if (!proxy) {
    caf::actor_config config;
    proxy = caf::make_actor<Proxy, caf::strong_actor_ptr>(
        number, peer_id_, &settings_.system, config, shared_from_this());
  }
  return proxy;
}

// -- end

void Link::release_input() {
  reader_.clear();
  inbox_.clear();
}

void Link::end(const Status& why) {
  decltype(proxies_) proxies;
  decltype(exports_) exports;
  decltype(requests_) requests;
  LinkOutbox outbox(settings_.sizes);
  LinkStream* stream;
  {
    std::lock_guard lock(mutex_);
    stream = std::exchange(stream_, nullptr);
    if (!stream) return;
    std::swap(proxies, proxies_);
    std::swap(exports, exports_);
    std::swap(requests, requests_);
    std::swap(outbox, outbox_);
  }
  is_open_ = false;
  if (auto lent = outbox.take_lent(); !lent.empty())
    stream->keep_lent(std::move(lent), std::move(lease_pipe_));
  auto error = link_ended(why);
  for (auto& [number, proxy] : proxies)
    static_cast<Proxy*>(proxy->get())->kill_proxy(settings_.unit, error);
  for (auto& [key, weak] : requests)
    if (auto sender = weak.lock()) fail_request(sender, key.second, settings_.unit, error);
}

}  // namespace troupe
