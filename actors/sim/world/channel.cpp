#include "troupe/actors/sim/world/channel.hpp"

#include "troupe/actors/node_messages.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe {
namespace {

// Greater than any real process id: CAF orders handles by node_id, and with the id of this process
// the order of maps would differ between runs.
constexpr uint32_t process_of_all_nodes = 0xFFFFFFFF;

caf::node_id id_of(SimulatedNode node) {
  caf::node_id::default_data::host_id_type host{};
  auto number = static_cast<uint64_t>(node) + 1;
  for (size_t i = 0; i < sizeof(number); ++i) host[i] = static_cast<uint8_t>(number >> (8 * i));
  return caf::make_node_id(process_of_all_nodes, host);
}

}  // namespace

class Channel::Proxy final : public caf::actor_proxy {
 public:
  Proxy(caf::actor_config& config, Channel& channel, caf::strong_actor_ptr target)
      : caf::actor_proxy(config),
        channel_(&channel),
        connection_(channel.connection_),
        target_(std::move(target)) {}

  const caf::strong_actor_ptr& target() const { return target_; }
  uint64_t connection() const { return connection_; }

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit*) override {
    if (!channel_) return;
    if (target_) channel_->send(*this, std::move(element));
    else bounce(element);
  }

  void kill_proxy(caf::execution_unit* unit, caf::error reason) override {
    target_ = nullptr;
    cleanup(std::move(reason), unit);
  }

  /// Sends nothing any more. Handles of the proxy may outlive its node and the simulation.
  void disable() {
    channel_ = nullptr;
    target_ = nullptr;
  }

  void target_ended(const caf::error& reason) {
    if (channel_ && target_) channel_->target_ended(*this, reason);
  }

 private:
  Channel* channel_;
  uint64_t connection_;
  caf::strong_actor_ptr target_;
};

Channel::Channel(NetworkState& network, SimulatedNode from, SimulatedNode to)
    : network_(network), from_(from), to_(to), id_of_to_(id_of(to)) {}

Channel::~Channel() { disable_proxies(); }

// -- proxies

caf::strong_actor_ptr Channel::proxy_of(const caf::strong_actor_ptr& actor) {
  if (!actor) return nullptr;
  auto& proxy = proxies_[actor->id()];
  if (proxy) return proxy;
  caf::actor_config config;
  proxy = caf::make_actor<Proxy, caf::strong_actor_ptr>(
      actor->id(), id_of_to_, &network_.system, config, *this, actor);
  auto* target = static_cast<caf::monitorable_actor*>(actor->get());
  target->attach_functor([weak = caf::weak_actor_ptr(proxy.get())](const caf::error& reason) {
    if (auto held = weak.lock()) static_cast<Proxy*>(held->get())->target_ended(reason);
  });
  return proxy;
}

/// The end of an actor is known to `from` only after the network delay, like its messages.
void Channel::target_ended(const Proxy& proxy, const caf::error& reason) {
  if (proxy.connection() != connection_) return;
  reverse_->send_notice([this, id = proxy.id(), connection = connection_, reason] {
    if (connection != connection_) return;
    auto ended = proxies_.extract(id);
    if (ended) end(std::move(ended.mapped()), reason);
  });
}

void Channel::end(caf::strong_actor_ptr proxy, caf::error reason) {
  static_cast<Proxy*>(proxy->get())->kill_proxy(network_.unit, std::move(reason));
}

void Channel::end_lost_proxies() {
  for (auto& proxy : std::exchange(lost_proxies_, {}))
    end(std::move(proxy), caf::exit_reason::remote_link_unreachable);
}

void Channel::disable_proxies() {
  for (auto& [id, proxy] : proxies_) lost_proxies_.push_back(proxy);
  proxies_.clear();
  for (auto& proxy : std::exchange(lost_proxies_, {})) static_cast<Proxy*>(proxy->get())->disable();
}

