#pragma once

#include <zlib.h>

#include <cstdint>
#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// How the bytes of a file are compressed, as a whole.
enum class Compression : uint8_t { none, zlib, gzip };

/// Of "", "ZLIB" and "GZIP"; InvalidArgument for anything else.
Result<Compression> parse_compression(std::string_view type);

/// How a writer compresses, with zlib's numbers.
struct CompressionOptions {
  Compression type = Compression::none;
  int level = Z_DEFAULT_COMPRESSION;
  int window_bits = MAX_WBITS;
  int memory_level = 9;
  int strategy = Z_DEFAULT_STRATEGY;
};

}  // namespace troupe
