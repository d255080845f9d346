#pragma once

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "troupe/actors/link/link_set.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/devices/cpu/pool_allocator.hpp"

namespace troupe::testing {

using namespace std::chrono_literals;

struct LinkConfig : caf::actor_system_config {
  LinkConfig() {
    add_message_types<caf::id_block::troupe>();
    set("scheduler.policy", caf::atom("testing"));
  }
};

/// Nodes whose links run over byte streams in memory: one step at a time, drawn from a seed, each
/// of a few bytes or many.
class LinkedNodes {
 public:
  class Node;

  explicit LinkedNodes(uint64_t seed = 1) : random(seed) {}

  /// Adds a node, which is reached at the address {"node", its index}.
  Node& add(uint32_t version = protocol_version);
  Node& operator[](size_t index) { return *nodes_[index]; }
  static Address address_of(size_t index) { return {"node", static_cast<int>(index) + 1}; }

  /// Runs actors and moves bytes until nothing is left to do, or `stop` returns true.
  void run(const std::function<bool()>& stop = [] { return false; });
  /// Lets timers expire that are due within the time.
  void pass(std::chrono::milliseconds time);
  /// Ends all connections at once: both ends notice, or only one.
  void cut(bool only_first_end_notices = false);
  /// Sends random bytes from the first end of a connection to the other.
  void send_garbage(size_t connection);
  /// Sends those bytes there.
  void inject(size_t connection, const void* data, size_t size);
  size_t open_ends() const;

  std::mt19937_64 random;
  size_t chunk_max = 100'000;
  uint64_t bytes_moved = 0;
  bool lends_memory = false;  // of connections that are opened from then on
  struct Kept {
    LentMemory lent;
    Descriptor use;
  };
  std::vector<Kept> kept;  // what was lent when links ended
  /// Forgets what is not used any more.
  void release_unused();

 private:
  friend class Node;
  /// One end of a connection.
  struct End final : LinkStream {
    void wake() override { is_woken = true; }
    void close() override { is_closing = true; }
    bool passes_descriptors() const override { return lends; }
    void keep_lent(LentMemory lent, Descriptor use) override;

    LinkedNodes* nodes = nullptr;
    Node* node = nullptr;
    std::shared_ptr<Link> link;
    End* other = nullptr;                             // null: it has ended
    std::deque<std::byte> sent;                       // on the way to the other end
    std::multimap<uint64_t, Descriptor> descriptors;  // by the bytes sent before
    uint64_t moved = 0;
    bool lends = false;
    bool is_woken = false;  // and not without output since
    bool is_closing = false;
    bool has_ended = false;
  };
  struct Timer {
    std::chrono::milliseconds due;
    std::function<void()> work;
  };

  bool run_one();
  bool move_bytes(End& end);
  void end(End& end, const Status& why);

  std::vector<std::unique_ptr<End>> ends_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::function<void()>> events_;  // run in any order
  std::vector<Timer> timers_;
  std::chrono::milliseconds now_{0};
};

class LinkedNodes::Node final : public LinkNetwork {
 public:
  Node(LinkedNodes& nodes, uint32_t version)
      : nodes_(nodes),
        root(system.spawn([this](caf::event_based_actor* self) -> caf::behavior {
          return {
              [this, self](const Ping& ping) {
                pings.push_back(ping.hello.from_job);
                sender = caf::actor_cast<caf::strong_actor_ptr>(self->current_sender());
                return Status();
              },
              [this](Deliver& message) { delivered.push_back(std::move(message)); },
              [this](const CancelStep& message) { cancelled.push_back(message.step.number); },
              [this](const ListStepWaits& message) { explained.push_back(message.step.number); }};
        })),
        links(
            {.system = system,
             .unit = nullptr,
             .allocator = memory,
             .open_region = [this](const auto& name) { return open_region(name); },
             .log = [this](const std::string& line) { noted.push_back(line); }},
            *this, version, caf::actor_cast<caf::strong_actor_ptr>(root)) {}
  ~Node() override {
    caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
    scheduler().run();
  }

  caf::scheduler::test_coordinator& scheduler() {
    return static_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  }
  /// Connects to another node; the result is in `connected` when it is there.
  void connect(size_t index, std::chrono::milliseconds timeout = 1000ms) {
    links.connect(address_of(index), timeout, [this](Result<caf::strong_actor_ptr> root) {
      connected.push_back(std::move(root));
    });
  }
  caf::actor peer() const {
    BOOST_REQUIRE(!connected.empty());
    BOOST_REQUIRE_MESSAGE(connected.back().ok(), connected.back().status().to_string());
    return caf::actor_cast<caf::actor>(*connected.back());
  }

  void dial(
      const Address& address, std::function<void(std::shared_ptr<Link>)> opened,
      Dialed failed) override;
  void after(std::chrono::milliseconds delay, std::function<void()> work) override {
    nodes_.timers_.push_back({nodes_.now_ + delay, std::move(work)});
  }
  uint64_t random() override { return nodes_.random(); }
  void log(const std::string& line) override { logged.push_back(line); }

 private:
  LinkedNodes& nodes_;
  LinkConfig config_;

 public:
  caf::actor_system system{config_};
  cpu::PoolAllocator memory{uint64_t{1} << 34, /*shares=*/true};  // of tensors that arrive
  std::vector<std::string> pings;
  std::vector<Deliver> delivered;
  std::vector<uint64_t> cancelled;
  std::vector<uint64_t> explained;
  caf::strong_actor_ptr sender;  // of the last ping
  caf::actor root;
  std::vector<Result<caf::strong_actor_ptr>> connected;
  std::vector<std::string> logged;
  accelerator::OpenRegion open_region;  // where cards are shared
  std::vector<std::string> noted;       // by links
  LinkSet links;
};

/// Two nodes, of which the first has connected to the second.
struct TwoNodes : LinkedNodes {
  explicit TwoNodes(uint64_t seed = 1, bool lend_memory = false) : LinkedNodes(seed) {
    lends_memory = lend_memory;
    a.connect(1);
    run();
  }
  Node& a = add();
  Node& b = add();

  /// A message with so many bytes, each the number of the edge.
  static Deliver bytes(
      uint64_t step, EdgeId edge, int64_t count, Allocator& allocator = heap_allocator()) {
    auto tensor = *Tensor::allocate(DType::uint8, Shape({count}), allocator);
    std::memset(tensor.mutable_raw(), static_cast<int>(edge), tensor.bytes());
    return {.step = {1, step}, .edges = {{edge}}, .tensors = {tensor}};
  }
  static bool is_intact(const Deliver& message) {
    const auto values = message.tensors.at(0).values<uint8_t>();
    return std::ranges::all_of(
        values, [&](uint8_t value) { return value == message.edges.at(0).edge % 256; });
  }
  void send(const Deliver& message) { caf::anon_send(a.peer(), message); }
  std::vector<EdgeId> delivered_edges() const {
    std::vector<EdgeId> edges;
    for (const auto& message : b.delivered) edges.push_back(message.edges.at(0).edge);
    return edges;
  }
};

}  // namespace troupe::testing
