#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/support/file.hpp"
#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

struct NamedTensor {
  std::string name;
  Tensor value;
};

/// A CRC-32 of each tensor's bytes, by name.
using Checksums = std::map<std::string, uint32_t, std::less<>>;

/// "8f3a1c22", as files spell a checksum.
std::string to_hex(uint32_t checksum);
std::optional<uint32_t> parse_hex(const std::string& text);

/// Writes a file in the format of huggingface's safetensors: the length of the header in 8 bytes,
/// the header in JSON, then the elements, which come straight from the tensors' memory. The
/// checksums are in the header's `__metadata__` as "crc32:NAME". Unimplemented names a tensor of a
/// dtype that the format does not have (string, complex128).
Result<Checksums> write_safetensors(
    const std::filesystem::path& path, std::vector<NamedTensor> tensors);

/// A file in that format, written by any program. DataLoss names the file and, if possible, the
/// damaged tensor. Tensors without a checksum are not verified.
class SafetensorsFile {
 public:
  struct Entry {
    DType dtype;
    Shape shape;
    uint64_t begin;  // offsets in the file
    uint64_t end;
    std::optional<uint32_t> checksum;
  };

  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }
  /// The tensor of one of the entries.
  Result<Tensor> read(const std::string& name, Allocator& allocator) const;

 private:
  explicit SafetensorsFile(FileReader file) : file_(std::move(file)) {}

  FileReader file_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace troupe::cpu
