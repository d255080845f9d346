#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/actors/link/link.hpp"
#include "troupe/graph/cluster/address.hpp"

namespace troupe {

/// The connections, timers and randomness that a LinkSet uses. All on the thread of the links.
class LinkNetwork {
 public:
  using Dialed = std::function<void(const Status& status)>;

  virtual ~LinkNetwork() = default;
  /// Opens a connection to an address. Once it exists, makes a link for it by LinkSet::make_link()
  /// and passes that to `opened`; else calls `failed` with Unavailable.
  virtual void dial(
      const Address& address, std::function<void(std::shared_ptr<Link>)> opened, Dialed failed) = 0;
  virtual void after(std::chrono::milliseconds delay, std::function<void()> work) = 0;
  virtual uint64_t random() = 0;
  virtual void log(const std::string& line) = 0;
  /// Of this node's process; random bytes by default.
  virtual ProcessIdentity identity();
};

/// The links of a node, at most one to each other node.
///
/// The end that opens a connection says Hello; the other answers Welcome, or Refused where a link
/// exists; Confirm completes the link. Two nodes that connect to each other at once agree on one:
/// the node whose identity is greater, and that has welcomed a connection of the other, does not
/// confirm its own but waits for the other's.
///
/// A node that has lost a link which its peer still takes for alive is refused with the number of
/// that link, and says Hello again with the number as lost: the peer then ends it.
///
/// Used on one thread.
class LinkSet {
 public:
  static constexpr std::chrono::seconds opening_time{10};

  using Connected = std::function<void(Result<caf::strong_actor_ptr>)>;

  /// `root` may be null, of a node that only connects.
  LinkSet(
      const LinkSettings& settings, LinkNetwork& network, uint32_t protocol_version,
      caf::strong_actor_ptr root);
  ~LinkSet();

  /// Finds the root actor of the node that listens at an address. Calls back exactly once, within
  /// about the timeout; a refused connection is tried again until then. Unavailable names the
  /// address, the reason and for how long it was tried.
  void connect(const Address& address, std::chrono::milliseconds timeout, Connected done);

  /// Makes the link of a connection that was accepted or dialed. One that is not open after
  /// opening_time is closed.
  std::shared_ptr<Link> make_link(LinkStream& stream);
  /// The connection of a link has ended; `why` is logged if it is not Unavailable.
  void ended(Link& link, const Status& why);

  size_t size() const { return open_.size(); }
  size_t unopened() const { return links_.size() - open_.size(); }

 private:
  enum class Stage { new_link, greeted, waiting, welcomed, open };
  struct Entry {
    std::shared_ptr<Link> link;
    uint64_t place = 0;  // in the order in which they were made
    Stage stage = Stage::new_link;
    ProcessIdentity peer;  // from the first frame of the peer on
    uint64_t root = 0;     // of the peer
    uint64_t number = 0;   // chosen by the end that welcomed
  };
  struct Waiter {
    uint64_t number;
    Connected done;
  };
  /// Calls of connect() for the same address.
  struct Attempt {
    uint64_t number = 0;  // of its first waiter; tells the attempts at an address apart
    std::vector<Waiter> waiters;
    Link* link = nullptr;    // that is being opened
    ProcessIdentity peer;    // the node there, if another link with it is awaited
    uint64_t lost_link = 0;  // to be told to the peer
    std::string problem;     // of the last try
  };

  Status on_frame(Link& link, const Frame& frame);
  Status on_hello(Entry& entry, const HelloFrame& hello);
  Status on_welcome(Entry& entry, const WelcomeFrame& welcome);
  Status on_refused(Entry& entry, const RefusedFrame& refused);
  Status on_confirm(Entry& entry);
  void confirm(Entry& entry);
  Status open(Entry& entry);

  bool is_wanted(const Address& address, uint64_t number) const;
  void dial(const Address& address, uint64_t number);
  void dial_again(const Address& address, const std::string& problem);
  void time_out(const Address& address, uint64_t waiter, std::chrono::milliseconds timeout);
  void answer(const Address& address, const Result<caf::strong_actor_ptr>& answer);
  void answer_all_for(const ProcessIdentity& peer);
  const Address* attempt_of(const Link& link) const;
  Entry* find(const ProcessIdentity& peer, Stage stage);
  uint64_t root_id() const { return root_ ? root_->id() : 0; }

  const LinkSettings settings_;
  LinkNetwork& network_;
  const uint32_t protocol_version_;
  const caf::strong_actor_ptr root_;
  const ProcessIdentity me_;
  std::map<Link*, Entry> links_;
  uint64_t links_made_ = 0;
  std::map<ProcessIdentity, Link*> open_;
  std::map<Address, Attempt> attempts_;
  std::map<Address, ProcessIdentity> nodes_;  // that were reached at an address
  uint64_t last_waiter_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // timers and dials outlive this otherwise
};

}  // namespace troupe
