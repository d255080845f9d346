#include "troupe/devices/cuda/measure.hpp"

#include <chrono>
#include <limits>
#include <mutex>

#include "troupe/devices/cuda/delay.hpp"
#include "troupe/graph/support/environment.hpp"

namespace troupe::cuda {
namespace {

constexpr int rounds = 5;
/// In which the host puts all rounds on the stream: else it would be measured, and not the card.
constexpr std::chrono::microseconds delay{250};
/// An algorithm must be so much faster than those before it, or noise would choose.
constexpr float better = 0.98f;
constexpr auto never = std::numeric_limits<float>::infinity();

/// Two events of a stream, and the time between them.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    for (auto& event : events_) cudaEventCreate(&event);
  }
  Stopwatch(const Stopwatch&) = delete;
  ~Stopwatch() {
    for (auto event : events_)
      if (event) cudaEventDestroy(event);
  }

  float milliseconds(const std::function<Status()>& put) const {
    // What a first use sets up is not counted.
    if (!events_[0] || !events_[1] || !put().ok()) return never;
    launch_delay(delay, stream_);
    cudaEventRecord(events_[0], stream_);
    for (int i = 0; i < rounds; ++i)
      if (!put().ok()) return never;
    cudaEventRecord(events_[1], stream_);
    auto time = never;
    if (cudaEventSynchronize(events_[1]) != cudaSuccess) return never;
    return cudaEventElapsedTime(&time, events_[0], events_[1]) == cudaSuccess ? time : never;
  }

 private:
  const cudaStream_t stream_;
  cudaEvent_t events_[2]{};
};

}  // namespace

bool measures_algorithms() {
  static const bool measures = variable(process_environment(), "TROUPE_CUDA_MEASURE") != "0";
  return measures;
}

bool is_captured(const Launch& launch) {
  auto status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream_of(launch), &status);
  return status != cudaStreamCaptureStatusNone;
}

size_t find_fastest(
    const Launch& launch, size_t count, const std::function<Status(size_t index)>& put) {
  if (count <= 1 || is_captured(launch)) return 0;
  static std::mutex mutex;  // two threads that measured at once would measure each other's work
  std::lock_guard lock(mutex);
  Stopwatch watch(stream_of(launch));
  size_t fastest = 0;
  auto least = never;
  for (size_t i = 0; i < count; ++i)
    if (auto time = watch.milliseconds([&] { return put(i); }); time < least * better) {
      least = time;
      fastest = i;
    }
  return fastest;
}

}  // namespace troupe::cuda
