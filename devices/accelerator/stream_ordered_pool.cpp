#include "troupe/devices/accelerator/stream_ordered_pool.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "troupe/graph/support/check.hpp"

namespace troupe::accelerator {
namespace {

constexpr size_t granule = 256;
constexpr uint64_t region_unit = uint64_t{2} << 20;
constexpr uint64_t first_region = uint64_t{32} << 20;
constexpr uint64_t largest_region = uint64_t{1} << 30;
/// How many idle blocks are looked at for one that no work uses any more.
constexpr int candidates_max = 32;
/// How many holders a description names.
constexpr size_t named_max = 5;

thread_local const char* current_holder = "others";

constexpr uint64_t round_up(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::string size_text(uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", value, units[unit]);
  return text;
}

}  // namespace

class StreamOrderedPool::State : public std::enable_shared_from_this<State> {
 public:
  State(std::shared_ptr<Driver> driver, PoolOptions options)
      : driver_(std::move(driver)), options_(options) {}

  ~State() {
    for (auto& [begin, region] : regions_) driver_->deallocate(begin, region.bytes);
    for (auto& [begin, block] : blocks_) delete block;
  }

  Status reserve() {
    std::lock_guard lock(mutex_);
    // What the card has left may be less, as other processes use it.
    for (auto bytes = options_.limit_bytes / region_unit * region_unit;
         bytes > 0 && bytes >= options_.limit_bytes / 2;
         bytes = std::min(bytes - region_unit, bytes / 10 * 9 / region_unit * region_unit))
      if (add_region(bytes)) return {};
    return resource_exhausted(
        "the card has less than half of the " + size_text(options_.limit_bytes) +
        " that this task is to reserve: other processes use it");
  }

  void* allocate(size_t wanted, Lane lane) {
    std::lock_guard lock(mutex_);
    auto bytes = std::max<uint64_t>(wanted, 1);
    if (options_.keeps) bytes = round_up(bytes, granule);
    auto* block = options_.keeps ? find(bytes, lane) : make_own(bytes);
    if (!block) return nullptr;
    if (lane != Lane::compute && !is_settled(*block))  // SP-2
      driver_->wait(lane, driver_->record(Lane::compute));
    idle_.erase({block->bytes, block->begin});
    split(*block, bytes);
    block->holder = current_holder;
    in_use_ += block->bytes;
    return block->begin;
  }

  void deallocate(void* memory) noexcept {
    std::lock_guard lock(mutex_);
    auto found = blocks_.find(static_cast<char*>(memory));
    CHECK(found != blocks_.end() && found->second->holder);
    auto* block = found->second;
    block->holder = nullptr;
    block->freed_at = mark_;
    in_use_ -= block->bytes;
    if (block->after && !block->after->holder) join(*block);
    if (block->before && !block->before->holder) {
      block = block->before;
      join(*block);
    }
    idle_.emplace(std::pair(block->bytes, block->begin), block);
    if (!options_.keeps) release_if_idle(regions_.find(block->begin));
  }

  void trim() {
    std::lock_guard lock(mutex_);
    release_idle_regions();
  }

  Result<std::shared_ptr<const SharedRegion>> share(const void* memory) {
    std::lock_guard lock(mutex_);
    auto* at = static_cast<char*>(const_cast<void*>(memory));
    auto found = regions_.upper_bound(at);
    CHECK(found != regions_.begin());
    auto& [begin, region] = *--found;
    if (auto shared = region.shared.lock()) return shared;
    // The driver may have put less than a unit beside other memory, of which it would share all.
    if (region.bytes < region_unit) return unavailable("the region is too small to be shared");
    if (!region.refused.ok()) return region.refused;
    auto handle = driver_->share(begin);
    if (!handle) return region.refused = handle.status();
    auto shared = std::make_shared<const SharedRegion>(SharedRegion{
        .begin = begin,
        .name = {.card = driver_->facts().bus, .handle = *std::move(handle), .bytes = region.bytes},
        .owner = shared_from_this()});
    region.shared = shared;
    return shared;
  }

