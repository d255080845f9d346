#pragma once

#include <cstdint>
#include <string_view>

namespace troupe {

/// The CRC-32C (Castagnoli) of the bytes.
uint32_t crc32c(std::string_view bytes);

/// As record files keep it: rotated and moved by a constant, so that the CRC of bytes that hold
/// CRCs themselves stays good.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace troupe
