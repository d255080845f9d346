#pragma once

#include <cstdint>
#include <string_view>

namespace troupe {

/// The CRC-32C (Castagnoli) of bytes, or with that of others, of those others and then these.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);

/// As files keep a CRC: rotated and moved by a constant, so that the CRC of bytes that hold CRCs
/// themselves stays good.
uint32_t masked(uint32_t crc);
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace troupe
