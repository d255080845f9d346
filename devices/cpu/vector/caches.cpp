#include <unistd.h>

#include <algorithm>
#include <thread>

#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu::vector {

bool is_beyond_caches(int64_t bytes) {
  // A virtual machine is told the size of a cache that it has only a part of: no more is counted
  // on than what servers have for so many processors, or a small one as a whole.
  static constexpr int64_t usual = int64_t{32} << 20, usual_of_each = int64_t{4} << 20;
  static const int64_t last_level = [] {
    auto share = std::max(usual, usual_of_each * int64_t{std::thread::hardware_concurrency()});
    auto told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return told > 0 ? std::min(int64_t{told}, share) : share;
  }();
  return bytes >= 2 * last_level;
}

}  // namespace troupe::cpu::vector
