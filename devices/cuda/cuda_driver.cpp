#include "troupe/devices/cuda/cuda_driver.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "troupe/devices/cuda/cuda_error.hpp"

namespace troupe::cuda {
namespace {

using accelerator::CardFacts;
using accelerator::Lane;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Result<CardFacts> read_facts(int ordinal) {
  cudaDeviceProp properties{};
  auto status = to_status(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  if (!status.ok()) return status;
  char bus[32] = "";
  status = to_status(cudaDeviceGetPCIBusId(bus, sizeof bus, ordinal), "cudaDeviceGetPCIBusId");
  if (!status.ok()) return status;
  return CardFacts{
      .ordinal = ordinal,
      .name = properties.name,
      .bus = bus,
      .memory_bytes = properties.totalGlobalMem,
      .capability = properties.major * 10 + properties.minor,
      .multiprocessors = properties.multiProcessorCount,
      .threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor,
      .shared_bytes_per_block = properties.sharedMemPerBlockOptin};
}

/// What launches the graph; the work that was captured before where that can be changed into it.
Result<accelerator::Captured> make_executable(cudaGraph_t graph, accelerator::CapturedWork before) {
  if (before) {
    cudaGraphExecUpdateResultInfo info{};
    auto error = cudaGraphExecUpdate(static_cast<cudaGraphExec_t>(before.get()), graph, &info);
    if (error == cudaSuccess) return accelerator::Captured{std::move(before), /*is_updated=*/true};
    cudaGetLastError();
  }
  cudaGraphExec_t executable = nullptr;
  auto error = cudaGraphInstantiate(&executable, graph, 0);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return to_status(error, "cudaGraphInstantiate");
  }
  // One that runs ends first, without a wait.
  return accelerator::Captured{
      {executable, [](void* given) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(given)); }}};
}

