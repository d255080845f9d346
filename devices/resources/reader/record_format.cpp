#include "troupe/devices/resources/reader/record_format.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "troupe/devices/files/lmdb_file.hpp"
#include "troupe/devices/files/record_file.hpp"

namespace troupe {
namespace {

/// A format that has a name for itself and its attributes.
class DeclaredFormat : public RecordFormat {
 public:
  explicit DeclaredFormat(std::string declaration) : declaration_(std::move(declaration)) {}
  const std::string& declaration() const final { return declaration_; }

 private:
  std::string declaration_;
};

class WorkUnitFormat final : public DeclaredFormat {
 public:
  using DeclaredFormat::DeclaredFormat;

  Status begin(const std::string& work_unit) override {
    work_unit_ = work_unit;
    return {};
  }
  Result<Read> read(std::string&, std::string& value) override {
    value = work_unit_;
    return Read::only_record;
  }
  void end() override {}
  bool has_state() const override { return true; }

 private:
  std::string work_unit_;
};

class WholeFileFormat final : public DeclaredFormat {
 public:
  using DeclaredFormat::DeclaredFormat;

  Status begin(const std::string& work_unit) override {
    work_unit_ = work_unit;
    return {};
  }
  Result<Read> read(std::string&, std::string& value) override {
    auto input = InputStream::open(work_unit_, Compression::none, size_t{1} << 20);
    if (!input) return input.status();
    value.clear();
    if (auto status = (*input)->read_all(value); !status.ok()) return status;
    return Read::only_record;
  }
  void end() override {}
  bool has_state() const override { return true; }

 private:
  std::string work_unit_;
};

class TextLineFormat final : public DeclaredFormat {
 public:
  TextLineFormat(std::string declaration, int64_t skip_header_lines)
      : DeclaredFormat(std::move(declaration)), skip_header_lines_(skip_header_lines) {}

  Status begin(const std::string& work_unit) override {
    auto input = InputStream::open(work_unit);
    if (!input) return input.status();
    input_ = *std::move(input);
    std::string line;
    for (line_ = 0; line_ < skip_header_lines_; ++line_) {
      auto has_line = input_->read_line(line);
      if (!has_line) return has_line.status();
      if (!*has_line) break;
    }
    return {};
  }

  Result<Read> read(std::string& key, std::string& value) override {
    auto has_line = input_->read_line(value);
    if (!has_line) return has_line.status();
    if (!*has_line) return Read::end;
    key = std::to_string(++line_);
    return Read::record;
  }

  void end() override { input_.reset(); }

 private:
  const int64_t skip_header_lines_;
  std::unique_ptr<InputStream> input_;
  int64_t line_ = 0;
};

struct FixedLengths {
  int64_t header_bytes = 0;
  int64_t record_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;  // from a record's beginning to the next one's
};

class FixedLengthFormat final : public DeclaredFormat {
 public:
  FixedLengthFormat(std::string declaration, FixedLengths lengths, Compression compression)
      : DeclaredFormat(std::move(declaration)), lengths_(lengths), compression_(compression) {}

  Status begin(const std::string& work_unit) override {
    auto input = InputStream::open(work_unit, compression_);
    if (!input) return input.status();
    input_ = *std::move(input);
    record_ = 0;
    unread_.clear();
    return input_->skip(static_cast<uint64_t>(lengths_.header_bytes)).status();
  }

  Result<Read> read(std::string& key, std::string& value) override {
    if (record_ != 0)
      if (auto status = hop(); !status.ok()) return status;
    auto wanted = static_cast<size_t>(lengths_.record_bytes + lengths_.footer_bytes);
    if (unread_.size() < wanted)
      if (auto status = input_->read(wanted - unread_.size(), unread_); !status.ok()) return status;
    if (unread_.size() < wanted) return Read::end;
    value.assign(unread_, 0, static_cast<size_t>(lengths_.record_bytes));
    key = std::to_string(record_++);
    return Read::record;
  }

  void end() override {
    input_.reset();
    unread_.clear();
  }

 private:
  /// Passes the bytes of the last record, of which the next one may begin inside.
  Status hop() {
    auto hop = static_cast<uint64_t>(lengths_.hop_bytes);
    auto kept = std::min<uint64_t>(hop, unread_.size());
    unread_.erase(0, static_cast<size_t>(kept));
    return input_->skip(hop - kept).status();
  }

  const FixedLengths lengths_;
  const Compression compression_;
  std::unique_ptr<InputStream> input_;
  std::string unread_;  // what was read of the file, from the beginning of the last record
  int64_t record_ = 0;
};

class RecordFileFormat final : public DeclaredFormat {
 public:
  RecordFileFormat(std::string declaration, Compression compression)
      : DeclaredFormat(std::move(declaration)), compression_(compression) {}

