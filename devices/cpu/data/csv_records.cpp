#include "troupe/devices/cpu/data/csv_records.hpp"

#include <algorithm>

#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/string/number_text.hpp"
#include "troupe/devices/files/csv_reader.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;

struct CsvOptions {
  std::vector<std::string> paths;
  Compression compression = Compression::none;
  size_t buffer_bytes = InputStream::default_buffer_bytes;
  bool has_header = false;
  CsvFileFormat format;
  std::string missing;  // a field that counts as empty, too
  Tensors fallbacks;    // what stands for empty fields; without an element where none may be empty
};

using FieldTypes = Types<float, double, int32_t, int64_t, std::string>;
using SharedOptions = std::shared_ptr<const CsvOptions>;

/// The value of a field, of that number in the element.
Result<Tensor> value_of(const CsvOptions& options, size_t number, std::string field) {
  const auto& fallback = options.fallbacks[number];
  auto name = "Field " + std::to_string(number);
  Result<Tensor> value = invalid_argument(name + " is required but missing in record!");
  for_dtype(FieldTypes{}, fallback.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (field.empty() || field == options.missing) {
      if (fallback.elements() == 1) value = Tensor::scalar<T>(fallback.data<T>()[0]);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = Tensor::string(std::move(field));
    } else if (read_number(field, zero)) {
      value = Tensor::scalar(zero);
    } else {
      value = invalid_argument(
          name + " in record is not a valid " + to_string(dtype_of<T>()) + ": " + quote(field));
    }
  });
  return value;
}

/// The records of files, one after the other. A file that cannot be opened is tried again with each
/// pull; one that cannot be read is left.
class CsvRecords final : public data::ElementSource {
 public:
  explicit CsvRecords(SharedOptions options) : options_(std::move(options)) {}

  std::optional<Pulled> pull(Done) override {
    while (next_ < options_->paths.size()) {
      if (!file_)
        if (auto status = open(); !status.ok()) return Pulled(status);
      std::vector<std::string> fields;
      auto has_record = file_->read(fields);
      if (has_record && *has_record) return element_of(fields);
      if (!has_record && has_record.status().code() == Code::invalid_argument)
        return Pulled(has_record.status());
      file_.reset();
      ++next_;
      if (!has_record) return Pulled(has_record.status());
    }
    return data::end_of_sequence();
  }

 private:
  Status open() {
    const auto& path = options_->paths[next_];
    auto file =
        CsvReader::open(path, options_->compression, options_->buffer_bytes, options_->format);
    if (!file) return file.status();
    file_.emplace(*std::move(file));
    if (!options_->has_header) return {};
    auto has_header = file_->skip();
    if (has_header && *has_header) return {};
    return invalid_argument("Can't read header of file " + quote(path));
  }

  Pulled element_of(std::vector<std::string>& fields) const {
    auto expected = options_->fallbacks.size();
    if (fields.size() != expected)
      return invalid_argument(
          "Expect " + std::to_string(expected) + " fields but have " +
          std::to_string(fields.size()) + " in record");
    Element element;
    for (size_t i = 0; i < expected; ++i) {
      auto value = value_of(*options_, i, std::move(fields[i]));
      if (!value) return value.status();
      element.push_back(*std::move(value));
    }
    return std::optional<Element>(std::move(element));
  }

  SharedOptions options_;
  size_t next_ = 0;  // the file that is open, or the next one
  std::optional<CsvReader> file_;
};

Result<std::string> text_input(const Launch& launch, int index, const char* name) {
  return scalar_input<std::string>(launch.input(index), name);
}

Status read_paths(const Launch& launch, CsvOptions& options) {
  const auto& names = launch.input(0);
  if (names.shape().rank() > 1)
    return invalid_argument("`filenames` must be a scalar or a vector.");
  auto paths = names.values<std::string>();
  options.paths.assign(paths.begin(), paths.end());
  auto type = text_input(launch, 1, "compression_type");
  if (!type) return type.status();
  auto compression = parse_compression(*type);
  if (!compression) return compression.status();
  options.compression = *compression;
  auto size = number_input(launch, 2, "buffer_size");
  if (!size) return size.status();
  if (*size <= 0) return invalid_argument("buffer_size should be positive");
  options.buffer_bytes = static_cast<size_t>(std::min<int64_t>(*size, 64 << 20));
  return {};
}

Status read_format(const Launch& launch, CsvOptions& options) {
  auto has_header = flag_input(launch, 3, "header");
  if (!has_header) return has_header.status();
  options.has_header = *has_header;
  auto separator = text_input(launch, 4, "field_delim");
  if (!separator) return separator.status();
  if (separator->size() != 1) return invalid_argument("field_delim should be only 1 char");
  options.format.separator = (*separator)[0];
  auto has_quotes = flag_input(launch, 5, "use_quote_delim");
  if (!has_quotes) return has_quotes.status();
  options.format.has_quotes = *has_quotes;
  auto missing = text_input(launch, 6, "na_value");
  if (!missing) return missing.status();
  options.missing = *std::move(missing);
  return {};
}

Status read_columns(const Launch& launch, size_t count, CsvOptions& options) {
  options.format.fields_max = count;
  const auto& chosen = launch.input(7);
  if (chosen.shape().rank() != 1) return invalid_argument("`select_cols` must be a vector.");
  if (chosen.elements() == 0) return {};
  auto columns = chosen.values<int64_t>();
  if (columns.size() != count) return invalid_argument("select_cols should match output size");
  auto is_behind = std::greater_equal<int64_t>();
  if (std::ranges::adjacent_find(columns, is_behind) != columns.end())
    return invalid_argument("select_cols should be strictly increasing indices");
  if (columns[0] < 0) return invalid_argument("select_cols should be non-negative indices");
  options.format.columns.emplace(columns.begin(), columns.end());
  return {};
}

Status read_fallbacks(const Launch& launch, const DTypes& dtypes, CsvOptions& options) {
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const auto& fallback = launch.input(8 + static_cast<int>(i));
    if (fallback.shape().rank() > 1)
      return invalid_argument("Each record default should be at most rank 1");
    if (fallback.elements() > 1)
      return invalid_argument(
          "There should only be 1 default per field but field " + std::to_string(i) + " has " +
          std::to_string(fallback.elements()));
    auto is_known = false;
    for_dtype(FieldTypes{}, dtypes[i], [&](auto) { is_known = true; });
    if (!is_known)
      return invalid_argument(
          std::string("a field of a CSV file cannot be of ") + to_string(dtypes[i]));
    options.fallbacks.push_back(fallback);
  }
  return {};
}

Result<Kernel> make_csv_dataset(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    auto options = std::make_shared<CsvOptions>();
    auto status = read_paths(launch, *options);
    if (status.ok()) status = read_format(launch, *options);
    if (status.ok()) status = read_columns(launch, attrs.dtypes.size(), *options);
    if (status.ok()) status = read_fallbacks(launch, attrs.dtypes, *options);
    if (!status.ok()) return status;
    auto iterate =
        [options = SharedOptions(options)](const SharedIteration&) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<CsvRecords>(options));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

}  // namespace

void add_csv_records_kernels(KernelCatalog& catalog) {
  for (const auto* op : {"CSVDataset", "ExperimentalCSVDataset"}) catalog.add(op, make_csv_dataset);
}

}  // namespace troupe::cpu
