#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/accelerator/stream_ordered_pool.hpp"

namespace troupe::accelerator {

/// The compute lane of a card as the stream that kernels put their work on. What they put there
/// themselves, by the calls of the card's vendor, is between what is put here.
class DriverStream final : public Stream {
 public:
  DriverStream(std::shared_ptr<Driver> driver, std::shared_ptr<StreamOrderedPool> memory)
      : driver_(std::move(driver)),
        memory_(std::move(memory)),
        error_(std::make_shared<FirstError>()) {}

  /// `work` runs on the host, and the card waits for it.
  void enqueue(std::function<Status()> work) override;
  Event record() override { return driver_->record(Lane::compute); }
  void wait(const Event& event) override { driver_->wait(Lane::compute, event); }
  void when_done(std::function<void(Status)> then) override;

 private:
  /// Of what was given to enqueue() (ST-1).
  struct FirstError {
    std::mutex mutex;
    Status status;

    Status get() {
      std::lock_guard lock(mutex);
      return status;
    }
  };

  const std::shared_ptr<Driver> driver_;
  const std::shared_ptr<StreamOrderedPool> memory_;
  const std::shared_ptr<FirstError> error_;
};

}  // namespace troupe::accelerator
