#pragma once

#include <cstdint>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace troupe {

/// While it lives, arithmetic of its thread takes numbers nearer to 0 than all normal ones for 0,
/// and returns 0 instead of them: processors take up to a hundred times as long for such numbers,
/// and sums that decay, as an optimizer's, come to them after some time and stay there. As in
/// TensorFlow's threads. On x86-64 and AArch64; elsewhere it changes nothing.
class FlushDenormals {
 public:
  FlushDenormals() : kept_(control()) {
    if ((kept_ & flushes) != flushes) set_control(kept_ | flushes);
  }
  ~FlushDenormals() {
    if ((kept_ & flushes) != flushes) set_control(kept_);
  }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  using Control = uint32_t;
  static constexpr Control flushes = 0x8040;  // results, operands
  static Control control() { return _mm_getcsr(); }
  static void set_control(Control control) { _mm_setcsr(control); }
#elif defined(__aarch64__)
  using Control = uint64_t;
  static constexpr Control flushes = Control{1} << 24;
  static Control control() {
    Control control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }
  static void set_control(Control control) { asm volatile("msr fpcr, %0" : : "r"(control)); }
#else
  using Control = uint32_t;
  static constexpr Control flushes = 0;
  static Control control() { return 0; }
  static void set_control(Control) {}
#endif

  Control kept_;
};

}  // namespace troupe
