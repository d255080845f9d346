#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <typeindex>
#include <vector>

#include "troupe/devices/accelerator/completions.hpp"
#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/cuda/card_state.hpp"

namespace troupe::cuda {

/// How many cards this process may use; FailedPrecondition, with what to do, where the driver is
/// none for this build.
Result<int> count_cards();

/// A card of NVIDIA's, by CUDA's runtime.
class CudaDriver final : public accelerator::Driver {
 public:
  using Lane = accelerator::Lane;

  /// FailedPrecondition where the kernels are for later cards only.
  static Result<std::shared_ptr<accelerator::Driver>> open(int ordinal);
  ~CudaDriver() override;

  /// Of the compute lane, for a thread that captures, the stream that keeps its work.
  cudaStream_t stream(Lane lane) const {
    if (lane == Lane::compute && capturing_ == this) return capture_stream_;
    return streams_[static_cast<size_t>(lane)];
  }
  /// The object of that type that the card keeps for kernels, made where there is none.
  std::shared_ptr<void> kept(
      std::type_index type, const std::function<std::shared_ptr<void>()>& make);

  const accelerator::CardFacts& facts() const override { return facts_; }
  void* allocate(size_t bytes) override;
  void deallocate(void* memory, size_t bytes) noexcept override;
  void* allocate_pinned(size_t bytes) override;
  void deallocate_pinned(void* memory, size_t bytes) noexcept override;
  Result<std::string> share(void* memory) override;
  Result<void*> open_shared(const std::string& handle) override;
  void close_shared(void* memory) noexcept override;
  Event record(Lane lane) override;
  void wait(Lane lane, const Event& event) override;
  void when_reached(Lane lane, std::function<void(Status)> then) override;
  void call_host(Lane lane, std::function<void()> work) override;
  void finish() override;
  void copy_in(Lane lane, void* to, const void* from, size_t bytes) override;
  void copy_out(Lane lane, void* to, const void* from, size_t bytes) override;
  void copy_peer(
      Lane lane, void* to, const Driver& source, const void* from, size_t bytes) override;
  void copy_within(void* to, const void* from, size_t bytes) override;
  Status begin_capture() override;
  Result<accelerator::Captured> end_capture(accelerator::CapturedWork before) override;
  Status replay(const accelerator::CapturedWork& work) override;
  void make_current() override;
  Status take_launch_error() override;
  Status error() const override { return state_->error(); }
  bool has_failed() const override { return state_->has_failed(); }

 private:
  explicit CudaDriver(accelerator::CardFacts facts);
  Status start();
  /// Lets the card read the memory of that one, if it can reach it; else CUDA copies through the
  /// host's memory. Not before it is needed, as it takes memory of both.
  void enable_peer(int ordinal);
  /// Gives back what deallocate() was given, unless a thread captures. Whether there was some.
  bool free_kept() noexcept;

  /// The driver whose work the thread captures.
  static thread_local const CudaDriver* capturing_;

  const accelerator::CardFacts facts_;
  const std::shared_ptr<CardState> state_;
  std::array<cudaStream_t, accelerator::lane_count> streams_{};
  std::mutex capture_mutex_;  // held while a thread captures, and for calls that it must not meet
  cudaStream_t capture_stream_ = nullptr;
  std::mutex mutex_;
  std::array<std::unique_ptr<accelerator::Completions>, accelerator::lane_count> completions_;
  std::map<std::type_index, std::shared_ptr<void>> kept_;
  std::vector<void*> freed_;  // that is to be given back
  std::set<int> peers_;       // that enable_peer() was called for
};

}  // namespace troupe::cuda
