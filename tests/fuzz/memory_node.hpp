#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "troupe/actors/link/link_set.hpp"
#include "troupe/actors/node_messages.hpp"

namespace troupe::testing {

/// A node with one link at a time, whose connection is memory. Its root actor drops all messages.
class MemoryNode final : private LinkNetwork, private LinkStream {
 public:
  /// Its identity follows from the seed.
  explicit MemoryNode(uint64_t seed) : random_(seed << 32) {}

  /// Connects to the node at the other end.
  void connect() {
    links_.connect({"node", 1}, std::chrono::seconds(1), [this](auto root) {
      if (root) peer = caf::actor_cast<caf::actor>(*root);
    });
  }
  /// Takes the place of a node that was connected to.
  void accept() { link_ = links_.make_link(*this); }

  std::string output() {
    std::string bytes;
    for (auto slices = link_->output(); !slices.empty(); slices = link_->output())
      for (const auto& slice : slices)
        bytes.append(static_cast<const char*>(slice.data), slice.size);
    return bytes;
  }
  /// What a link says that is not to go on.
  Status receive(std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
      auto space = link_->space();
      auto size = std::min(space.size(), bytes.size());
      std::memcpy(space.data(), bytes.data(), size);
      bytes = bytes.subspan(size);
      if (auto status = link_->received(size); !status.ok()) return status;
      scheduler().run();
    }
    return {};
  }
  /// Ends the link.
  void end() {
    links_.ended(*link_, unavailable("the peer closed the connection"));
    link_->release_input();
    link_ = nullptr;
    scheduler().run();
  }

  caf::actor peer;  // its root, once this node has connected

 private:
  struct Config : caf::actor_system_config {
    Config() {
      add_message_types<caf::id_block::troupe>();
      set("scheduler.policy", caf::atom("testing"));
    }
  };

  caf::scheduler::test_coordinator& scheduler() {
    return static_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  void dial(const Address&, std::function<void(std::shared_ptr<Link>)> opened, Dialed) override {
    link_ = links_.make_link(*this);
    opened(link_);
  }
  void after(std::chrono::milliseconds, std::function<void()>) override {}
  uint64_t random() override { return ++random_; }
  void log(const std::string&) override {}
  void wake() override {}
  void close() override {}

  uint64_t random_;
  Config config_;
  caf::actor_system system_{config_};
  caf::actor root_ = system_.spawn([](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    return {[](caf::unit_t) {}};
  });
  /// Small ones, so that the recorded messages have grants and pieces.
  LinkSet links_{
      {.system = system_,
       .unit = nullptr,
       .allocator = heap_allocator(),
       .sizes =
           {.inline_bytes = 2000,
            .piece_bytes = 700,
            .granted_bytes = 10'000,
            .in_part_bytes_min = 4000}},
      *this,
      protocol_version,
      caf::actor_cast<caf::strong_actor_ptr>(root_)};
  std::shared_ptr<Link> link_;
};

}  // namespace troupe::testing
