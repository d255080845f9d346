#include "troupe/actors/world/way.hpp"

#include "troupe/actors/messages.hpp"
#include "troupe/graph/check.hpp"

namespace troupe {
namespace {

/// Greater than that of any real process, so that maps have one order whatever this process is.
constexpr uint32_t process_of_all_nodes = 0xFFFFFFFF;

caf::node_id id_of(SimulatedNode node) {
  caf::node_id::default_data::host_id_type host{};
  auto number = static_cast<uint64_t>(node) + 1;
  for (size_t i = 0; i < sizeof(number); ++i) host[i] = static_cast<uint8_t>(number >> (8 * i));
  return caf::make_node_id(process_of_all_nodes, host);
}

}  // namespace

class Way::Link final : public caf::actor_proxy {
 public:
  Link(caf::actor_config& config, Way& way, caf::strong_actor_ptr target)
      : caf::actor_proxy(config),
        way_(&way),
        connection_(way.connection_),
        target_(std::move(target)) {}

  const caf::strong_actor_ptr& target() const { return target_; }
  uint64_t connection() const { return connection_; }

  void enqueue(caf::mailbox_element_ptr message, caf::execution_unit*) override {
    if (!way_) return;
    if (target_) way_->send(*this, std::move(message));
    else bounce(message);
  }

  void kill_proxy(caf::execution_unit* unit, caf::error reason) override {
    target_ = nullptr;
    cleanup(std::move(reason), unit);
  }

  /// For what happens after the end of its node, or of the simulation.
  void sever() {
    way_ = nullptr;
    target_ = nullptr;
  }

  void target_ended(const caf::error& reason) {
    if (way_ && target_) way_->target_ended(*this, reason);
  }

 private:
  Way* way_;
  uint64_t connection_;
  caf::strong_actor_ptr target_;
};

Way::Way(Medium& medium, SimulatedNode from, SimulatedNode to)
    : medium_(medium), from_(from), to_(to), id_of_to_(id_of(to)) {}

Way::~Way() { sever_links(); }

// -- links

caf::strong_actor_ptr Way::link_to(const caf::strong_actor_ptr& actor) {
  if (!actor) return nullptr;
  auto& link = links_[actor->id()];
  if (link) return link;
  caf::actor_config config;
  link = caf::make_actor<Link, caf::strong_actor_ptr>(
      actor->id(), id_of_to_, &medium_.system, config, *this, actor);
  auto* target = static_cast<caf::monitorable_actor*>(actor->get());
  target->attach_functor([weak = caf::weak_actor_ptr(link.get())](const caf::error& reason) {
    if (auto held = weak.lock()) static_cast<Link*>(held->get())->target_ended(reason);
  });
  return link;
}

void Way::target_ended(const Link& link, const caf::error& reason) {
  if (link.connection() != connection_) return;
  back_->send_notice([this, id = link.id(), connection = connection_, reason] {
    if (connection != connection_) return;
    auto ended = links_.extract(id);
    if (ended) end(std::move(ended.mapped()), reason);
  });
}

void Way::end(caf::strong_actor_ptr link, caf::error reason) {
  static_cast<Link*>(link->get())->kill_proxy(medium_.unit, std::move(reason));
}

void Way::end_lost_links() {
  for (auto& link : std::exchange(lost_links_, {}))
    end(std::move(link), caf::exit_reason::remote_link_unreachable);
}

void Way::sever_links() {
  for (auto& [id, link] : links_) lost_links_.push_back(link);
  links_.clear();
  for (auto& link : std::exchange(lost_links_, {})) static_cast<Link*>(link->get())->sever();
}

void Way::disconnect() {
  ++connection_;
  for (const auto& parcel : std::exchange(held_, {})) lose(parcel);
  for (const auto& parcel : std::exchange(under_way_, {})) lose(parcel);
  sent_at_ = last_arrival_ = medium_.events.now();
  for (auto& [id, link] : links_) lost_links_.push_back(link);
  links_.clear();
}

// -- parcels

void Way::send(const Link& link, caf::mailbox_element_ptr message) {
  Parcel parcel{
      .sent = medium_.events.now(),
      .facts = facts_of(*message),
      .target = link.target(),
      .message = std::move(message),
      .notice = {}};
  if (link.connection() != connection_) return lose(parcel);
  auto share = medium_.options.duplicates;
  if (share > 0 && parcel.facts.is_of_step &&
      static_cast<double>(medium_.random() >> 11) * 0x1p-53 < share)
    send_again_later(parcel.facts, parcel.target, *parcel.message);
  put_under_way(std::move(parcel));
}

void Way::send_again_later(
    const MessageFacts& facts, const caf::strong_actor_ptr& target,
    const caf::mailbox_element& message) {
  medium_.events.after(
      medium_.draw_latency(),
      [this, facts, target, connection = connection_, sender = message.sender, id = message.mid,
       content = message.copy_content_to_message()] {
        if (connection != connection_) return;
        put_under_way(
            {.sent = medium_.events.now(),
             .facts = facts,
             .target = target,
             .message = caf::make_mailbox_element(sender, id, {}, content),
             .notice = {}});
      });
}

void Way::send_notice(EventHeap::Work notice) {
  put_under_way(
      {.sent = medium_.events.now(),
       .facts = {},
       .target = nullptr,
       .message = nullptr,
       .notice = std::move(notice)});
}

void Way::put_under_way(Parcel parcel) {
  sent_at_ = std::max(sent_at_, parcel.sent);
  if (auto rate = medium_.options.bytes_per_second; rate > 0)
    sent_at_ +=
        EventHeap::Time(static_cast<int64_t>(1e9 * static_cast<double>(parcel.facts.bytes) / rate));
  last_arrival_ = std::max(sent_at_ + medium_.draw_latency(), last_arrival_);  // SM-1
  under_way_.push_back(std::move(parcel));
  medium_.events.at(last_arrival_, [this, connection = connection_] { arrive(connection); });
}

void Way::arrive(uint64_t connection) {
  if (connection != connection_) return;
  auto parcel = std::move(under_way_.front());
  under_way_.pop_front();
  if (is_cut_) held_.push_back(std::move(parcel));
  else deliver(parcel);
}

void Way::heal() {
  is_cut_ = false;
  for (auto& parcel : std::exchange(held_, {})) deliver(parcel);
}

void Way::deliver(Parcel& parcel) {
  if (!parcel.message) return parcel.notice();
  note(parcel, /*lost=*/false);
  parcel.message->sender = back_->link_to(parcel.message->sender);
  translate(parcel);
  parcel.target->enqueue(std::move(parcel.message), medium_.unit);
}

/// Handles inside a message must be links where it arrives; one type of message has any.
void Way::translate(Parcel& parcel) {
  auto& content = parcel.message->content();
  if (!parcel.facts.is_reply || !content.match_elements<Status, TaskDescription>()) return;
  auto task = content.get_as<TaskDescription>(1);
  for (auto& device : task.devices) device.actor = back_->link_to(device.actor);
  parcel.message = caf::make_mailbox_element(
      parcel.message->sender, parcel.message->mid, {},
      caf::make_message(content.get_as<Status>(0), std::move(task)));
}

void Way::lose(const Parcel& parcel) {
  if (parcel.message) note(parcel, /*lost=*/true);
}

void Way::note(const Parcel& parcel, bool lost) {
  medium_.log.add(
      {.sent = parcel.sent,
       .arrived = medium_.events.now(),
       .from = from_,
       .to = to_,
       .lost = lost,
       .facts = parcel.facts});
}

}  // namespace troupe