void Channel::disconnect() {
  ++connection_;
  for (const auto& message : std::exchange(held_, {})) lose(message);
  for (const auto& message : std::exchange(in_flight_, {})) lose(message);
  sent_until_ = last_arrival_ = network_.events.now();
  for (auto& [id, proxy] : proxies_) lost_proxies_.push_back(proxy);
  proxies_.clear();
}

// -- messages

void Channel::send(const Proxy& proxy, caf::mailbox_element_ptr element) {
  MessageInFlight message{
      .sent = network_.events.now(),
      .facts = facts_of(*element),
      .target = proxy.target(),
      .element = std::move(element),
      .notice = {}};
  if (proxy.connection() != connection_) return lose(message);
  auto share = network_.options.duplicates;
  if (share > 0 && message.facts.is_of_step &&
      static_cast<double>(network_.random() >> 11) * 0x1p-53 < share)
    send_duplicate_later(message.facts, message.target, *message.element);
  enqueue(std::move(message));
}

void Channel::send_duplicate_later(
    const MessageFacts& facts, const caf::strong_actor_ptr& target,
    const caf::mailbox_element& element) {
  network_.events.after(
      network_.draw_latency(),
      [this, facts, target, connection = connection_, sender = element.sender, id = element.mid,
       content = element.copy_content_to_message()] {
        if (connection != connection_) return;
        enqueue(
            {.sent = network_.events.now(),
             .facts = facts,
             .target = target,
             .element = caf::make_mailbox_element(sender, id, {}, content),
             .notice = {}});
      });
}

void Channel::send_notice(EventHeap::Work notice) {
  enqueue(
      {.sent = network_.events.now(),
       .facts = {},
       .target = nullptr,
       .element = nullptr,
       .notice = std::move(notice)});
}

void Channel::enqueue(MessageInFlight message) {
  sent_until_ = std::max(sent_until_, message.sent);
  if (auto rate = network_.options.bytes_per_second; rate > 0)
    sent_until_ += EventHeap::Time(
        static_cast<int64_t>(1e9 * static_cast<double>(message.facts.bytes) / rate));
  last_arrival_ = std::max(sent_until_ + network_.draw_latency(), last_arrival_);  // SM-1
  in_flight_.push_back(std::move(message));
  network_.events.at(last_arrival_, [this, connection = connection_] { arrive(connection); });
}

void Channel::arrive(uint64_t connection) {
  if (connection != connection_) return;
  auto message = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (is_cut_) held_.push_back(std::move(message));
  else deliver(message);
}

void Channel::heal() {
  is_cut_ = false;
  for (auto& message : std::exchange(held_, {})) deliver(message);
}

void Channel::deliver(MessageInFlight& message) {
  if (!message.element) return message.notice();
  log(message, /*lost=*/false);
  message.element->sender = reverse_->proxy_of(message.element->sender);
  translate_handles(message);
  message.target->enqueue(std::move(message.element), network_.unit);
}

/// Replaces the handles inside a message by proxies at the receiver, as CAF does when it
/// deserializes a handle. TaskDescription is the only content with handles.
void Channel::translate_handles(MessageInFlight& message) {
  auto& content = message.element->content();
  if (!message.facts.is_reply || !content.match_elements<Status, TaskDescription>()) return;
  auto task = content.get_as<TaskDescription>(1);
  for (auto& device : task.devices) device.actor = reverse_->proxy_of(device.actor);
  message.element = caf::make_mailbox_element(
      message.element->sender, message.element->mid, {},
      caf::make_message(content.get_as<Status>(0), std::move(task)));
}

void Channel::lose(const MessageInFlight& message) {
  if (message.element) log(message, /*lost=*/true);
}

void Channel::log(const MessageInFlight& message, bool lost) {
  network_.log.add(
      {.sent = message.sent,
       .arrived = network_.events.now(),
       .from = from_,
       .to = to_,
       .lost = lost,
       .facts = message.facts});
}

}  // namespace troupe