/// Lets the thread call what a capture forbids by default, as it is not ordered with the work.
class AllowedInCapture {
 public:
  AllowedInCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~AllowedInCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllowedInCapture(const AllowedInCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace

thread_local const CudaDriver* CudaDriver::capturing_ = nullptr;

Result<int> count_cards() {
  int count = 0;
  auto error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess) return count;
  cudaGetLastError();
  if (error == cudaErrorNoDevice) return 0;
  auto status = to_status(error, "cudaGetDeviceCount");
  int of_driver = 0, of_build = 0;
  cudaDriverGetVersion(&of_driver);
  cudaRuntimeGetVersion(&of_build);
  auto message = status.message() + "; NVIDIA's driver is for CUDA " + version_text(of_driver) +
                 ", and this build is of CUDA " + version_text(of_build);
  if (of_driver < of_build) message += ": install a later driver";
  return failed_precondition(std::move(message));
}

Result<std::shared_ptr<accelerator::Driver>> CudaDriver::open(int ordinal) {
  auto facts = read_facts(ordinal);
  if (!facts) return facts.status();
  if (facts->capability < TROUPE_CUDA_LEAST_CAPABILITY)
    return failed_precondition(
        facts->name + " has the compute capability " + std::to_string(facts->capability) +
        ", and this build has kernels for " + std::to_string(TROUPE_CUDA_LEAST_CAPABILITY) +
        " and later");
  std::shared_ptr<CudaDriver> driver(new CudaDriver(*facts));
  if (auto status = driver->start(); !status.ok()) return status;
  return std::shared_ptr<accelerator::Driver>(std::move(driver));
}

CudaDriver::CudaDriver(CardFacts facts)
    : facts_(std::move(facts)), state_(std::make_shared<CardState>(facts_.ordinal)) {}

Status CudaDriver::start() {
  make_current();
  for (auto& stream : streams_) {
    // Not ordered with the default stream, which libraries may use.
    auto error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return to_status(error, "cudaStreamCreateWithFlags");
  }
  auto error = cudaStreamCreateWithFlags(&capture_stream_, cudaStreamNonBlocking);
  if (error != cudaSuccess) return to_status(error, "cudaStreamCreateWithFlags");
  for (auto& completions : completions_)
    completions = std::make_unique<accelerator::Completions>(
        [state = state_](const Event& event) { return state->wait_for(event); });
  return {};
}

CudaDriver::~CudaDriver() {
  for (auto& completions : completions_) completions.reset();
  make_current();
  kept_.clear();
  free_kept();
  for (auto stream : streams_)
    if (stream) cudaStreamDestroy(stream);
  if (capture_stream_) cudaStreamDestroy(capture_stream_);
}

std::shared_ptr<void> CudaDriver::kept(
    std::type_index type, const std::function<std::shared_ptr<void>()>& make) {
  std::lock_guard lock(mutex_);
  auto& object = kept_[type];
  if (!object) object = make();
  return object;
}

// -- memory

void* CudaDriver::allocate(size_t bytes) {
  make_current();
  AllowedInCapture allowed;
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();
  if (capturing_ == this || !free_kept()) return nullptr;
  if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}

void CudaDriver::deallocate(void* memory, size_t bytes) noexcept {
  make_current();
  {
    std::lock_guard lock(mutex_);
    freed_.push_back(memory);
  }
  if (capturing_ != this) free_kept();
}

bool CudaDriver::free_kept() noexcept {
  // A card that is waited for must have no stream that captures; who captures frees it then.
  std::unique_lock capture(capture_mutex_, std::try_to_lock);
  if (!capture) return false;
  std::unique_lock lock(mutex_);
  auto freed = std::exchange(freed_, {});
  lock.unlock();
  if (freed.empty()) return false;
  cudaDeviceSynchronize();
  for (auto* memory : freed) cudaFree(memory);
  return true;
}

void* CudaDriver::allocate_pinned(size_t bytes) {
  make_current();
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return memory;
  cudaGetLastError();
  return nullptr;
}

void CudaDriver::deallocate_pinned(void* memory, size_t bytes) noexcept { cudaFreeHost(memory); }

// -- memory of other processes

Result<std::string> CudaDriver::share(void* memory) {
  make_current();
  cudaIpcMemHandle_t handle{};
  auto error = cudaIpcGetMemHandle(&handle, memory);
  if (error == cudaSuccess) return std::string(handle.reserved, sizeof handle.reserved);
  cudaGetLastError();
  return unavailable(to_status(error, "cudaIpcGetMemHandle").message());
}

Result<void*> CudaDriver::open_shared(const std::string& handle) {
  cudaIpcMemHandle_t of_peer{};
  if (handle.size() != sizeof of_peer.reserved)
    return invalid_argument("a handle of memory of another kind of driver");
  std::memcpy(of_peer.reserved, handle.data(), handle.size());
  make_current();
  void* memory = nullptr;
  auto error = cudaIpcOpenMemHandle(&memory, of_peer, cudaIpcMemLazyEnablePeerAccess);
  if (error == cudaSuccess) return memory;
  cudaGetLastError();
  return unavailable(to_status(error, "cudaIpcOpenMemHandle").message());
}

void CudaDriver::close_shared(void* memory) noexcept {
  make_current();
  if (cudaIpcCloseMemHandle(memory) != cudaSuccess) cudaGetLastError();
}

// -- order

Event CudaDriver::record(Lane lane) { return state_->record(stream(lane)); }

void CudaDriver::wait(Lane lane, const Event& event) {
  make_current();
  if (auto awaited = CardState::event_of(event))
    state_->note(cudaStreamWaitEvent(stream(lane), awaited, 0), "cudaStreamWaitEvent");
}

void CudaDriver::when_reached(Lane lane, std::function<void(Status)> then) {
  completions_[static_cast<size_t>(lane)]->add(record(lane), std::move(then));
}

void CudaDriver::call_host(Lane lane, std::function<void()> work) {
  make_current();
  // A stream that has failed never calls it, and what it holds is lost with the card.
  auto* kept = new std::function<void()>(std::move(work));
  auto call = [](void* given) {
    std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(given));
    (*owned)();
  };
  auto error = cudaLaunchHostFunc(stream(lane), call, kept);
  if (error != cudaSuccess) delete kept;
  state_->note(error, "cudaLaunchHostFunc");
}

