#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Memory that other processes can map: a file without a name (memfd_create), which passes from
/// process to process by its descriptor. It can neither shrink nor grow, so that what is mapped can
/// be read. Its pages take memory only once they are used. Thread-safe.
class SharedFile {
 public:
  /// New memory of so many bytes, zeros, mapped for reading and writing. Null where the system
  /// refuses it.
  static std::shared_ptr<SharedFile> create(uint64_t bytes);
  /// Maps a file of another process for reading, and owns the descriptor. InvalidArgument: the file
  /// is smaller, or could still shrink; ResourceExhausted: it cannot be mapped.
  static Result<std::shared_ptr<SharedFile>> map(int descriptor, uint64_t bytes);

  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  const int& descriptor() const { return descriptor_; }
  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }
  bool contains(const void* memory) const {
    const auto* at = static_cast<const std::byte*>(memory);
    return data_ <= at && at < data_ + bytes_;
  }

  /// Gives the memory of those pages back to the system: they are zeros when they are next used.
  void discard(uint64_t offset, uint64_t bytes) noexcept;

 private:
  SharedFile(int descriptor, std::byte* data, uint64_t bytes)
      : descriptor_(descriptor), data_(data), bytes_(bytes) {}

  const int descriptor_;
  std::byte* const data_;
  const uint64_t bytes_;
};

}  // namespace troupe
