#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "troupe/graph/types/tensor.hpp"

namespace troupe::accelerator {

/// Copies that are on their way to the host. Who asks for the same tensor meanwhile, as sends to
/// several tasks do, gets the same copy. Thread-safe.
class CopiesOut {
 public:
  using Done = std::function<void(Result<Tensor>)>;
  struct Copy {
    Tensor from;
    // Of CopiesOut:
    Tensor filling;
    size_t expected = 0;  // who waits, or is going to
    std::vector<Done> waiting;
    std::optional<Result<Tensor>> result;  // for those who come after it
  };

  struct Found {
    std::shared_ptr<Copy> copy;
    bool is_new;  // the caller has to make it, and to end it
  };
  /// To be followed by await().
  Found find_or_add(const Tensor& from) {
    std::lock_guard lock(mutex_);
    for (const auto& copy : copies_)
      if (copy->from.raw() == from.raw() && copy->from.dtype() == from.dtype() &&
          copy->from.shape() == from.shape()) {
        ++copy->expected;
        return {copy, /*is_new=*/false};
      }
    copies_.push_back(std::make_shared<Copy>(Copy{.from = from, .expected = 1}));
    return {copies_.back(), /*is_new=*/true};
  }

  /// The copy as a tensor that it fills (FillingMemory); unset if there is none.
  Tensor filling(const Copy& copy) {
    std::lock_guard lock(mutex_);
    return copy.filling;
  }
  void set_filling(Copy& copy, Tensor filling) {
    std::lock_guard lock(mutex_);
    copy.filling = std::move(filling);
  }

  /// Calls `done` when the copy ends, or now if it has ended.
  void await(Copy& copy, Done done) {
    std::unique_lock lock(mutex_);
    if (!copy.result) return copy.waiting.push_back(std::move(done));
    lock.unlock();
    done(*copy.result);
  }
  /// The copy belongs to who waits for it, if that is one: nothing here holds it any more.
  void end(const std::shared_ptr<Copy>& copy, Result<Tensor> result) {
    std::vector<Done> waiting;
    {
      std::lock_guard lock(mutex_);
      std::erase(copies_, copy);
      waiting.swap(copy->waiting);
      if (waiting.size() < copy->expected) copy->result = result;
    }
    for (size_t i = 0; i < waiting.size(); ++i) {
      auto is_last = i + 1 == waiting.size();
      waiting[i](is_last ? std::move(result) : result);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Copy>> copies_;
};

}  // namespace troupe::accelerator
