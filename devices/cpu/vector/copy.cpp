#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/copy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "troupe/devices/cpu/vector/loops-inl.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

void stream_bytes(void* out, const void* in, int64_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = lanes_of(d);
  auto* to = static_cast<uint8_t*>(out);
  const auto* from = static_cast<const uint8_t*>(in);
  auto i = count_unaligned(d, to, bytes);
  std::memcpy(to, from, static_cast<size_t>(i));
  for (; i + lanes <= bytes; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(stream_bytes);

void copy_past_caches(void* to, const void* from, int64_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_bytes)(to, from, bytes);
}

void finish_streams() { hwy::FlushStream(); }

}  // namespace troupe::cpu::vector
#endif
