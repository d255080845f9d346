#pragma once

#include <functional>
#include <memory>
#include <mutex>
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
    std::vector<Done> waiting;
  };

  /// A copy to be made, or null where one is on its way.
  std::shared_ptr<Copy> join(const Tensor& from, Done done) {
    std::lock_guard lock(mutex_);
    for (const auto& copy : copies_)
      if (copy->from.raw() == from.raw() && copy->from.dtype() == from.dtype() &&
          copy->from.shape() == from.shape()) {
        copy->waiting.push_back(std::move(done));
        return nullptr;
      }
    copies_.push_back(std::make_shared<Copy>(Copy{.from = from, .waiting = {std::move(done)}}));
    return copies_.back();
  }
  void end(const std::shared_ptr<Copy>& copy, const Result<Tensor>& result) {
    std::vector<Done> waiting;
    {
      std::lock_guard lock(mutex_);
      std::erase(copies_, copy);
      waiting.swap(copy->waiting);
    }
    for (auto& done : waiting) done(result);
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Copy>> copies_;
};

}  // namespace troupe::accelerator
