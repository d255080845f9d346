// Captured work of emulated cards. What CUDA forbids a thread that captures is refused here as
// well, and the capture is lost with it.
#include <cuda_runtime_api.h>

#include <utility>

#include "troupe/tests/cuda/emulated/state.hpp"

namespace troupe::emulated {
namespace {

thread_local Stream* captured_by_thread = nullptr;
thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeThreadLocal;

}  // namespace

bool is_forbidden_now() {
  if (!captured_by_thread || mode_of_thread == cudaStreamCaptureModeRelaxed) return false;
  captured_by_thread->lose_capture();
  return true;
}

bool cannot_be_captured(cudaStream_t stream) {
  if (!stream->is_captured()) return false;
  stream->lose_capture();
  return true;
}

}  // namespace troupe::emulated

using namespace troupe::emulated;

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(mode_of_thread, *mode);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->begin_capture();
  captured_by_thread = stream;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  captured_by_thread = nullptr;
  auto works = stream->is_captured() ? stream->end_capture() : std::nullopt;
  if (!works) return failed(cudaErrorStreamCaptureInvalidated);
  *graph = new Works(*std::move(works));
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, uint64_t) {
  *executable = new Works(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecUpdate(
    cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo*) {
  // As CUDA: only where the nodes are as many and of the same kinds. Kinds are not kept here.
  if (executable->size() != graph->size()) return failed(cudaErrorInvalidValue);
  *executable = *graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  for (const auto& work : *executable) stream->put(work);
  return cudaSuccess;
}