void CudaDriver::finish() {
  for (size_t lane = 0; lane < accelerator::lane_count; ++lane)
    when_reached(static_cast<Lane>(lane), [](const Status&) {});
  for (auto& completions : completions_) completions->finish();
}

// -- copies

void CudaDriver::copy_in(Lane lane, void* to, const void* from, size_t bytes) {
  make_current();
  state_->note(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream(lane)), "a copy to the card");
}

void CudaDriver::copy_out(Lane lane, void* to, const void* from, size_t bytes) {
  make_current();
  state_->note(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream(lane)), "a copy to the host");
}

void CudaDriver::enable_peer(int ordinal) {
  std::lock_guard lock(mutex_);
  if (ordinal == facts_.ordinal || !peers_.insert(ordinal).second) return;
  int can_access = 0;
  if (cudaDeviceCanAccessPeer(&can_access, facts_.ordinal, ordinal) == cudaSuccess && can_access)
    cudaDeviceEnablePeerAccess(ordinal, 0);
  // Another device over this card may have enabled it, which is an error that is kept till taken.
  cudaGetLastError();
}

void CudaDriver::copy_peer(
    Lane lane, void* to, const Driver& source, const void* from, size_t bytes) {
  make_current();
  enable_peer(source.facts().ordinal);
  state_->note(
      cudaMemcpyPeerAsync(to, facts_.ordinal, from, source.facts().ordinal, bytes, stream(lane)),
      "a copy from a peer");
}

void CudaDriver::copy_within(void* to, const void* from, size_t bytes) {
  make_current();
  state_->note(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream(Lane::compute)),
      "a copy within the card");
}

// -- captured work

Status CudaDriver::begin_capture() {
  make_current();
  capture_mutex_.lock();
  auto error = cudaStreamBeginCapture(capture_stream_, cudaStreamCaptureModeThreadLocal);
  if (error == cudaSuccess) {
    capturing_ = this;
    return {};
  }
  cudaGetLastError();
  capture_mutex_.unlock();
  return to_status(error, "cudaStreamBeginCapture");
}

Result<accelerator::Captured> CudaDriver::end_capture(accelerator::CapturedWork before) {
  cudaGraph_t graph = nullptr;
  auto error = cudaStreamEndCapture(capture_stream_, &graph);
  capturing_ = nullptr;
  cudaGetLastError();  // what was not permitted in the capture
  capture_mutex_.unlock();
  free_kept();
  if (error != cudaSuccess) return to_status(error, "cudaStreamEndCapture");
  auto captured = make_executable(graph, std::move(before));
  cudaGraphDestroy(graph);
  return captured;
}

Status CudaDriver::replay(const accelerator::CapturedWork& work) {
  make_current();
  auto error = cudaGraphLaunch(static_cast<cudaGraphExec_t>(work.get()), stream(Lane::compute));
  if (error == cudaSuccess) return {};
  cudaGetLastError();
  return to_status(error, "the start of captured work");
}

// -- kernels

void CudaDriver::make_current() { set_current_card(facts_.ordinal); }

Status CudaDriver::take_launch_error() {
  auto error = cudaGetLastError();
  if (error == cudaSuccess) return {};
  if (capturing_ == this) return to_status(error, "the start of a kernel in a capture");
  // An error of the start alone is gone now; one of the card is not.
  auto of_card = cudaStreamQuery(stream(Lane::compute));
  if (of_card != cudaSuccess && of_card != cudaErrorNotReady) state_->note(of_card, "a kernel");
  return to_status(error, "the start of a kernel");
}

}  // namespace troupe::cuda
