#include "troupe/devices/files/lmdb_file.hpp"

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

constexpr uint64_t header_bytes = 16, entry_bytes = 8, no_page = ~uint64_t{0};
constexpr uint16_t branch = 1, leaf = 2, overflow = 4, in_pages = 1;
constexpr size_t depth_max = 32;

template <class T>
T number_at(const std::string& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

/// What a page at the beginning of a file says.
struct Description {
  // Offsets in the page: behind its header there are magic, version, address, size, then what is
  // said of the free pages and of the main database, the last page and the transaction.
  static constexpr size_t magic_at = 16, version_at = 20, free_at = 40, main_at = 88;
  static constexpr size_t transaction_at = 144, bytes = 152;

  explicit Description(const std::string& page)
      : is_valid(
            number_at<uint32_t>(page, magic_at) == 0xBEEFC0DE &&
            number_at<uint32_t>(page, version_at) == 1),
        page_bytes(number_at<uint32_t>(page, free_at)),
        flags(number_at<uint16_t>(page, main_at + 4)),
        root(number_at<uint64_t>(page, main_at + 40)),
        transaction(number_at<uint64_t>(page, transaction_at)) {}

  bool is_valid;
  uint32_t page_bytes;
  uint16_t flags;
  uint64_t root, transaction;
};

uint16_t flags_of(const std::string& page) { return number_at<uint16_t>(page, 10); }

/// The number of entries; nothing where their list is not in the page.
std::optional<size_t> count_of(const std::string& page) {
  auto end = number_at<uint16_t>(page, 12);
  if (end < header_bytes || end > page.size()) return {};
  return (end - header_bytes) / 2;
}

/// The entry's bytes, from its beginning to the page's end; nothing where that is not in the page.
std::optional<std::string_view> entry_of(const std::string& page, size_t index) {
  size_t at = number_at<uint16_t>(page, header_bytes + 2 * index);
  if (at < header_bytes || at + entry_bytes > page.size()) return {};
  return std::string_view(page).substr(at);
}

template <class T>
T field_of(std::string_view entry, size_t at) {
  T value;
  std::memcpy(&value, entry.data() + at, sizeof(T));
  return value;
}

}  // namespace

Result<LmdbFile> LmdbFile::open(const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little);
  std::error_code ignored;
  auto is_folder = std::filesystem::is_directory(path, ignored);
  auto reader = FileReader::open(is_folder ? path / "data.mdb" : path);
  if (!reader) return reader.status();
  LmdbFile file(*std::move(reader));
  if (auto status = file.read_descriptions(); !status.ok()) return status;
  return file;
}

Status LmdbFile::read_descriptions() {
  auto none = invalid_argument(quote(file_.path().string()) + " is no file of LMDB");
  std::string page(Description::bytes, '\0');
  if (file_.size() < page.size()) return none;
  if (auto status = file_.read(0, page.data(), page.size()); !status.ok()) return status;
  Description first(page);
  constexpr uint32_t least = 256, most = 65536;
  if (!first.is_valid || first.page_bytes < least || first.page_bytes > most) return none;
  page_bytes_ = first.page_bytes;
  if (file_.size() < page_bytes_ + page.size()) return damaged();
  if (auto status = file_.read(page_bytes_, page.data(), page.size()); !status.ok()) return status;
  Description second(page);
  if (!second.is_valid) return damaged();
  const auto& valid = second.transaction > first.transaction ? second : first;
  constexpr uint16_t several_values = 4;
  if (valid.flags & several_values)
    return invalid_argument(
        "a key of " + quote(file_.path().string()) + " may have several values");
  root_ = valid.root;
  return {};
}

Status LmdbFile::damaged() const {
  return Status(Code::data_loss, quote(file_.path().string()) + " is damaged");
}

/// Reads a page and those of its first entries down to a leaf.
Status LmdbFile::descend(uint64_t page) {
  while (true) {
    if (path_.size() >= depth_max || page >= file_.size() / page_bytes_) return damaged();
    auto& position = path_.emplace_back();
    position.page.resize(page_bytes_);
    auto status = file_.read(page * page_bytes_, position.page.data(), page_bytes_);
    if (!status.ok()) return status;
    auto count = count_of(position.page);
    auto flags = flags_of(position.page);
    if (!count || *count == 0 || (flags & (branch | leaf | overflow)) == 0) return damaged();
    if (flags & leaf) return {};
    auto entry = entry_of(position.page, position.next++);
    if (!(flags & branch) || !entry) return damaged();
    page = field_of<uint32_t>(*entry, 0) | uint64_t{field_of<uint16_t>(*entry, 4)} << 32;
  }
}

Status LmdbFile::read_leaf(std::string& key, std::string& value) {
  auto& position = path_.back();
  auto entry = entry_of(position.page, position.next++);
  if (!entry) return damaged();
  auto value_bytes = uint64_t{field_of<uint32_t>(*entry, 0)};
  auto flags = field_of<uint16_t>(*entry, 4);
  auto key_bytes = size_t{field_of<uint16_t>(*entry, 6)};
  auto rest = entry->substr(entry_bytes);
  if (key_bytes > rest.size()) return damaged();
  key = rest.substr(0, key_bytes);
  rest = rest.substr(key_bytes);
  if (!(flags & in_pages)) {
    if (value_bytes > rest.size()) return damaged();
    value = rest.substr(0, static_cast<size_t>(value_bytes));
    return {};
  }
  if (rest.size() < sizeof(uint64_t)) return damaged();
  auto page = field_of<uint64_t>(rest, 0);
  if (page >= file_.size() / page_bytes_) return damaged();
  auto begin = page * page_bytes_ + header_bytes;
  if (value_bytes > file_.size() - begin) return damaged();
  value.resize(static_cast<size_t>(value_bytes));
  return file_.read(begin, value.data(), value.size());
}

Result<bool> LmdbFile::read(std::string& key, std::string& value) {
  if (!has_begun_) {
    has_begun_ = true;
    if (root_ == no_page) return false;
    if (auto status = descend(root_); !status.ok()) {
      path_.clear();
      return status;
    }
  }
  while (!path_.empty() && path_.back().next >= *count_of(path_.back().page)) path_.pop_back();
  if (path_.empty()) return false;
  Status status;
  if (flags_of(path_.back().page) & branch) {
    auto& position = path_.back();
    auto entry = entry_of(position.page, position.next++);
    status =
        !entry ? damaged()
               : descend(
                     field_of<uint32_t>(*entry, 0) | uint64_t{field_of<uint16_t>(*entry, 4)} << 32);
  }
  if (status.ok()) status = read_leaf(key, value);
  if (status.ok()) return true;
  path_.clear();  // what follows is not known
  return status;
}

}  // namespace troupe
