#include "troupe/actors/link/link_set.hpp"

#include <algorithm>
#include <utility>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

constexpr std::chrono::milliseconds retry_delay{100};

Status out_of_order() { return invalid_argument("a frame that is out of order"); }

}  // namespace

ProcessIdentity LinkNetwork::identity() {
  ProcessIdentity node;
  while (node.size() < process_identity_bytes) {
    auto bytes = random();
    node.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  }
  return node;
}

LinkSet::LinkSet(
    const LinkSettings& settings, LinkNetwork& network, uint32_t protocol_version,
    caf::strong_actor_ptr root)
    : settings_(settings),
      network_(network),
      protocol_version_(protocol_version),
      root_(std::move(root)),
      me_(network.identity()) {}

LinkSet::~LinkSet() {
  for (auto& [address, attempt] : attempts_)
    for (auto& waiter : attempt.waiters) waiter.done(cancelled("the node is stopping"));
  std::map<uint64_t, std::shared_ptr<Link>> links;  // in the same order whenever a seed is repeated
  for (auto& [link, entry] : links_) links.emplace(entry.place, entry.link);
  for (auto& [place, link] : links) link->end(cancelled("the node is stopping"));
}

std::shared_ptr<Link> LinkSet::make_link(LinkStream& stream) {
  auto link = std::make_shared<Link>(
      settings_, stream, [this](Link& link, const Frame& frame) { return on_frame(link, frame); });
  links_.emplace(link.get(), Entry{.link = link, .place = ++links_made_});
  network_.after(opening_time, [weak = std::weak_ptr(link)] {
    if (auto link = weak.lock(); link && !link->is_open()) link->close("it was not opened in time");
  });
  return link;
}

// -- connecting

void LinkSet::connect(const Address& address, std::chrono::milliseconds timeout, Connected done) {
  if (auto node = nodes_.find(address); node != nodes_.end())
    if (auto link = open_.find(node->second); link != open_.end())
      return done(link->second->root());
  auto& attempt = attempts_[address];
  auto waiter = ++last_waiter_;
  attempt.waiters.push_back({waiter, std::move(done)});
  network_.after(timeout, [this, alive = std::weak_ptr(alive_), address, waiter, timeout] {
    if (!alive.expired()) time_out(address, waiter, timeout);
  });
  if (attempt.waiters.size() > 1) return;
  attempt.number = waiter;
  dial(address, attempt.number);
}

void LinkSet::time_out(const Address& address, uint64_t waiter, std::chrono::milliseconds timeout) {
  auto attempt = attempts_.find(address);
  if (attempt == attempts_.end()) return;
  auto& waiters = attempt->second.waiters;
  auto found = std::ranges::find(waiters, waiter, &Waiter::number);
  if (found == waiters.end()) return;
  auto done = std::move(found->done);
  waiters.erase(found);
  auto problem = attempt->second.problem;
  if (waiters.empty()) {
    auto* link = attempt->second.link;
    attempts_.erase(attempt);
    if (link) link->close("the time to connect is over");
  }
  done(unavailable(
      "no node answers at " + address.to_string() + (problem.empty() ? "" : ": " + problem) +
      " (tried for " + seconds_text(timeout) + ")"));
}

bool LinkSet::is_wanted(const Address& address, uint64_t number) const {
  auto attempt = attempts_.find(address);
  return attempt != attempts_.end() && attempt->second.number == number;
}

void LinkSet::dial(const Address& address, uint64_t number) {
  network_.dial(
      address,
      [this, alive = std::weak_ptr(alive_), address, number](const std::shared_ptr<Link>& link) {
        if (alive.expired()) return;
        auto attempt = attempts_.find(address);
        if (!is_wanted(address, number)) return link->close("nobody waits for this connection");
        attempt->second.link = link.get();
        links_[link.get()].stage = Stage::greeted;
        link->send(HelloFrame{
            .version = protocol_version_,
            .node = me_,
            .root_actor = root_id(),
            .lost_link = attempt->second.lost_link});
      },
      [this, alive = std::weak_ptr(alive_), address, number](const Status& status) {
        if (!alive.expired() && is_wanted(address, number)) dial_again(address, status.message());
      });
}

void LinkSet::dial_again(const Address& address, const std::string& problem) {
  auto attempt = attempts_.find(address);
  if (attempt == attempts_.end()) return;
  attempt->second.link = nullptr;
  attempt->second.peer.clear();
  attempt->second.problem = problem;
  network_.after(
      retry_delay, [this, alive = std::weak_ptr(alive_), address, number = attempt->second.number] {
        if (!alive.expired() && is_wanted(address, number)) dial(address, number);
      });
}

void LinkSet::answer(const Address& address, const Result<caf::strong_actor_ptr>& answer) {
  auto attempt = attempts_.extract(address);
  if (!attempt) return;
  for (auto& waiter : attempt.mapped().waiters) waiter.done(answer);
}

/// Answers those who wait for another link with that node than the one they asked for.
void LinkSet::answer_all_for(const ProcessIdentity& peer) {
  auto link = open_.find(peer);
  if (link == open_.end()) return;
  std::vector<Address> addresses;
  for (const auto& [address, attempt] : attempts_)
    if (attempt.peer == peer) addresses.push_back(address);
  for (const auto& address : addresses) {
    nodes_[address] = peer;
    if (auto* own = attempts_[address].link; own && own != link->second)
      own->close("another link exists");
    answer(address, link->second->root());
  }
}

const Address* LinkSet::attempt_of(const Link& link) const {
  auto found = std::ranges::find_if(
      attempts_, [&](const auto& attempt) { return attempt.second.link == &link; });
  return found == attempts_.end() ? nullptr : &found->first;
}

