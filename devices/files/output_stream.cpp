#include "troupe/devices/files/output_stream.hpp"

#include <algorithm>
#include <optional>

#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

constexpr size_t buffer_bytes = size_t{256} << 10;

Status closed() { return failed_precondition("Writer not initialized or previously closed"); }

class PlainOutput final : public OutputStream {
 public:
  explicit PlainOutput(FileAppender file) : file_(std::move(file)) {}
  ~PlainOutput() override { (void)close(); }

  Status write(std::string_view bytes) override {
    if (!file_) return closed();
    if (buffered_.size() + bytes.size() > buffer_bytes)
      if (auto status = flush(); !status.ok()) return status;
    if (bytes.size() > buffer_bytes) return file_->append(bytes);
    buffered_ += bytes;
    return {};
  }

  Status flush() override {
    if (!file_) return closed();
    auto status = file_->append(buffered_);
    if (status.ok()) buffered_.clear();
    return status;
  }

  Status close() override {
    if (!file_) return {};
    auto status = flush();
    file_.reset();
    return status;
  }

 private:
  std::optional<FileAppender> file_;
  std::string buffered_;
};

class DeflatedOutput final : public OutputStream {
 public:
  explicit DeflatedOutput(FileAppender file)
      : file_(std::move(file)), buffer_(buffer_bytes, '\0') {}
  ~DeflatedOutput() override {
    (void)close();
    deflateEnd(&stream_);
  }

  Status initialize(const CompressionOptions& options) {
    constexpr int gzip = 16;  // added to the window's bits
    auto bits = options.window_bits + (options.type == Compression::gzip ? gzip : 0);
    auto error = deflateInit2(
        &stream_, options.level, Z_DEFLATED, bits, options.memory_level, options.strategy);
    if (error == Z_MEM_ERROR) return resource_exhausted("no memory to compress");
    if (error != Z_OK) file_.reset();
    return error == Z_OK ? Status() : invalid_argument("zlib does not take these options");
  }

  Status write(std::string_view bytes) override {
    if (!file_) return closed();
    constexpr size_t bytes_a_call_max = size_t{1} << 30;
    while (!bytes.empty()) {
      auto part = bytes.substr(0, bytes_a_call_max);
      // It only reads.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      stream_.avail_in = static_cast<uInt>(part.size());
      if (auto status = deflate_all(Z_NO_FLUSH); !status.ok()) return status;
      bytes.remove_prefix(part.size());
    }
    return {};
  }

  Status flush() override { return file_ ? deflate_all(Z_SYNC_FLUSH) : closed(); }

  Status close() override {
    if (!file_) return {};
    auto status = deflate_all(Z_FINISH);
    file_.reset();
    return status;
  }

 private:
  /// Until it has taken all input, and has written what it flushes.
  Status deflate_all(int flush_mode) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      // Z_BUF_ERROR, the only one, says that there is nothing to do.
      (void)deflate(&stream_, flush_mode);
      auto size = buffer_.size() - stream_.avail_out;
      if (auto status = file_->append({buffer_.data(), size}); !status.ok()) return status;
    } while (stream_.avail_out == 0);
    return {};
  }

  std::optional<FileAppender> file_;
  std::string buffer_;
  z_stream stream_ = {};
};

}  // namespace

Result<std::unique_ptr<OutputStream>> OutputStream::create(
    const std::filesystem::path& path, const CompressionOptions& options) {
  auto file = FileAppender::create(path);
  if (!file) return file.status();
  if (options.type == Compression::none)
    return std::unique_ptr<OutputStream>(std::make_unique<PlainOutput>(*std::move(file)));
  auto output = std::make_unique<DeflatedOutput>(*std::move(file));
  if (auto status = output->initialize(options); !status.ok())
    return Status(status.code(), quote(path.string()) + ": " + status.message());
  return std::unique_ptr<OutputStream>(std::move(output));
}

}  // namespace troupe
