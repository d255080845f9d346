#include "troupe/devices/cuda/card_state.hpp"

#include <chrono>
#include <thread>

#include "troupe/devices/cuda/cuda_error.hpp"

namespace troupe::cuda {
namespace {

/// How long a thread asks for an event again and again: to be woken by the system takes longer than
/// many a step.
constexpr std::chrono::microseconds asking{100};

}  // namespace

void set_current_card(int ordinal) {
  static thread_local int current = -1;
  if (current == ordinal) return;
  if (cudaSetDevice(ordinal) == cudaSuccess) current = ordinal;
}

int capability_of_current_card() {
  int card = 0, major = 0, minor = 0;
  auto error = cudaGetDevice(&card);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, card);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, card);
  return error == cudaSuccess ? major * 10 + minor : 0;
}

CardState::~CardState() {
  for (auto event : idle_) cudaEventDestroy(event);
}

cudaEvent_t CardState::take_event() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto event = idle_.back();
      idle_.pop_back();
      return event;
    }
  }
  set_current_card(ordinal_);
  cudaEvent_t event = nullptr;
  note(
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
      "cudaEventCreateWithFlags");
  return event;
}

void CardState::give_event(cudaEvent_t event) {
  std::lock_guard lock(mutex_);
  idle_.push_back(event);
}

Event CardState::record(cudaStream_t stream) {
  auto event = take_event();
  set_current_card(ordinal_);
  if (event) note(cudaEventRecord(event, stream), "cudaEventRecord");
  return Event(event, [state = shared_from_this()](const void* given) {
    if (given) state->give_event(static_cast<cudaEvent_t>(const_cast<void*>(given)));
  });
}

cudaEvent_t CardState::event_of(const Event& event) {
  return static_cast<cudaEvent_t>(const_cast<void*>(event.get()));
}

Status CardState::wait_for(const Event& awaited) {
  auto event = event_of(awaited);
  if (!event) return error();
  set_current_card(ordinal_);
  auto end = std::chrono::steady_clock::now() + asking;
  auto status = cudaEventQuery(event);
  while (status == cudaErrorNotReady && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
    status = cudaEventQuery(event);
  }
  if (status == cudaErrorNotReady) status = cudaEventSynchronize(event);
  note(status, "work on the card");
  return error();
}

void CardState::note(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return;
  std::lock_guard lock(mutex_);
  if (!error_.ok()) return;
  error_ = to_status(error, what);
  has_failed_.store(true, std::memory_order_release);
}

Status CardState::error() const {
  if (!has_failed()) return {};
  std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace troupe::cuda