  Status begin(const std::string& work_unit) override {
    auto reader = RecordFileReader::open(work_unit, compression_);
    if (reader) reader_ = std::make_unique<RecordFileReader>(*std::move(reader));
    return reader.status();
  }

  Result<Read> read(std::string& key, std::string& value) override {
    key = std::to_string(reader_->offset());
    auto has_record = reader_->read(value);
    if (!has_record) return has_record.status();
    return *has_record ? Read::record : Read::end;
  }

  void end() override { reader_.reset(); }

 private:
  const Compression compression_;
  std::unique_ptr<RecordFileReader> reader_;
};

class LmdbFormat final : public DeclaredFormat {
 public:
  using DeclaredFormat::DeclaredFormat;

  Status begin(const std::string& work_unit) override {
    auto file = LmdbFile::open(work_unit);
    if (file) file_.emplace(*std::move(file));
    return file.status();
  }

  Result<Read> read(std::string& key, std::string& value) override {
    auto has_entry = file_->read(key, value);
    if (!has_entry) return has_entry.status();
    return *has_entry ? Read::keyed_record : Read::end;
  }

  void end() override { file_.reset(); }

 private:
  std::optional<LmdbFile> file_;
};

// -- what a node declares

/// The attributes of a node that are no name.
std::string declaration_of(const std::string& op, const Node& node) {
  std::string attrs;
  for (const auto* name :
       {"skip_header_lines", "header_bytes", "record_bytes", "footer_bytes", "hop_bytes",
        "encoding", "compression_type"}) {
    auto found = node.attrs.find(name);
    if (found == node.attrs.end()) continue;
    const auto* number = found->second.get<int64_t>();
    const auto* text = found->second.get<std::string>();
    attrs += (attrs.empty() ? "" : ", ") + std::string(name) + "=" +
             (number ? std::to_string(*number)
              : text ? *text
                     : "");
  }
  return op + "(" + attrs + ")";
}

Result<int64_t> count_attr(const Node& node, const std::string& name) {
  auto count = node.attr<int64_t>(name);
  // More than a file could have; sums of two stay in range.
  constexpr int64_t most = int64_t{1} << 40;
  if (count >= 0 && count <= most) return count;
  return invalid_argument(
      name + " must be >= 0 not " + std::to_string(count) +
      (count < 0 ? "" : ", and at most " + std::to_string(most)));
}

Result<FixedLengths> fixed_lengths(const Node& node) {
  FixedLengths lengths;
  for (auto [name, field] :
       {std::pair("header_bytes", &lengths.header_bytes),
        std::pair("record_bytes", &lengths.record_bytes),
        std::pair("footer_bytes", &lengths.footer_bytes),
        std::pair("hop_bytes", &lengths.hop_bytes)}) {
    auto count = count_attr(node, name);
    if (!count) return count.status();
    *field = *count;
  }
  if (lengths.hop_bytes == 0) lengths.hop_bytes = lengths.record_bytes;
  // Else a file would have any number of them.
  if (lengths.hop_bytes == 0)
    return invalid_argument("record_bytes or hop_bytes must be greater than 0");
  return lengths;
}

}  // namespace

Result<std::unique_ptr<RecordFormat>> make_record_format(const Node& handle) {
  using Made = std::unique_ptr<RecordFormat>;
  auto op = handle.op->name();
  if (op.ends_with("V2")) op.resize(op.size() - 2);
  auto declaration = declaration_of(op, handle);
  if (op == "LMDBReader") return Made(new LmdbFormat(declaration));
  if (op == "IdentityReader") return Made(new WorkUnitFormat(declaration));
  if (op == "WholeFileReader") return Made(new WholeFileFormat(declaration));
  if (op == "TextLineReader") {
    auto lines = count_attr(handle, "skip_header_lines");
    if (!lines) return lines.status();
    return Made(new TextLineFormat(declaration, *lines));
  }
  if (op == "TFRecordReader") {
    auto compression = parse_compression(handle.attr<std::string>("compression_type"));
    if (!compression) return compression.status();
    return Made(new RecordFileFormat(declaration, *compression));
  }
  if (op == "FixedLengthRecordReader") {
    auto lengths = fixed_lengths(handle);
    if (!lengths) return lengths.status();
    auto has_encoding = handle.attrs.contains("encoding");
    auto compression = parse_compression(has_encoding ? handle.attr<std::string>("encoding") : "");
    if (!compression) return compression.status();
    return Made(new FixedLengthFormat(declaration, *lengths, *compression));
  }
  return unimplemented("there is no reader " + op);
}

}  // namespace troupe
