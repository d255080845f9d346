#include <unistd.h>

#include <algorithm>

#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu::vector {

bool is_beyond_caches(int64_t bytes) {
  // Where the system does not tell: as large as on most servers.
  constexpr int64_t usual = int64_t{32} << 20;
  static const int64_t last_level = [] {
    auto told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return told > 0 ? int64_t{told} : usual;
  }();
  return bytes >= 2 * last_level;
}

}  // namespace troupe::cpu::vector
