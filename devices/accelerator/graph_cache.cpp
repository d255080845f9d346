#include "troupe/devices/accelerator/graph_cache.hpp"

#include <iterator>

namespace troupe::accelerator {
namespace {

/// More are not told one by one.
constexpr uint64_t logged_max = 20;
/// Of pieces and shapes, with captured work or not.
constexpr size_t known_per_captured = 8;

std::string counted(uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

uint64_t GraphCache::add_piece() {
  std::lock_guard lock(mutex_);
  return ++pieces_;
}

std::shared_ptr<CapturedGraph> GraphCache::find(uint64_t piece, const std::string& inputs) {
  auto key = std::to_string(piece) + ":" + inputs;
  Entries gone;
  std::lock_guard lock(mutex_);
  if (auto known = by_key_.find(key); known != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    return known->second->graph;
  }
  entries_.push_front({.piece = piece, .key = key, .graph = std::make_shared<CapturedGraph>()});
  by_key_.emplace(std::move(key), entries_.begin());
  drop_oldest(gone);
  return entries_.front().graph;
}

void GraphCache::note_capture(const CapturedGraph& graph, uint64_t bytes, bool is_updated) {
  Entries gone;
  std::lock_guard lock(mutex_);
  ++(is_updated ? updates_ : captures_);
  set_bytes(graph, bytes);
  drop_oldest(gone);
}

void GraphCache::set_bytes(const CapturedGraph& graph, uint64_t bytes) {
  for (auto& entry : entries_)
    if (entry.graph.get() == &graph) {
      bytes_ += bytes - entry.bytes;
      entry.bytes = bytes;
    }
}

void GraphCache::note_replay() {
  std::lock_guard lock(mutex_);
  ++replays_;
}

void GraphCache::note_plain_run() {
  std::lock_guard lock(mutex_);
  ++plain_runs_;
}

void GraphCache::note_refusal(
    const CapturedGraph& graph, const std::string& piece, const std::string& why) {
  auto is_told = false;
  {
    std::lock_guard lock(mutex_);
    set_bytes(graph, 0);
    is_told = ++refusals_ <= logged_max;
    last_refusal_ = piece + ": " + why;
  }
  if (is_told && options_.log) options_.log(piece + " runs node by node: " + why);
}

void GraphCache::forget_piece(uint64_t piece) {
  Entries gone;
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    auto next = std::next(entry);
    if (entry->piece == piece) drop(entry, gone);
    entry = next;
  }
}

void GraphCache::drop_all() {
  Entries gone;
  std::lock_guard lock(mutex_);
  drop_captured(gone);
}

bool GraphCache::give_up_memory() {
  Entries gone;
  std::lock_guard lock(mutex_);
  if (bytes_ == 0) return false;
  bytes_allowed_ = bytes_ / 2;
  drop_captured(gone);
  return true;
}

void GraphCache::drop_captured(Entries& gone) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    auto next = std::next(entry);
    if (entry->bytes > 0) drop(entry, gone);
    entry = next;
  }
}

uint64_t GraphCache::graph_bytes_max() const {
  std::lock_guard lock(mutex_);
  return std::min(options_.bytes_max / 4, bytes_allowed_);
}

void GraphCache::drop_oldest(Entries& gone) {
  size_t captured = 0;
  for (const auto& entry : entries_) captured += entry.bytes > 0;
  auto is_too_much = [&] { return captured > options_.count_max || bytes_ > bytes_allowed_; };
  for (auto entry = entries_.end(); is_too_much() && entry != entries_.begin();) {
    --entry;
    if (entry->bytes == 0 || entry == entries_.begin()) continue;
    auto next = std::next(entry);
    drop(entry, gone);
    entry = next;
    --captured;
  }
  while (entries_.size() > known_per_captured * options_.count_max)
    drop(std::prev(entries_.end()), gone);
}

void GraphCache::drop(Entries::iterator entry, Entries& gone) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  gone.splice(gone.end(), entries_, entry);
}

std::string GraphCache::describe() const {
  std::lock_guard lock(mutex_);
  uint64_t captured = 0;
  for (const auto& entry : entries_) captured += entry.bytes > 0;
  auto text = counted(captured, "graph") + " of " + counted(bytes_, "byte") + ": " +
              counted(replays_, "replay") + ", " + counted(captures_, "capture") + ", " +
              counted(updates_, "update") + ", " + counted(plain_runs_, "run") + " node by node";
  if (refusals_ == 0) return text;
  return text + ", " + counted(refusals_, "refusal") + ", the last of " + last_refusal_;
}

}  // namespace troupe::accelerator
