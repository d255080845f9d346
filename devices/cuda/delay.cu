#include "troupe/devices/cuda/delay.hpp"

#include <cstdint>

#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ uint64_t now_ns() {
  uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__global__ void delay_kernel(uint64_t ns) {
  auto begin = now_ns();
  while (now_ns() - begin < ns) __nanosleep(1000);
}

}  // namespace

void launch_delay(std::chrono::microseconds time, cudaStream_t stream) {
  start_kernel(stream, 1, 1, delay_kernel, static_cast<uint64_t>(time.count()) * 1000);
}

}  // namespace troupe::cuda
