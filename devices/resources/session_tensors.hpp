#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// The tensors that one session keeps on one device from step to step, by handles that its client
/// holds. They end with the session. Thread-safe. (TensorFlow: SessionState.)
class SessionTensors {
 public:
  /// `device`: its full name.
  explicit SessionTensors(std::string device) : device_(std::move(device)) {}

  /// Keeps a tensor, and returns its handle: "node;number;device".
  std::string add(const std::string& node, Tensor tensor) {
    std::lock_guard lock(mutex_);
    auto handle = node + ";" + std::to_string(count_++) + ";" + device_;
    tensors_.emplace(handle, std::move(tensor));
    return handle;
  }

  Result<Tensor> find(const std::string& handle) const {
    std::lock_guard lock(mutex_);
    auto found = tensors_.find(handle);
    return found == tensors_.end() ? Result<Tensor>(unknown(handle)) : found->second;
  }

  Status remove(const std::string& handle) {
    std::unique_lock lock(mutex_);
    auto removed = tensors_.extract(handle);
    lock.unlock();  // a large tensor takes long to free
    return removed ? Status() : unknown(handle);
  }

 private:
  Status unknown(const std::string& handle) const {
    return invalid_argument(
        "The tensor with handle '" + handle + "' is not in the session store of " + device_);
  }

  const std::string device_;
  mutable std::mutex mutex_;
  std::map<std::string, Tensor> tensors_;
  uint64_t count_ = 0;
};

}  // namespace troupe
