// Memory of cards that the host cannot touch: its pages are open while a card works, and closed
// else. That is said for the whole process, so what the host reads meanwhile is not found; tests
// that wait for each step leave few such moments.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "troupe/tests/cuda/emulated/state.hpp"

namespace troupe::emulated {
namespace {

/// What lies in a card's memory is not 0; to write more would take as long as the tests.
constexpr size_t filled_bytes_max = size_t{2} << 20;

thread_local bool is_of_card = false;

class Guard {
 public:
  void* allocate(size_t bytes) {
    std::lock_guard lock(mutex_);
    auto* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (bytes <= filled_bytes_max) std::memset(memory, 0xff, bytes);
    if (works_ == 0) ::mprotect(memory, bytes, PROT_NONE);
    blocks_[memory] = bytes;
    return memory;
  }
  void free(void* memory, size_t bytes) {
    std::lock_guard lock(mutex_);
    blocks_.erase(memory);
    ::munmap(memory, bytes);
  }
  void begin() {
    std::lock_guard lock(mutex_);
    if (works_++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void end() {
    std::lock_guard lock(mutex_);
    if (--works_ == 0) protect(PROT_NONE);
  }

 private:
  void protect(int access) {
    for (auto [memory, bytes] : blocks_) ::mprotect(memory, bytes, access);
  }

  std::mutex mutex_;
  int works_ = 0;
  std::map<void*, size_t> blocks_;
};

Guard& guard() {
  static auto* made = new Guard;  // the last streams end with the process
  return *made;
}

void set_of_card(bool is_now) {
  if (is_now == is_of_card) return;
  is_of_card = is_now;
  is_now ? guard().begin() : guard().end();
}

}  // namespace

bool are_cards_guarded() {
  static const bool are = std::getenv("TROUPE_EMULATED_GUARD") != nullptr;
  return are;
}

void* allocate_guarded(size_t bytes) { return guard().allocate(bytes); }
void free_guarded(void* memory, size_t bytes) { guard().free(memory, bytes); }

CardWork::CardWork() {
  if (are_cards_guarded()) set_of_card(true);
}
CardWork::~CardWork() { set_of_card(false); }

HostWork::HostWork() : was_of_card_(is_of_card) { set_of_card(false); }
HostWork::~HostWork() { set_of_card(was_of_card_); }

}  // namespace troupe::emulated
