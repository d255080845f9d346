#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "troupe/graph/types/descriptor.hpp"
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
  /// Maps a file of another process for reading. It holds `use` open for as long, so that the other
  /// end of that pipe tells when nobody uses the memory any more. InvalidArgument: the file is
  /// smaller, or could still shrink; ResourceExhausted: it cannot be mapped.
  static Result<std::shared_ptr<SharedFile>> map(Descriptor file, uint64_t bytes, Descriptor use);

  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Of a file that was created here.
  const Descriptor& descriptor() const { return descriptor_; }
  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }
  bool contains(const void* memory) const {
    const auto* at = static_cast<const std::byte*>(memory);
    return data_ <= at && at < data_ + bytes_;
  }

  /// Gives the memory of those pages back to the system: they are zeros when they are next used.
  void discard(uint64_t offset, uint64_t bytes) noexcept;

  /// From now on nothing that lies in it changes: others may read it for as long as they like.
  void retire() { is_retired_ = true; }
  bool is_retired() const { return is_retired_; }

 private:
  SharedFile(Descriptor descriptor, std::byte* data, uint64_t bytes)
      : descriptor_(std::move(descriptor)), data_(data), bytes_(bytes) {}

  const Descriptor descriptor_;  // of the file, or of what tells that it is used
  std::byte* const data_;
  const uint64_t bytes_;
  std::atomic<bool> is_retired_ = false;
};

}  // namespace troupe
