#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/proto/serialized.hpp"

namespace troupe::cpu {
namespace {

/// The most bytes that one string may become.
constexpr size_t max_inflated_bytes = std::numeric_limits<int32_t>::max();

struct InflateEnd {
  void operator()(z_stream* stream) const {
    ::inflateEnd(stream);
    delete stream;
  }
};
using InflateStream = std::unique_ptr<z_stream, InflateEnd>;

/// 15 bits of window, and whether the stream has zlib's header or gzip's.
constexpr int zlib_window = 15, gzip_window = 15 + 16;

/// Makes room for what comes next; false where there is to be none.
bool grow(z_stream& stream, std::string& out) {
  auto used = out.size();
  if (used >= max_inflated_bytes) return false;
  out.resize(std::min(max_inflated_bytes, std::max<size_t>(4096, used * 2)));
  stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
  stream.avail_out = static_cast<uInt>(out.size() - used);
  return true;
}

Status data_loss(std::string message) { return Status(Code::data_loss, std::move(message)); }

Status inflate_bytes(const std::string& bytes, int window, std::string& out) {
  if (bytes.empty()) return {};
  if (bytes.size() > std::numeric_limits<uInt>::max())
    return invalid_argument("a string of 4 GiB or more cannot be decompressed");
  auto* raw = new z_stream{};
  raw->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  raw->avail_in = static_cast<uInt>(bytes.size());
  if (::inflateInit2(raw, window) != Z_OK) {
    delete raw;
    return resource_exhausted("there is no memory to decompress with");
  }
  InflateStream stream(raw);
  int result = Z_OK;
  while (result == Z_OK) {
    if (stream->avail_out == 0 && !grow(*stream, out))
      return resource_exhausted(
          "the decompressed string would have more than " + std::to_string(max_inflated_bytes) +
          " bytes");
    result = ::inflate(stream.get(), Z_NO_FLUSH);
  }
  out.resize(out.size() - stream->avail_out);
  if (result == Z_STREAM_END) return {};
  if (result == Z_BUF_ERROR)
    return data_loss("the " + std::to_string(bytes.size()) + " compressed bytes end too early");
  return data_loss(
      "inflate() failed with error " + std::to_string(result) +
      (stream->msg ? std::string(": ") + stream->msg : ""));
}

Result<Kernel> make_decode_compressed(const Node& node) {
  const auto& type = node.attr<std::string>("compression_type");
  if (type.empty())
    return Kernel{.compute = [](Launch& launch) {
      launch.set(0, launch.input(0));
      return Status();
    }};
  auto window = type == "ZLIB" ? zlib_window : gzip_window;
  return string_kernel([window](Launch& launch) {
    return map_strings<std::string>(launch, [&](const std::string& bytes, std::string& out) {
      return inflate_bytes(bytes, window, out);
    });
  });
}

Status decode_json(Launch& launch) {
  return map_strings<std::string>(launch, [](const std::string& json, std::string& out) {
    auto bytes = example_from_json(json);
    if (bytes) out = *std::move(bytes);
    return bytes.status();
  });
}

}  // namespace

void add_decoding_kernels(KernelCatalog& catalog) {
  catalog.add("DecodeCompressed", make_decode_compressed);
  add_string_kernel(catalog, "DecodeJSONExample", decode_json);
}

}  // namespace troupe::cpu