  uint64_t mark() {
    std::lock_guard lock(mutex_);
    return static_cast<uint64_t>(++mark_);
  }
  void passed(uint64_t mark) {
    std::lock_guard lock(mutex_);
    passed_ = std::max(passed_, static_cast<int64_t>(mark));
  }

  MemoryUse use() const {
    std::lock_guard lock(mutex_);
    return {.bytes_in_use = in_use_, .limit_bytes = options_.limit_bytes};
  }
  uint64_t bytes_reserved() const {
    std::lock_guard lock(mutex_);
    return reserved_;
  }

  std::string describe() const {
    std::lock_guard lock(mutex_);
    struct Held {
      uint64_t bytes = 0;
      int count = 0;
    };
    std::map<std::string_view, Held> by_holder;
    for (const auto& [begin, block] : blocks_)
      if (block->holder) {
        auto& held = by_holder[block->holder];
        held.bytes += block->bytes;
        ++held.count;
      }
    std::vector<std::pair<std::string_view, Held>> held(by_holder.begin(), by_holder.end());
    std::ranges::stable_sort(
        held, std::greater(), [](const auto& one) { return one.second.bytes; });
    auto text = size_text(in_use_) + " of " + size_text(options_.limit_bytes) + " are in use";
    for (size_t i = 0; i < std::min(held.size(), named_max); ++i)
      text += (i ? ", " : ": ") + size_text(held[i].second.bytes) + " by " +
              std::string(held[i].first) + " (" + std::to_string(held[i].second.count) +
              (held[i].second.count == 1 ? " tensor)" : " tensors)");
    if (held.size() > named_max) text += ", the rest by others";
    if (idle_.empty()) return text;
    return text + "; " + size_text(reserved_ - in_use_) + " lie idle in " +
           std::to_string(idle_.size()) + (idle_.size() == 1 ? " piece" : " pieces") +
           ", the largest of " + size_text(idle_.rbegin()->first.first);
  }

 private:
  /// What was taken from the driver at once.
  struct Region {
    uint64_t bytes;
    std::weak_ptr<const SharedRegion> shared = {};
    Status refused = {};  // by the driver, to share it
  };
  /// A part of a region: in use or idle. Those of a region are linked in the order of addresses.
  struct Block {
    char* begin;
    uint64_t bytes;
    Block* before = nullptr;
    Block* after = nullptr;
    const char* holder = nullptr;  // null: idle
    int64_t freed_at = -1;         // the mark before; -1: never used
  };

  bool is_settled(const Block& block) const { return block.freed_at < passed_; }

  /// An idle block of at least that size, the smallest that serves the lane; from the driver where
  /// there is none.
  Block* find(uint64_t bytes, Lane lane) {
    auto smallest = idle_.lower_bound({bytes, nullptr});
    auto* fitting = smallest == idle_.end() ? nullptr : smallest->second;
    if (fitting && lane == Lane::compute) return fitting;
    int looked_at = 0;
    for (auto it = smallest; it != idle_.end() && looked_at < candidates_max; ++it, ++looked_at)
      if (is_settled(*it->second)) return it->second;
    if (auto* grown = options_.grows ? grow(bytes, fitting == nullptr) : nullptr) return grown;
    return fitting;
  }

  Block* grow(uint64_t bytes, bool must) {
    auto least = round_up(bytes, region_unit);
    if (options_.limit_bytes < least) {
      // The last bit of the limit may be less than a unit.
      least = round_up(bytes, granule);
      if (options_.limit_bytes < least) return nullptr;
    }
    auto left = [this] { return options_.limit_bytes - reserved_; };  // SP-3
    auto most = std::min(std::max(least, next_region_), left());
    if (most >= least)
      if (auto* block = add_region(most)) {
        next_region_ = std::min(next_region_ * 2, largest_region);
        return block;
      }
    if (!must) return nullptr;
    if (left() >= least)
      if (auto* block = add_region(least)) return block;
    release_idle_regions();
    if (left() < least) least = round_up(bytes, granule);
    return left() >= least ? add_region(least) : nullptr;
  }

