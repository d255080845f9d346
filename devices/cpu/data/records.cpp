#include <filesystem>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/csv_records.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/files/input_stream.hpp"
#include "troupe/devices/files/record_file.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;

struct FileOptions {
  Compression compression = Compression::none;
  size_t buffer_bytes = InputStream::default_buffer_bytes;
  int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0;  // of records of one length
};

class LineFile {
 public:
  static Result<LineFile> open(const std::string& path, const FileOptions& options) {
    auto input = InputStream::open(path, options.compression, options.buffer_bytes);
    if (!input) return input.status();
    return LineFile(*std::move(input));
  }
  Result<bool> read(std::string& line) { return input_->read_line(line); }

 private:
  explicit LineFile(std::unique_ptr<InputStream> input) : input_(std::move(input)) {}

  std::unique_ptr<InputStream> input_;
};

class RecordFile {
 public:
  static Result<RecordFile> open(const std::string& path, const FileOptions& options) {
    auto reader = RecordFileReader::open(path, options.compression, options.buffer_bytes);
    if (!reader) return reader.status();
    return RecordFile(*std::move(reader));
  }
  Result<bool> read(std::string& record) { return reader_.read(record); }

 private:
  explicit RecordFile(RecordFileReader reader) : reader_(std::move(reader)) {}

  RecordFileReader reader_;
};

/// Records of one length between a header and a footer, which is known to begin only when the file
/// has ended behind it.
class FixedLengthFile {
 public:
  static Result<FixedLengthFile> open(const std::string& path, const FileOptions& options) {
    // Opened first: whether the process may use the file is asked there.
    auto input = InputStream::open(path, options.compression, options.buffer_bytes);
    if (!input) return input.status();
    if (options.compression == Compression::none)
      if (auto status = check_size(path, options); !status.ok()) return status;
    auto skipped = (*input)->skip(static_cast<uint64_t>(options.header_bytes));
    if (!skipped) return skipped.status();
    return FixedLengthFile(path, options, *std::move(input));
  }

  Result<bool> read(std::string& record) {
    auto size = static_cast<size_t>(options_.record_bytes);
    auto wanted = size + static_cast<size_t>(options_.footer_bytes);
    auto status = input_->read(wanted - ahead_.size(), ahead_);
    if (!status.ok()) return status;
    if (ahead_.size() < wanted) {
      auto body =
          static_cast<int64_t>(input_->position()) - options_.header_bytes - options_.footer_bytes;
      if (body % options_.record_bytes != 0) return wrong_size(path_, options_, body);
      return false;
    }
    record.assign(ahead_, 0, size);
    ahead_.erase(0, size);
    return true;
  }

 private:
  FixedLengthFile(std::string path, FileOptions options, std::unique_ptr<InputStream> input)
      : path_(std::move(path)), options_(options), input_(std::move(input)) {}

  static Status check_size(const std::string& path, const FileOptions& options) {
    std::error_code error;
    auto size = std::filesystem::file_size(path, error);
    if (error) return {};  // it is gone, but can be read
    auto body = static_cast<int64_t>(size) - options.header_bytes - options.footer_bytes;
    return body % options.record_bytes == 0 ? Status() : wrong_size(path, options, body);
  }

  static Status wrong_size(const std::string& path, const FileOptions& options, int64_t body) {
    return invalid_argument(
        "Excluding the header (" + std::to_string(options.header_bytes) + " bytes) and footer (" +
        std::to_string(options.footer_bytes) + " bytes), input file \"" + path +
        "\" has body length " + std::to_string(body) +
        " bytes, which is not an exact multiple of the record length (" +
        std::to_string(options.record_bytes) + " bytes).");
  }

  std::string path_;
  FileOptions options_;
  std::unique_ptr<InputStream> input_;
  std::string ahead_;  // behind the records that were read
};

/// The records of files, one after the other. A file that cannot be opened is tried again with each
/// pull; one that is damaged is left.
template <class File>
class FileRecords final : public data::ElementSource {
 public:
  FileRecords(std::shared_ptr<const std::vector<std::string>> paths, FileOptions options)
      : paths_(std::move(paths)), options_(options) {}

