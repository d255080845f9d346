#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/linalg/dense/instructions.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/linalg/dense/instructions.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::routines::HWY_NAMESPACE {

Instructions instructions_of_target() {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Instructions::avx512;
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return Instructions::avx2;
#else
  return Instructions::any;
#endif
}

}  // namespace troupe::cpu::routines::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::routines {

HWY_EXPORT(instructions_of_target);

Instructions best_instructions() { return HWY_DYNAMIC_DISPATCH(instructions_of_target)(); }

}  // namespace troupe::cpu::routines
#endif
