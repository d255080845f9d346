#include "troupe/graph/types/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace troupe {
namespace {

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::byte* map_pages(int descriptor, uint64_t bytes, int protection) {
  auto* data =
      ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, descriptor, /*offset=*/0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

}  // namespace

std::shared_ptr<SharedFile> SharedFile::create(uint64_t bytes) {
  auto descriptor = ::memfd_create("troupe tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return nullptr;
  std::byte* data = nullptr;
  if (::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
      ::fcntl(descriptor, F_ADD_SEALS, seals) == 0)
    data = map_pages(descriptor, bytes, PROT_READ | PROT_WRITE);
  if (!data) {
    ::close(descriptor);
    return nullptr;
  }
  // A child of fork() would write to the memory of its parent.
  (void)::madvise(data, bytes, MADV_DONTFORK);
  return std::shared_ptr<SharedFile>(new SharedFile(descriptor, data, bytes));
}

Result<std::shared_ptr<SharedFile>> SharedFile::map(int descriptor, uint64_t bytes) {
  struct stat facts {};
  auto has_seals = ::fcntl(descriptor, F_GET_SEALS);
  if (bytes == 0 || has_seals < 0 || (has_seals & F_SEAL_SHRINK) == 0 ||
      ::fstat(descriptor, &facts) != 0 || static_cast<uint64_t>(facts.st_size) < bytes) {
    ::close(descriptor);
    return invalid_argument("a file that cannot be mapped as memory of another process");
  }
  auto* data = map_pages(descriptor, bytes, PROT_READ);
  auto reason = errno;
  if (!data) {
    ::close(descriptor);
    return resource_exhausted(
        "cannot map " + std::to_string(bytes) +
        " bytes of another process: " + std::strerror(reason));
  }
  return std::shared_ptr<SharedFile>(new SharedFile(descriptor, data, bytes));
}

SharedFile::~SharedFile() {
  ::munmap(data_, bytes_);
  ::close(descriptor_);
}

void SharedFile::discard(uint64_t offset, uint64_t bytes) noexcept {
  (void)::fallocate(
      descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
      static_cast<off_t>(bytes));
}

}  // namespace troupe
