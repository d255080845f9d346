#include "troupe/tests/devices/accelerator/virtual_cards.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "troupe/graph/support/check.hpp"

namespace troupe::testing {
namespace {

bool overlap(const Access& a, const Access& b) {
  const auto *begin_a = static_cast<const char*>(a.begin),
             *begin_b = static_cast<const char*>(b.begin);
  return begin_a < begin_b + b.bytes && begin_b < begin_a + a.bytes;
}

const char* name_of(accelerator::Lane lane) {
  constexpr const char* names[] = {"compute", "copy_in", "copy_out", "peer"};
  return names[static_cast<size_t>(lane)];
}

}  // namespace

// -- order

void VirtualCards::merge(Clock& into, const Clock& from) {
  for (auto [line, position] : from) into[line] = std::max(into[line], position);
}

/// The clock of the line behind one more piece of work, of all that is ordered before it.
VirtualCards::Clock& VirtualCards::advance(int line) {
  auto& clock = lines_[static_cast<size_t>(line)]->clock;
  merge(clock, host_);
  ++clock[line];
  return clock;
}

void VirtualCards::check(int line, const std::string& what, const std::vector<Access>& accesses) {
  auto& clock = advance(line);
  for (const auto& access : accesses)
    for (const auto& before : done_) {
      auto is_conflict = overlap(access, before.access) && (access.writes || before.access.writes);
      if (!is_conflict || before.line == line) continue;
      auto known = clock.find(before.line);
      if (known != clock.end() && known->second >= before.position) continue;
      if (fault_.empty())
        fault_ = what + (access.writes ? " writes" : " reads") + " what " + before.what +
                 (before.access.writes ? " writes" : " reads") + ", without an order between them";
    }
  for (const auto& access : accesses) done_.push_back({access, line, clock[line], what});
}

void VirtualCards::forget(const void* begin, size_t bytes) {
  Access freed{.begin = begin, .bytes = bytes, .writes = true};
  std::erase_if(done_, [&](const Done& done) { return overlap(done.access, freed); });
}

// -- time

void VirtualCards::run() {
  if (std::exchange(is_running_, true)) return;  // a callback that frees memory
  while (run_next()) {
  }
  is_running_ = false;
}

/// Of the lines that can go on, the one that can earliest.
bool VirtualCards::run_next() {
  Line* first = nullptr;
  int64_t first_ns = 0;
  for (auto& line : lines_) {
    if (line->items.empty()) continue;
    const auto& awaited = line->items.front().awaited;
    if (awaited && !awaited->at_ns) continue;
    auto at = std::max(line->free_ns, awaited ? *awaited->at_ns : 0);
    if (first && at >= first_ns) continue;
    first = line.get();
    first_ns = at;
  }
  if (!first) return false;
  auto item = std::move(first->items.front());
  first->items.pop_front();
  first->free_ns = first_ns;
  run_item(*first, std::move(item));
  return true;
}

void VirtualCards::run_item(Line& line, Item item) {
  auto& error = line.card->error_;
  line.free_ns += item.duration_ns;
  now_ns_ = std::max(now_ns_, line.free_ns);
  if (item.work && error.ok()) error = item.work();  // DR-2
  if (item.reached) item.reached->at_ns = line.free_ns;
  if (item.then) {
    merge(host_, item.clock);
    item.then(error);
  }
}

// -- cards

std::shared_ptr<VirtualCards::Card> VirtualCards::add_card() {
  return std::make_shared<Card>(*this, cards_++);
}

VirtualCards::Card::Card(VirtualCards& cards, int ordinal)
    : cards_(cards), first_line_(static_cast<int>(cards.lines_.size())) {
  facts_ = {
      .ordinal = ordinal,
      .name = "virtual card",
      .bus = "bus " + std::to_string(ordinal),
      .memory_bytes = cards.options_.memory_bytes,
      .capability = 90,
      .multiprocessors = 4};
  for (size_t i = 0; i < accelerator::lane_count; ++i)
    cards.lines_.push_back(std::make_unique<Line>(Line{.card = this}));
}

void VirtualCards::Card::launch(
    const std::string& what, std::chrono::nanoseconds duration, std::vector<Access> accesses,
    std::function<Status()> work) {
  if (capture_)
    return capture_->works.push_back({what, duration, std::move(accesses), std::move(work)});
  ++launches_;
  cards_.check(line_of(Lane::compute), what, accesses);
  add(Lane::compute, {.duration_ns = duration.count(), .work = std::move(work)});
}

// -- captured work

Status VirtualCards::Card::begin_capture() {
  CHECK(!capture_);
  capture_.emplace();
  return {};
}

Result<accelerator::Captured> VirtualCards::Card::end_capture(accelerator::CapturedWork before) {
  auto capture = *std::exchange(capture_, std::nullopt);
  if (!capture.error.ok()) return capture.error;
  auto is_updated = before && allows_updates_;
  auto work = is_updated ? std::static_pointer_cast<std::vector<Work>>(std::move(before))
                         : std::make_shared<std::vector<Work>>();
  *work = std::move(capture.works);
  return accelerator::Captured{std::move(work), is_updated};
}

Status VirtualCards::Card::replay(const accelerator::CapturedWork& work) {
  if (!replay_error_.ok()) return std::exchange(replay_error_, Status());
  ++replays_;
  for (const auto& one : *std::static_pointer_cast<std::vector<Work>>(work))
    launch(one.what + " again", one.duration, one.accesses, one.work);
  return {};
}

void VirtualCards::Card::forbid_in_capture(const char* what) {
  if (capture_ && capture_->error.ok())
    capture_->error = failed_precondition(std::string("there is ") + what + " in a capture");
}

void VirtualCards::Card::add(Lane lane, Item item) {
  forbid_in_capture("other work");
  line(lane).items.push_back(std::move(item));
}

void* VirtualCards::Card::allocate(size_t bytes) {
  if (allocated_bytes_ + bytes > facts_.memory_bytes) return nullptr;
  allocated_bytes_ += bytes;
  ++allocations_;
  return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
}

void VirtualCards::Card::deallocate(void* memory, size_t bytes) noexcept {
  cards_.run();
  if (cards_.opened_.contains(memory) && cards_.fault_.empty())
    cards_.fault_ = "memory is given back that another process has open";
  cards_.forget(memory, bytes);
  allocated_bytes_ -= bytes;
  std::free(memory);
}

void* VirtualCards::Card::allocate_pinned(size_t bytes) {
  ++pinned_allocations_;
  pinned_bytes_ += bytes;
  return std::aligned_alloc(4096, bytes);
}

void VirtualCards::Card::deallocate_pinned(void* memory, size_t bytes) noexcept {
  cards_.forget(memory, bytes);
  pinned_bytes_ -= bytes;
  std::free(memory);
}

Result<std::string> VirtualCards::Card::share(void* memory) {
  if (!cards_.options_.share_memory) return unavailable("the card shares no memory");
  return std::string(reinterpret_cast<const char*>(&memory), sizeof memory);
}

Result<void*> VirtualCards::Card::open_shared(const std::string& handle) {
  if (!cards_.options_.open_memory) return unavailable("the card opens no memory");
  void* memory = nullptr;
  if (handle.size() != sizeof memory) return invalid_argument("no handle of a virtual card");
  std::memcpy(&memory, handle.data(), sizeof memory);
  cards_.opened_.insert(memory);
  return memory;
}

void VirtualCards::Card::close_shared(void* memory) noexcept {
  cards_.opened_.erase(cards_.opened_.find(memory));
}

Event VirtualCards::Card::record(Lane lane) {
  auto reached = std::make_shared<Reached>(Reached{.clock = line(lane).clock});
  add(lane, {.reached = reached});
  return reached;
}

void VirtualCards::Card::wait(Lane lane, const Event& event) {
  auto reached = std::static_pointer_cast<const Reached>(event);
  merge(line(lane).clock, reached->clock);
  add(lane, {.awaited = reached});
}

void VirtualCards::Card::when_reached(Lane lane, std::function<void(Status)> then) {
  add(lane, {.then = std::move(then), .clock = line(lane).clock});
}

void VirtualCards::Card::call_host(Lane lane, std::function<void()> work) {
  add(lane, {.work = [work = std::move(work)] {
        work();
        return Status();
      }});
}

void VirtualCards::Card::copy(
    Lane lane, const std::string& what, void* to, const void* from, size_t bytes) {
  cards_.check(
      line_of(lane), what + " on " + name_of(lane),
      {{.begin = from, .bytes = bytes, .writes = false},
       {.begin = to, .bytes = bytes, .writes = true}});
  auto duration = static_cast<int64_t>(static_cast<double>(bytes) / cards_.options_.bytes_per_ns);
  add(lane, {.duration_ns = duration, .work = [=] {
               std::memcpy(to, from, bytes);
               return Status();
             }});
}

void VirtualCards::Card::copy_within(void* to, const void* from, size_t bytes) {
  auto duration = static_cast<int64_t>(static_cast<double>(bytes) / cards_.options_.bytes_per_ns);
  launch(
      "a copy within the card", std::chrono::nanoseconds(duration),
      {{.begin = from, .bytes = bytes, .writes = false},
       {.begin = to, .bytes = bytes, .writes = true}},
      [=] {
        std::memcpy(to, from, bytes);
        return Status();
      });
}
void VirtualCards::Card::copy_in(Lane lane, void* to, const void* from, size_t bytes) {
  copy(lane, "a copy to the card", to, from, bytes);
}
void VirtualCards::Card::copy_out(Lane lane, void* to, const void* from, size_t bytes) {
  copy(lane, "a copy to the host", to, from, bytes);
}
void VirtualCards::Card::copy_peer(
    Lane lane, void* to, const Driver& source, const void* from, size_t bytes) {
  copy(lane, "a copy from a peer", to, from, bytes);
}

}  // namespace troupe::testing
