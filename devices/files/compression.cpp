#include "troupe/devices/files/compression.hpp"

#include <string>

#include "troupe/graph/support/text.hpp"

namespace troupe {

Result<Compression> parse_compression(std::string_view type) {
  if (type.empty()) return Compression::none;
  if (type == "ZLIB") return Compression::zlib;
  if (type == "GZIP") return Compression::gzip;
  return invalid_argument(
      "Unsupported compression_type: " + quote(type) + " is none of \"\", ZLIB and GZIP");
}

}  // namespace troupe
