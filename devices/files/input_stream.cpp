#include "troupe/devices/files/input_stream.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

/// Strings are not counted by a device's allocator.
constexpr uint64_t string_bytes_max = uint64_t{4} << 30;

class PlainInput final : public InputStream {
 public:
  PlainInput(FileReader file, size_t buffer_bytes)
      : InputStream(quote(file.path().string())), file_(std::move(file)), buffer_(buffer_bytes) {}

 protected:
  Result<std::string_view> next() override {
    auto size = static_cast<size_t>(std::min<uint64_t>(buffer_.size(), file_.size() - offset_));
    if (auto status = file_.read(offset_, buffer_.data(), size); !status.ok()) return status;
    offset_ += size;
    return std::string_view(buffer_.data(), size);
  }

  uint64_t skip_unread(uint64_t size) override {
    size = std::min(size, file_.size() - offset_);
    offset_ += size;
    return size;
  }

 private:
  FileReader file_;
  std::vector<char> buffer_;
  uint64_t offset_ = 0;
};

class InflatedInput final : public InputStream {
 public:
  InflatedInput(FileReader file, Compression compression, size_t buffer_bytes)
      : InputStream(quote(file.path().string())),
        file_(std::move(file)),
        compressed_(buffer_bytes),
        buffer_(buffer_bytes) {
    constexpr int gzip = 16;  // added to the window's bits
    auto bits = MAX_WBITS + (compression == Compression::gzip ? gzip : 0);
    is_ready_ = inflateInit2(&stream_, bits) == Z_OK;
  }
  ~InflatedInput() override { inflateEnd(&stream_); }

 protected:
  Result<std::string_view> next() override {
    if (!is_ready_) return resource_exhausted("no memory to decompress " + name());
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    while (stream_.avail_out == buffer_.size()) {
      if (stream_.avail_in == 0) {
        if (auto status = read_compressed(); !status.ok()) return status;
        if (stream_.avail_in == 0 && !is_inside_) break;
        if (stream_.avail_in == 0)
          return Status(Code::data_loss, name() + " ends inside of its compressed bytes");
      }
      is_inside_ = true;
      auto error = inflate(&stream_, Z_NO_FLUSH);
      if (error == Z_STREAM_END) {
        // A file may be several compressed ones, one after the other.
        is_inside_ = false;
        error = inflateReset(&stream_);
      }
      if (error != Z_OK && error != Z_BUF_ERROR) return failed(error);
    }
    return std::string_view(buffer_.data(), buffer_.size() - stream_.avail_out);
  }

 private:
  Status read_compressed() {
    auto size = static_cast<size_t>(std::min<uint64_t>(compressed_.size(), file_.size() - offset_));
    if (auto status = file_.read(offset_, compressed_.data(), size); !status.ok()) return status;
    offset_ += size;
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    stream_.avail_in = static_cast<uInt>(size);
    return {};
  }

  Status failed(int error) const {
    auto text = name() + ": inflate() failed with error " + std::to_string(error);
    if (stream_.msg) text += std::string(": ") + stream_.msg;
    return {Code::data_loss, std::move(text)};
  }

  FileReader file_;
  std::vector<char> compressed_, buffer_;
  uint64_t offset_ = 0;
  z_stream stream_ = {};
  bool is_ready_ = false;
  bool is_inside_ = false;  // of a compressed stream, whose end is still to come
};

}  // namespace

Result<std::unique_ptr<InputStream>> InputStream::open(
    const std::filesystem::path& path, Compression compression, size_t buffer_bytes) {
  auto file = FileReader::open(path);
  if (!file) return file.status();
  constexpr size_t least = 64, most = size_t{64} << 20;
  buffer_bytes = std::clamp(buffer_bytes, least, most);
  if (compression == Compression::none)
    return std::unique_ptr<InputStream>(
        std::make_unique<PlainInput>(*std::move(file), buffer_bytes));
  return std::unique_ptr<InputStream>(
      std::make_unique<InflatedInput>(*std::move(file), compression, buffer_bytes));
}

Status InputStream::fill() {
  if (!unread_.empty()) return {};
  auto bytes = next();
  if (bytes) unread_ = *bytes;
  return bytes.status();
}

Status InputStream::check_room(const std::string& text, uint64_t size) const {
  if (size <= string_bytes_max - std::min<uint64_t>(text.size(), string_bytes_max)) return {};
  return resource_exhausted(
      "a string of " + name() + " at " + std::to_string(position_ - text.size()) +
      " would have more than " + std::to_string(string_bytes_max) + " bytes");
}

std::string_view InputStream::take(uint64_t size_max) {
  auto bytes = unread_.substr(0, static_cast<size_t>(std::min<uint64_t>(size_max, unread_.size())));
  unread_.remove_prefix(bytes.size());
  position_ += bytes.size();
  return bytes;
}

Status InputStream::read(uint64_t size, std::string& text) {
  while (size > 0) {
    if (auto status = fill(); !status.ok()) return status;
    if (unread_.empty()) return {};
    auto bytes = take(size);
    if (auto status = check_room(text, bytes.size()); !status.ok()) return status;
    text += bytes;
    size -= bytes.size();
  }
  return {};
}

Status InputStream::read_all(std::string& text) {
  return read(std::numeric_limits<uint64_t>::max(), text);
}

Result<bool> InputStream::read_line(std::string& text) {
  auto is_ended = false;
  text.clear();
  while (!is_ended) {
    if (auto status = fill(); !status.ok()) return status;
    if (unread_.empty()) break;
    auto end = unread_.find('\n');
    is_ended = end != std::string_view::npos;
    auto line = take(is_ended ? end : unread_.size());
    if (auto status = check_room(text, line.size()); !status.ok()) return status;
    text += line;
    if (is_ended) take(1);
  }
  if (text.ends_with('\r')) text.pop_back();
  return is_ended || !text.empty();
}

Result<uint64_t> InputStream::skip(uint64_t size) {
  auto left = size;
  while (left > 0) {
    left -= take(left).size();
    if (left == 0) break;
    auto skipped = skip_unread(left);
    position_ += skipped;
    left -= skipped;
    if (auto status = fill(); !status.ok()) return status;
    if (unread_.empty()) break;
  }
  return size - left;
}

}  // namespace troupe
