#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "troupe/devices/accelerator/capture_arena.hpp"
#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::accelerator {

/// How a device keeps the work of pieces of plans, to do it again without a launch for each node.
struct GraphOptions {
  bool are_kept = true;
  /// Of so many launches at least: a piece of fewer gains too little.
  int launches_min = 8;
  size_t count_max = 64;
  /// Of the card's memory for all that is kept, which is given up where tensors need it; a quarter
  /// of it for one. 0: a half of what the device may have.
  uint64_t bytes_max = 0;
  /// Told why a piece is run node by node.
  std::function<void(const std::string&)> log = {};
};

/// A piece of a plan for inputs of certain shapes: its captured work, once there is some.
///
/// CG-1: its memory is that of one replay at a time. The copies into it, the work, and the copies
///       out of it are put on the compute lane under the mutex, so that those of two steps follow
///       one another there.
struct CapturedGraph {
  /// What leaves the piece.
  struct Result {
    enum class From : uint8_t { unset, kept, input, work } from = From::unset;
    size_t input = 0;
    Shape shape = {};    // that an input has then
    Tensor tensor = {};  // what is kept, or where the work leaves it
  };

  std::mutex mutex;
  bool has_run = false;
  std::string refusal;                 // why it is run node by node from now on
  int moves = 0;                       // captures one after the other without a replay between
  std::vector<const void*> addresses;  // of the inputs, in the run before or in the work
  std::vector<bool> is_copied;         // inputs that are copied to where the work has them
  std::shared_ptr<CaptureArena> arena;
  Tensors inputs;  // those that are copied
  std::vector<Result> results;
  CapturedWork work;
};

/// What a device has captured, in the order of its use. What was not used for longest goes where
/// there is too much, and all of it where the card has no memory left for tensors. Thread-safe.
class GraphCache {
 public:
  explicit GraphCache(GraphOptions options) : options_(std::move(options)) {}

  const GraphOptions& options() const { return options_; }
  /// A number for a piece.
  uint64_t add_piece();
  /// What is known of that piece for inputs that the text describes; it is the last that was used.
  std::shared_ptr<CapturedGraph> find(uint64_t piece, const std::string& inputs);
  /// To be called when it has captured work, of that many bytes.
  void note_capture(const CapturedGraph& graph, uint64_t bytes, bool is_updated);
  void note_replay();
  void note_plain_run();
  void note_refusal(const CapturedGraph& graph, const std::string& piece, const std::string& why);

  void forget_piece(uint64_t piece);
  /// Lets all captured work go.
  void drop_all();
  /// The same, as its memory is needed, and keeps half as much from now on.
  /// Whether there was some.
  bool give_up_memory();
  /// How many bytes of the card's memory one may have.
  uint64_t graph_bytes_max() const;

  /// "2 graphs of 3 MiB: 120 replays, 2 captures, 1 update, 4 runs node by node; last refusal:
  /// ...".
  std::string describe() const;

 private:
  struct Entry {
    uint64_t piece;
    std::string key;
    std::shared_ptr<CapturedGraph> graph;
    uint64_t bytes = 0;  // 0: nothing captured
  };
  using Entries = std::list<Entry>;

  void set_bytes(const CapturedGraph& graph, uint64_t bytes);
  /// Moves those that are too many to `gone`, which ends without the mutex.
  void drop_oldest(Entries& gone);
  void drop_captured(Entries& gone);
  void drop(Entries::iterator entry, Entries& gone);

  const GraphOptions options_;
  mutable std::mutex mutex_;
  uint64_t pieces_ = 0;
  Entries entries_;  // last used first
  std::unordered_map<std::string, Entries::iterator> by_key_;
  uint64_t bytes_ = 0;
  uint64_t bytes_allowed_ = options_.bytes_max;
  uint64_t replays_ = 0, captures_ = 0, updates_ = 0, plain_runs_ = 0, refusals_ = 0;
  std::string last_refusal_;
};

}  // namespace troupe::accelerator
