#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

// A library for LD_PRELOAD: the wall clock of the process is shifted by TROUPE_TEST_CLOCK_SHIFT_MS.

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
  if (clock != CLOCK_REALTIME) return 0;
  const auto* shift = std::getenv("TROUPE_TEST_CLOCK_SHIFT_MS");
  auto shift_ms = shift ? std::atol(shift) : 0;
  auto ns = time->tv_nsec + shift_ms % 1000 * 1'000'000;
  auto carry = ns >= 1'000'000'000 ? 1 : ns < 0 ? -1 : 0;
  time->tv_sec += shift_ms / 1000 + carry;
  time->tv_nsec = ns - carry * 1'000'000'000L;
  return 0;
}
