// CUDA's runtime for emulated cards, whose streams are threads; memory.cpp has what is of memory,
// and captures.cpp of captured work. Errors are those that CUDA has for the same mistake.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

#include "troupe/tests/cuda/emulated/blocks.hpp"
#include "troupe/tests/cuda/emulated/state.hpp"

namespace troupe::emulated {
namespace {

constexpr unsigned block_threads_max = 1024;

thread_local cudaError_t last_error = cudaSuccess;
thread_local int card_of_thread = 0;

/// Those of all cards.
struct Streams {
  std::mutex mutex;
  std::set<Stream*> streams;
};

Streams& all() {
  static auto* streams = new Streams;  // the last ones end with the process
  return *streams;
}

}  // namespace

int current_card() { return card_of_thread; }

cudaError_t failed(cudaError_t error) { return last_error = error; }

cudaError_t launch(const cudaLaunchConfig_t& config, std::function<void()> kernel) {
  auto grid = config.gridDim, block = config.blockDim;
  auto threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > block_threads_max || uint64_t{grid.x} * grid.y * grid.z == 0)
    return failed(cudaErrorInvalidConfiguration);
  config.stream->put([=, kernel = std::move(kernel)] { run_grid(grid, block, kernel); });
  return cudaSuccess;
}

}  // namespace troupe::emulated

using namespace troupe::emulated;

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorNotSupported: return "cudaErrorNotSupported";
    case cudaErrorStreamCaptureUnsupported: return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated: return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureUnjoined: return "cudaErrorStreamCaptureUnjoined";
    case cudaErrorStreamCaptureIsolation: return "cudaErrorStreamCaptureIsolation";
    case cudaErrorCapturedEvent: return "cudaErrorCapturedEvent";
    default: return "cudaErrorInvalidValue";
  }
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

// -- cards

cudaError_t cudaGetDeviceCount(int* count) {
  *count = cards;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= cards) return failed(cudaErrorInvalidValue);
  card_of_thread = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = card_of_thread;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  auto capability = capability_of(device);
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? capability / 10 : capability % 10;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 12000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= cards) return failed(cudaErrorInvalidValue);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "emulated card");
  properties->totalGlobalMem = card_bytes;
  properties->sharedMemPerBlockOptin = size_t{48} << 10;
  properties->major = capability_of(device) / 10;
  properties->minor = capability_of(device) % 10;
  properties->multiProcessorCount = 4;
  properties->maxThreadsPerMultiProcessor = 2048;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
  std::snprintf(id, static_cast<size_t>(size), "0000:%02x:00.0", device);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  if (is_forbidden_now()) return failed(cudaErrorStreamCaptureUnsupported);
  std::vector<std::shared_ptr<Point>> ends;
  {
    std::lock_guard lock(all().mutex);
    for (auto* stream : all().streams) ends.push_back(stream->end_of_works());
  }
  for (const auto& end : ends) end->wait();
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaSuccess; }

// -- work

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  // CUDA can capture it, but it would be called in each replay, for which no caller is made.
  if (cannot_be_captured(stream)) return failed(cudaErrorStreamCaptureUnsupported);
  stream->put([=] {
    HostWork of_host;
    function(data);
  });
  return cudaSuccess;
}

// -- streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new Stream;
  std::lock_guard lock(all().mutex);
  all().streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  {
    std::lock_guard lock(all().mutex);
    all().streams.erase(stream);
  }
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (cannot_be_captured(stream) || is_forbidden_now())
    return failed(cudaErrorStreamCaptureUnsupported);
  return stream->is_done() ? cudaSuccess : cudaErrorNotReady;
}
/// The error of a stream that would wait for what is not captured with it.
static cudaError_t lose_captures(cudaStream_t stream, Stream* of_event) {
  if (of_event) of_event->lose_capture();
  if (!stream->is_captured()) return failed(cudaErrorStreamCaptureUnjoined);
  stream->lose_capture();
  return failed(cudaErrorStreamCaptureIsolation);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  auto point = event->point;
  if (!point) return cudaSuccess;
  if (point->capture() != (stream->is_captured() ? stream : nullptr))
    return lose_captures(stream, point->capture());
  if (!point->capture()) stream->put([point] { point->wait(); });  // one stream is in order
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new Event;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->point = stream->record();
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event->point && event->point->capture()) return failed(cudaErrorCapturedEvent);
  if (is_forbidden_now()) return failed(cudaErrorStreamCaptureUnsupported);
  if (event->point && !event->point->is_reached()) return cudaErrorNotReady;
  note_seen_end();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->point && event->point->capture()) return failed(cudaErrorCapturedEvent);
  if (is_forbidden_now()) return failed(cudaErrorStreamCaptureUnsupported);
  if (event->point) event->point->wait();
  note_seen_end();
  return cudaSuccess;
}
