#include "troupe/graph/support/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "troupe/graph/support/append_file.hpp"
#include "troupe/graph/support/file_access.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

// Linux moves at most some 2 GiB a call.
constexpr size_t bytes_a_call_max = size_t{1} << 30;

Code code_of(int error) {
  switch (error) {
    case ENOENT: return Code::not_found;
    case EACCES:
    case EPERM:
    case EROFS: return Code::permission_denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM: return Code::resource_exhausted;
    case EISDIR:
    case ENOTDIR:
    case ENOTEMPTY:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
    case EXDEV: return Code::invalid_argument;
    case EIO: return Code::data_loss;
    default: return Code::unknown;
  }
}

/// "cannot write '/a/b': No space left on device".
Status file_error(const char* verb, const fs::path& path, int error) {
  return {
      code_of(error),
      std::string("cannot ") + verb + " " + quote(path.string()) + ": " + std::strerror(error)};
}

/// Fails for a name with a zero, of which the system would see only the part before that, and for
/// one that the process is not to use.
Status check_name(const fs::path& path) {
  if (path.native().find('\0') == std::string::npos) return check_file_access(path);
  return invalid_argument(quote(path.string()) + " names no file");
}

Status write_all(int fd, const fs::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    auto written = write(fd, bytes.data(), std::min(bytes.size(), bytes_a_call_max));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? file_error("make the folder", folder, error.value()) : Status();
}

/// Makes files durable that were created, renamed or removed in the folder.
Status sync_folder(const fs::path& folder) {
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return file_error("open", folder, errno);
  // EINVAL: the file system does not support it, and does not need it.
  int error = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  close(fd);
  return error ? file_error("sync", folder, error) : Status();
}

}  // namespace

Result<FileWriter> FileWriter::create(const fs::path& path) {
  if (!path.has_filename()) return invalid_argument(quote(path.string()) + " names no file");
  if (auto status = check_name(path); !status.ok()) return status;
  auto folder = folder_of(path);
  if (auto status = make_folder(folder); !status.ok()) return status;
  // Concurrent writers of one file use different temporary files; one left by a dead process is
  // skipped.
  for (int number = 0;; ++number) {
    auto temporary = folder / ("." + path.filename().string() + "." + std::to_string(number));
    int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return FileWriter(path, std::move(temporary), fd);
    if (errno != EEXIST) return file_error("write", path, errno);
  }
}

FileWriter::FileWriter(fs::path path, fs::path temporary, int fd)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)) {}

FileWriter::~FileWriter() {
  if (fd_ < 0) return;
  close(fd_);
  unlink(temporary_.c_str());
}

Status FileWriter::append(const void* bytes, size_t size) {
  return write_all(fd_, path_, {static_cast<const char*>(bytes), size});
}

Status FileWriter::commit() {
  if (fsync(fd_) != 0) return file_error("write", path_, errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return file_error("write", path_, errno);
  close(std::exchange(fd_, -1));
  return sync_folder(folder_of(path_));
}

Result<FileAppender> FileAppender::create(const fs::path& path) {
  if (!path.has_filename()) return invalid_argument(quote(path.string()) + " names no file");
  if (auto status = check_name(path); !status.ok()) return status;
  if (auto status = make_folder(folder_of(path)); !status.ok()) return status;
  // O_NONBLOCK: a pipe without a reader is an error and no wait.
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666);
  if (fd < 0) return file_error("write", path, errno);
  return FileAppender(path, fd);
}

Status append_file(const fs::path& path, std::string_view text) {
  if (!path.has_filename()) return invalid_argument(quote(path.string()) + " names no file");
  if (auto status = check_name(path); !status.ok()) return status;
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  if (fd < 0) return file_error("write", path, errno);
  auto status = write_all(fd, path, text);
  if (close(fd) != 0 && status.ok()) status = file_error("write", path, errno);
  return status;
}

FileAppender::FileAppender(fs::path path, int fd) : path_(std::move(path)), fd_(fd) {}

FileAppender::FileAppender(FileAppender&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

FileAppender::~FileAppender() {
  if (fd_ >= 0) close(fd_);
}

Status FileAppender::append(std::string_view bytes) { return write_all(fd_, path_, bytes); }

Result<FileReader> FileReader::open(const fs::path& path) {
  if (auto status = check_name(path); !status.ok()) return status;
  // O_NONBLOCK: a pipe without a writer is an error and no wait.
  int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return file_error("read", path, errno);
  struct stat file_stat = {};
  int error = fstat(fd, &file_stat) == 0 ? 0 : errno;
  if (!error && S_ISDIR(file_stat.st_mode)) error = EISDIR;
  if (!error && !S_ISREG(file_stat.st_mode)) error = EINVAL;
  if (!error) return FileReader(path, fd, static_cast<uint64_t>(file_stat.st_size));
  close(fd);
  return file_error("read", path, error);
}

FileReader::FileReader(fs::path path, int fd, uint64_t size)
    : path_(std::move(path)), fd_(fd), size_(size) {}

FileReader::FileReader(FileReader&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

FileReader::~FileReader() {
  if (fd_ >= 0) close(fd_);
}

Status FileReader::read(uint64_t offset, void* to, size_t size) const {
  auto* next = static_cast<char*>(to);
  while (size > 0) {
    auto got = pread(fd_, next, std::min(size, bytes_a_call_max), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path_, errno);
    if (got == 0)
      return {
          Code::data_loss,
          quote(path_.string()) + " ends too early, at " + std::to_string(offset) + " bytes"};
    next += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return {};
}

Status write_file(const fs::path& path, std::string_view text) {
  auto writer = FileWriter::create(path);
  if (!writer) return writer.status();
  if (auto status = writer->append(text); !status.ok()) return status;
  return writer->commit();
}

Result<std::string> read_file(const fs::path& path) {
  auto reader = FileReader::open(path);
  if (!reader) return reader.status();
  std::string text(reader->size(), '\0');
  if (auto status = reader->read(0, text.data(), text.size()); !status.ok()) return status;
  return text;
}

Status remove_file(const fs::path& path) {
  if (auto status = check_name(path); !status.ok()) return status;
  if (unlink(path.c_str()) == 0) return sync_folder(folder_of(path));
  return errno == ENOENT || errno == ENOTDIR ? Status() : file_error("remove", path, errno);
}

Status rename_file(const fs::path& from, const fs::path& to) {
  if (from == to) return {};
  for (const auto* path : {&from, &to})
    if (auto status = check_name(*path); !status.ok()) return status;
  if (rename(from.c_str(), to.c_str()) != 0) return file_error("rename", from, errno);
  return sync_folder(folder_of(to));
}

}  // namespace troupe
