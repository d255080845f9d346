#pragma once

#include <memory>
#include <string>

#include "troupe/devices/resources/data_flow/awaited_resource.hpp"
#include "troupe/graph/types/variant.hpp"

namespace troupe {

/// A lock that one step holds at a time; the others wait in the order in which they came.
/// Thread-safe. (TensorFlow: Mutex.)
class MutexResource final : public AwaitedResource {
 public:
  static constexpr const char* kind_name = "mutex";

  const char* kind() const override { return kind_name; }
  Description describe() const override { return {.dtype = DType::resource}; }
  std::string state() const override;

  /// Ends as soon as the lock is held, which a HeldMutex is then to be made for. Returns what
  /// give_up() takes.
  uint64_t lock(Done done);
  void unlock();

 private:
  void clear() override {}

  bool is_locked_ = false;
};

/// Holds a lock, and frees it with the last tensor that has it.
class HeldMutex final : public VariantValue {
 public:
  /// `mutex` is a MutexResource that was locked for this.
  explicit HeldMutex(std::shared_ptr<Resource> mutex) : mutex_(std::move(mutex)) {}
  ~HeldMutex() override { static_cast<MutexResource&>(*mutex_).unlock(); }

  const char* type_name() const override { return "held mutex"; }

 private:
  const std::shared_ptr<Resource> mutex_;
};

}  // namespace troupe