  std::optional<Pulled> pull(Done) override {
    while (next_ < paths_->size()) {
      if (!file_) {
        auto opened = File::open((*paths_)[next_], options_);
        if (!opened) return Pulled(opened.status());
        file_.emplace(*std::move(opened));
      }
      std::string record;
      auto has_record = file_->read(record);
      if (has_record && *has_record)
        return Pulled(std::optional<Element>(Element{Tensor::string(std::move(record))}));
      file_.reset();
      ++next_;
      if (!has_record) return Pulled(has_record.status());
    }
    return data::end_of_sequence();
  }

 private:
  std::shared_ptr<const std::vector<std::string>> paths_;
  FileOptions options_;
  size_t next_ = 0;  // the file that is open, or the next one
  std::optional<File> file_;
};

Result<Compression> compression_input(const Launch& launch, int index) {
  const auto& type = launch.input(index);
  if (!type.shape().is_scalar()) return invalid_argument("compression_type must be a scalar");
  return parse_compression(type.value<std::string>());
}

Status read_buffer_size(const Launch& launch, int index, FileOptions& options) {
  auto size = number_input(launch, index, "buffer_size");
  if (!size) return size.status();
  if (*size < 0) return invalid_argument("`buffer_size` must be >= 0 (0 == default)");
  if (*size > 0) options.buffer_bytes = static_cast<size_t>(std::min<int64_t>(*size, 64 << 20));
  return {};
}

/// Inputs: filenames, compression_type, buffer_size.
Result<FileOptions> compressed_options(const Launch& launch) {
  FileOptions options;
  auto compression = compression_input(launch, 1);
  if (!compression) return compression.status();
  options.compression = *compression;
  if (auto status = read_buffer_size(launch, 2, options); !status.ok()) return status;
  return options;
}

/// Inputs: filenames, header_bytes, record_bytes, footer_bytes, buffer_size and, of the second
/// version, compression_type.
Result<FileOptions> fixed_length_options(const Launch& launch) {
  FileOptions options;
  int64_t* sizes[] = {&options.header_bytes, &options.record_bytes, &options.footer_bytes};
  constexpr const char* names[] = {"header_bytes", "record_bytes", "footer_bytes"};
  for (int i = 0; i < 3; ++i) {
    auto size = number_input(launch, i + 1, names[i]);
    if (!size) return size.status();
    constexpr int64_t most = int64_t{1} << 40;
    if (*size < (i == 1 ? 1 : 0) || *size > most)
      return invalid_argument(
          std::string("`") + names[i] + "` must be " + (i == 1 ? "> 0" : ">= 0"));
    *sizes[i] = *size;
  }
  if (auto status = read_buffer_size(launch, 4, options); !status.ok()) return status;
  if (launch.input_count() < 6) return options;
  auto compression = compression_input(launch, 5);
  if (!compression) return compression.status();
  options.compression = *compression;
  return options;
}

template <class File, Result<FileOptions> (*options_of)(const Launch&)>
Result<Kernel> make_file_dataset(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    const auto& names = launch.input(0);
    if (names.shape().rank() > 1)
      return invalid_argument("`filenames` must be a scalar or a vector.");
    auto options = options_of(launch);
    if (!options) return options.status();
    auto values = names.values<std::string>();
    auto paths = std::make_shared<const std::vector<std::string>>(values.begin(), values.end());
    auto iterate = [paths,
                    options = *options](const SharedIteration&) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<FileRecords<File>>(paths, options));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

}  // namespace

void add_dataset_records_kernels(KernelCatalog& catalog) {
  catalog.add("TextLineDataset", make_file_dataset<LineFile, compressed_options>);
  catalog.add("TFRecordDataset", make_file_dataset<RecordFile, compressed_options>);
  catalog.add("FixedLengthRecordDataset", make_file_dataset<FixedLengthFile, fixed_length_options>);
  catalog.add(
      "FixedLengthRecordDatasetV2", make_file_dataset<FixedLengthFile, fixed_length_options>);
  add_csv_records_kernels(catalog);
}

}  // namespace troupe::cpu