LinkSet::Entry* LinkSet::find(const ProcessIdentity& peer, Stage stage) {
  Entry* first = nullptr;
  for (auto& [link, entry] : links_)
    if (entry.peer == peer && entry.stage == stage && (!first || entry.place < first->place))
      first = &entry;
  return first;
}

// -- opening

Status LinkSet::on_frame(Link& link, const Frame& frame) {
  auto found = links_.find(&link);
  if (found == links_.end()) return out_of_order();
  auto& entry = found->second;
  if (const auto* hello = std::get_if<HelloFrame>(&frame)) return on_hello(entry, *hello);
  if (const auto* welcome = std::get_if<WelcomeFrame>(&frame)) return on_welcome(entry, *welcome);
  if (const auto* refused = std::get_if<RefusedFrame>(&frame)) return on_refused(entry, *refused);
  if (std::holds_alternative<ConfirmFrame>(frame)) return on_confirm(entry);
  if (const auto* close = std::get_if<CloseFrame>(&frame)) {
    if (link.is_open()) network_.log("a peer has closed the link: " + close->why);
    return unavailable("the peer closed the link: " + close->why);
  }
  return out_of_order();
}

Status LinkSet::on_hello(Entry& entry, const HelloFrame& hello) {
  if (entry.stage != Stage::new_link) return out_of_order();
  if (hello.version != protocol_version_) {
    entry.link->send(RefusedFrame{
        .node = me_,
        .status = failed_precondition(
            "the node speaks version " + std::to_string(protocol_version_) +
            " of the protocol between nodes, the caller " + std::to_string(hello.version))});
    return {};
  }
  if (hello.node == me_) {
    entry.link->send(RefusedFrame{
        .node = me_, .status = failed_precondition("this is the address of the caller itself")});
    return {};
  }
  if (auto existing = open_.find(hello.node); existing != open_.end()) {
    auto& other = *existing->second;
    if (hello.lost_link != other.number()) {
      entry.link->send(RefusedFrame{.node = me_, .status = {}, .link = other.number()});
      return {};
    }
    other.close("the peer has lost the link");
    ended(other, unavailable("the peer has lost the link"));
  }
  entry.stage = Stage::welcomed;
  entry.peer = hello.node;
  entry.root = hello.root_actor;
  entry.number = network_.random() | 1;
  entry.link->send(WelcomeFrame{.node = me_, .root_actor = root_id(), .link = entry.number});
  return {};
}

Status LinkSet::on_welcome(Entry& entry, const WelcomeFrame& welcome) {
  const auto* address = attempt_of(*entry.link);
  if (entry.stage != Stage::greeted || !address) return out_of_order();
  entry.peer = welcome.node;
  entry.root = welcome.root_actor;
  entry.number = welcome.link;
  attempts_[*address].peer = welcome.node;
  if (open_.contains(welcome.node)) {
    answer_all_for(welcome.node);
  } else if (me_ > welcome.node && find(welcome.node, Stage::welcomed)) {
    entry.stage = Stage::waiting;
  } else {
    confirm(entry);
  }
  return {};
}

Status LinkSet::on_refused(Entry& entry, const RefusedFrame& refused) {
  const auto* found = attempt_of(*entry.link);
  if (entry.stage != Stage::greeted || !found) return out_of_order();
  auto address = *found;
  auto& attempt = attempts_[address];
  attempt.link = nullptr;
  if (!refused.status.ok()) {
    answer(
        address,
        Status(refused.status.code(), address.to_string() + ": " + refused.status.message()));
  } else if (open_.contains(refused.node)) {
    attempt.peer = refused.node;
    answer_all_for(refused.node);
  } else if (find(refused.node, Stage::welcomed)) {
    attempt.peer = refused.node;  // its confirmation is on the way
  } else if (attempt.lost_link != refused.link) {
    attempt.lost_link = refused.link;
    dial(address, attempt.number);
  } else {
    dial_again(address, "the node takes a lost link for alive");
  }
  entry.link->close("refused");
  return {};
}

Status LinkSet::on_confirm(Entry& entry) {
  if (entry.stage != Stage::welcomed) return out_of_order();
  if (open_.contains(entry.peer)) return out_of_order();
  return open(entry);
}

void LinkSet::confirm(Entry& entry) {
  entry.link->send(ConfirmFrame());
  if (auto status = open(entry); !status.ok()) entry.link->close(status.message());
}

Status LinkSet::open(Entry& entry) {
  auto status = entry.link->open(entry.peer, entry.root, entry.number);
  if (!status.ok()) return status;
  entry.link->number_of(root_);
  entry.stage = Stage::open;
  open_[entry.peer] = entry.link.get();
  answer_all_for(entry.peer);
  return {};
}

// -- ending

void LinkSet::ended(Link& link, const Status& why) {
  auto extracted = links_.extract(&link);
  if (!extracted) return;
  auto entry = std::move(extracted.mapped());
  if (why.code() != Code::unavailable) network_.log("a link has ended: " + why.message());
  if (auto found = open_.find(entry.peer); found != open_.end() && found->second == &link)
    open_.erase(found);
  if (const auto* address = attempt_of(link)) dial_again(Address(*address), why.message());
  // Those who waited for this link to be confirmed by the peer go on without it.
  if (entry.stage == Stage::welcomed) {
    if (auto* own = find(entry.peer, Stage::waiting)) confirm(*own);
    else
      for (auto& [address, attempt] : attempts_)
        if (attempt.peer == entry.peer && !attempt.link) {
          dial_again(Address(address), why.message());
          break;
        }
  }
  link.end(why);
}

}  // namespace troupe