  /// A region of just that size.
  Block* make_own(uint64_t bytes) {
    return bytes <= options_.limit_bytes - reserved_ ? add_region(bytes) : nullptr;
  }

  Block* add_region(uint64_t bytes) {
    auto* begin = static_cast<char*>(driver_->allocate(bytes));
    if (!begin) return nullptr;
    regions_.emplace(begin, Region{.bytes = bytes});
    reserved_ += bytes;
    auto* block = new Block{.begin = begin, .bytes = bytes};
    blocks_.emplace(begin, block);
    idle_.emplace(std::pair(bytes, begin), block);
    return block;
  }

  void release_idle_regions() {
    for (auto region = regions_.begin(); region != regions_.end();)
      region = release_if_idle(region);
  }

  /// Returns the next region.
  std::map<char*, Region>::iterator release_if_idle(std::map<char*, Region>::iterator region) {
    auto* block = blocks_.at(region->first);
    auto bytes = region->second.bytes;
    auto is_shared = !region->second.shared.expired();  // SP-4
    if (block->holder || block->bytes != bytes || is_shared) return std::next(region);
    idle_.erase({block->bytes, block->begin});
    blocks_.erase(block->begin);
    driver_->deallocate(region->first, bytes);
    reserved_ -= bytes;
    delete block;
    return regions_.erase(region);
  }

  /// Leaves the block with so many bytes, and the rest idle.
  void split(Block& block, uint64_t bytes) {
    if (block.bytes == bytes) return;
    auto* rest = new Block{
        .begin = block.begin + bytes,
        .bytes = block.bytes - bytes,
        .before = &block,
        .after = block.after,
        .freed_at = block.freed_at};
    if (rest->after) rest->after->before = rest;
    block.after = rest;
    block.bytes = bytes;
    blocks_.emplace(rest->begin, rest);
    idle_.emplace(std::pair(rest->bytes, rest->begin), rest);
  }

  /// Takes in the block behind it; both are idle.
  void join(Block& block) {
    auto* next = block.after;
    idle_.erase({block.bytes, block.begin});
    idle_.erase({next->bytes, next->begin});
    block.bytes += next->bytes;
    block.freed_at = std::max(block.freed_at, next->freed_at);
    block.after = next->after;
    if (block.after) block.after->before = &block;
    blocks_.erase(next->begin);
    delete next;
  }

  const std::shared_ptr<Driver> driver_;
  const PoolOptions options_;
  mutable std::mutex mutex_;
  std::map<char*, Region> regions_;
  std::unordered_map<char*, Block*> blocks_;
  std::map<std::pair<uint64_t, char*>, Block*> idle_;  // by size, then address
  uint64_t in_use_ = 0;
  uint64_t reserved_ = 0;
  uint64_t next_region_ = first_region;
  int64_t mark_ = 0;
  int64_t passed_ = 0;
};

StreamOrderedPool::StreamOrderedPool(std::shared_ptr<Driver> driver, PoolOptions options)
    : state_(std::make_shared<State>(std::move(driver), options)) {}
StreamOrderedPool::~StreamOrderedPool() = default;

Status StreamOrderedPool::reserve() { return state_->reserve(); }
void* StreamOrderedPool::allocate(size_t bytes, Lane lane) { return state_->allocate(bytes, lane); }
void StreamOrderedPool::deallocate(void* memory, size_t bytes) noexcept {
  state_->deallocate(memory);
}
void StreamOrderedPool::trim() { state_->trim(); }
Result<std::shared_ptr<const SharedRegion>> StreamOrderedPool::share(const void* memory) {
  return state_->share(memory);
}
const char* StreamOrderedPool::set_holder(const char* name) {
  return std::exchange(current_holder, name);
}
uint64_t StreamOrderedPool::mark() { return state_->mark(); }
void StreamOrderedPool::passed(uint64_t mark) { state_->passed(mark); }
MemoryUse StreamOrderedPool::use() const { return state_->use(); }
uint64_t StreamOrderedPool::bytes_reserved() const { return state_->bytes_reserved(); }
std::string StreamOrderedPool::describe() const { return state_->describe(); }

}  // namespace troupe::accelerator
