#include "troupe/graph/types/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace troupe {
namespace {

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::byte* map_pages(int file, uint64_t bytes, int protection) {
  auto* data = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, /*offset=*/0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

/// A file beyond the limit would end the process by a signal.
bool is_within_limit(uint64_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

bool can_be_read(int file, uint64_t bytes) {
  struct stat facts {};
  auto has_seals = ::fcntl(file, F_GET_SEALS);
  return bytes > 0 && has_seals >= 0 && (has_seals & F_SEAL_SHRINK) != 0 &&
         ::fstat(file, &facts) == 0 && static_cast<uint64_t>(facts.st_size) >= bytes;
}

}  // namespace

std::shared_ptr<SharedFile> SharedFile::create(uint64_t bytes) {
  if (!is_within_limit(bytes)) return nullptr;
  Descriptor file(::memfd_create("troupe tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open() || ::ftruncate(file.number(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(file.number(), F_ADD_SEALS, seals) != 0)
    return nullptr;
  auto* data = map_pages(file.number(), bytes, PROT_READ | PROT_WRITE);
  if (!data) return nullptr;
  (void)::madvise(data, bytes, MADV_HUGEPAGE);
  // A child of fork() would write to the memory of its parent.
  (void)::madvise(data, bytes, MADV_DONTFORK);
  return std::shared_ptr<SharedFile>(new SharedFile(std::move(file), data, bytes));
}

Result<std::shared_ptr<SharedFile>> SharedFile::map(
    Descriptor file, uint64_t bytes, Descriptor use) {
  if (!can_be_read(file.number(), bytes))
    return invalid_argument("a file that cannot be mapped as memory of another process");
  auto* data = map_pages(file.number(), bytes, PROT_READ);
  if (!data)
    return resource_exhausted(
        "cannot map " + std::to_string(bytes) +
        " bytes of another process: " + std::strerror(errno));
  return std::shared_ptr<SharedFile>(new SharedFile(std::move(use), data, bytes));
}

SharedFile::~SharedFile() { ::munmap(data_, bytes_); }

void SharedFile::discard(uint64_t offset, uint64_t bytes) noexcept {
  (void)::fallocate(
      descriptor_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
      static_cast<off_t>(bytes));
}

}  // namespace troupe
