#include "troupe/devices/accelerator/filling_memory.hpp"

#include <utility>

namespace troupe::accelerator {

Tensor FillingMemory::begin(Tensor whole) {
  std::shared_ptr<FillingMemory> memory(new FillingMemory(whole.memory(), whole.bytes()));
  auto dtype = whole.dtype();
  auto shape = whole.shape();
  auto* place = memory.get();
  auto* data = whole.mutable_raw();
  return Tensor::alias(
      dtype, shape, data, [whole = std::move(whole), memory = std::move(memory)] {}, place);
}

void FillingMemory::on_change(std::function<void()> changed) {
  std::lock_guard lock(mutex_);
  if (!has_ended()) listeners_.push_back(std::move(changed));
}

void FillingMemory::set_ready(size_t bytes) {
  ready_bytes_.store(bytes, std::memory_order_release);
  tell();
}

void FillingMemory::fail() {
  has_failed_.store(true, std::memory_order_release);
  tell();
}

/// Without the lock, as a listener has locks of its own. What a listener keeps may keep this
/// memory, so none stays when nothing more is to be told.
void FillingMemory::tell() {
  std::vector<std::function<void()>> listeners;
  {
    std::lock_guard lock(mutex_);
    if (has_ended()) listeners.swap(listeners_);
    else listeners = listeners_;
  }
  for (const auto& changed : listeners) changed();
}

}  // namespace troupe::accelerator
