#include "troupe/devices/cpu/checkpoint/sorted_table.hpp"

#include <leveldb/cache.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

constexpr size_t footer_bytes = 48;
constexpr size_t cached_bytes = size_t{4} << 20;  // of blocks that were read
constexpr size_t block_trailer_bytes = 5;         // how it is compressed, and its checksum

leveldb::Slice to_slice(std::string_view text) { return {text.data(), text.size()}; }

/// Keeps the status of what it was last asked for: LevelDB's own has no code for most errors.
class LevelDbInput final : public leveldb::RandomAccessFile {
 public:
  explicit LevelDbInput(FileReader file) : file_(std::move(file)) {}

  const FileReader& file() const { return file_; }
  uint64_t last_offset() const { return last_offset_; }

  leveldb::Status Read(
      uint64_t offset, size_t size, leveldb::Slice* result, char* scratch) const override {
    last_offset_ = offset;
    // LevelDB adds the trailer's size to what a file claims without a look at the sum.
    bool is_inside =
        size >= block_trailer_bytes && offset <= file_.size() && size <= file_.size() - offset;
    if (!is_inside) return leveldb::Status::Corruption("a block is outside of the file");
    auto status = file_.read(offset, scratch, size);
    if (!status.ok()) return leveldb::Status::IOError(status.message());
    *result = leveldb::Slice(scratch, size);
    return leveldb::Status::OK();
  }

 private:
  FileReader file_;
  mutable std::atomic<uint64_t> last_offset_{0};
};

class LevelDbOutput final : public leveldb::WritableFile {
 public:
  explicit LevelDbOutput(FileWriter& file) : file_(file) {}

  const Status& status() const { return status_; }

  leveldb::Status Append(const leveldb::Slice& data) override {
    // The builder writes blocks and trailers one by one.
    unwritten_.append(data.data(), data.size());
    return unwritten_.size() < buffer_bytes ? leveldb::Status::OK() : Flush();
  }
  leveldb::Status Flush() override {
    if (status_.ok()) status_ = file_.append(unwritten_);
    unwritten_.clear();
    return status_.ok() ? leveldb::Status::OK() : leveldb::Status::IOError(status_.message());
  }
  leveldb::Status Close() override { return Flush(); }
  leveldb::Status Sync() override { return Flush(); }

 private:
  static constexpr size_t buffer_bytes = size_t{1} << 20;

  FileWriter& file_;
  Status status_;
  std::string unwritten_;
};

Status damaged_table(const std::filesystem::path& path, uint64_t offset, const std::string& why) {
  return {
      Code::data_loss,
      quote(path.string()) + " is damaged at offset " + std::to_string(offset) + ": " + why};
}

leveldb::ReadOptions checked_reads() {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  return options;
}

class LevelDbTable final : public SortedTable {
 public:
  explicit LevelDbTable(FileReader file) : input_(std::move(file)) {}

  Status open() {
    if (auto status = check_footer(); !status.ok()) return status;
    return checked([&] {
      leveldb::Options options;
      options.paranoid_checks = true;
      options.block_cache = cache_.get();
      leveldb::Table* table = nullptr;
      auto status = leveldb::Table::Open(options, &input_, input_.file().size(), &table);
      table_.reset(table);
      return to_status(status);
    });
  }

  Result<std::optional<std::string>> find(const std::string& key) const override {
    std::optional<std::string> value;
    auto status = checked([&] {
      std::unique_ptr<leveldb::Iterator> at(table_->NewIterator(checked_reads()));
      at->Seek(to_slice(key));
      if (at->Valid() && at->key() == to_slice(key)) value = at->value().ToString();
      return to_status(at->status());
    });
    if (!status.ok()) return status;
    return value;
  }

  Status for_each(const Visit& visit) const override {
    return checked([&] {
      std::unique_ptr<leveldb::Iterator> at(table_->NewIterator(checked_reads()));
      for (at->SeekToFirst(); at->Valid(); at->Next())
        if (auto status = visit(at->key().ToString(), at->value().ToString()); !status.ok())
          return status;
      return to_status(at->status());
    });
  }

 private:
  /// The footer has no checksum, and LevelDB takes as much memory as it says before it reads.
  Status check_footer() const {
    auto size = input_.file().size();
    const auto& path = input_.file().path();
    if (size < footer_bytes) return damaged_table(path, 0, "it is too short for a table");
    std::string footer(footer_bytes, '\0');
    auto status = input_.file().read(size - footer_bytes, footer.data(), footer_bytes);
    if (!status.ok()) return status;
    std::string_view rest = footer;
    for (int block = 0; block < 2; ++block) {
      auto offset = take_varint(rest), length = take_varint(rest);
      bool is_inside = offset && length && *offset <= size && *length <= size - *offset;
      if (!is_inside)
        return damaged_table(path, size - footer_bytes, "it names a block outside of the file");
    }
    return {};
  }

  static std::optional<uint64_t> take_varint(std::string_view& text) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !text.empty(); shift += 7) {
      auto byte = static_cast<uint8_t>(text.front());
      text.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return {};
  }

  /// What LevelDB does with a damaged file ends in an error, or in too much memory.
  template <class Work>
  Status checked(const Work& work) const {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      return damaged_table(input_.file().path(), input_.last_offset(), "a block is too large");
    }
  }

  Status to_status(const leveldb::Status& status) const {
    if (status.ok()) return {};
    return damaged_table(input_.file().path(), input_.last_offset(), status.ToString());
  }

  LevelDbInput input_;
  std::unique_ptr<leveldb::Cache> cache_{leveldb::NewLRUCache(cached_bytes)};
  std::unique_ptr<leveldb::Table> table_;
};

}  // namespace

Result<std::unique_ptr<SortedTable>> SortedTable::open(const std::filesystem::path& path) {
  auto file = FileReader::open(path);
  if (!file) return file.status();
  auto table = std::make_unique<LevelDbTable>(*std::move(file));
  if (auto status = table->open(); !status.ok()) return status;
  return std::unique_ptr<SortedTable>(std::move(table));
}

Status write_sorted_table(const std::map<std::string, std::string>& table, FileWriter& file) {
  LevelDbOutput output(file);
  leveldb::Options options;
  // TensorFlow's, so that its files and ours are the same.
  options.block_size = 262144;
  options.compression = leveldb::kNoCompression;
  leveldb::TableBuilder builder(options, &output);
  for (const auto& [key, value] : table) builder.Add(to_slice(key), to_slice(value));
  // A full disk may show here only; the file's own status says more.
  auto finished = builder.Finish();
  auto closed = output.Close();
  if (!output.status().ok()) return output.status();
  if (!finished.ok() || !closed.ok())
    return internal("cannot write a table: " + finished.ToString());
  return {};
}

}  // namespace troupe::cpu
