#include "troupe/devices/files/crc32c.hpp"

#include <isa-l/crc.h>

#include <algorithm>
#include <bit>

namespace troupe {

uint32_t crc32c(std::string_view bytes, uint32_t before) {
  constexpr size_t bytes_a_call_max = size_t{1} << 30;  // an int
  uint32_t crc = ~before;
  while (!bytes.empty()) {
    auto part = bytes.substr(0, bytes_a_call_max);
    // It only reads.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    crc = crc32_iscsi(data, static_cast<int>(part.size()), crc);
    bytes.remove_prefix(part.size());
  }
  return ~crc;
}

uint32_t masked(uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8U; }

uint32_t masked_crc32c(std::string_view bytes) { return masked(crc32c(bytes)); }

}  // namespace troupe
