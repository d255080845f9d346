#include "troupe/devices/cpu/string/csv.hpp"

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/string/number_text.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

/// The attributes of DecodeCSV.
struct CsvFormat {
  char separator;
  bool has_quotes;
  std::string missing;           // stands for a field that is not there, as an empty one does
  std::vector<int64_t> columns;  // to read, in order; empty: all
};

/// Splits one record into fields.
class CsvRecord {
 public:
  CsvRecord(const CsvFormat& format, const std::string& record)
      : format_(format), record_(record) {}

  /// The fields of the columns to read, of which so many are expected.
  Result<std::vector<std::string>> fields(size_t expected) {
    std::vector<std::string> fields;
    fields.reserve(expected);
    int64_t column = 0;
    while (!is_at_end() && !has_all(fields)) {
      if (is_line_end(here())) {  // before a field it has no meaning
        ++at_;
        continue;
      }
      std::string field;
      auto status = format_.has_quotes && here() == '"' ? take_quoted(field) : take_plain(field);
      if (!status.ok()) return status;
      if (is_read(column++, fields)) fields.push_back(std::move(field));
    }
    auto ends_empty = record_.ends_with(format_.separator);
    if (ends_empty && !has_all(fields) && is_read(column, fields)) fields.emplace_back();
    return fields;
  }

 private:
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
  bool is_at_end() const { return at_ >= record_.size(); }
  char here() const { return record_[at_]; }
  bool has_all(const std::vector<std::string>& fields) const {
    return !format_.columns.empty() && fields.size() == format_.columns.size();
  }
  bool is_read(int64_t column, const std::vector<std::string>& fields) const {
    return format_.columns.empty() || format_.columns[fields.size()] == column;
  }

  Status take_plain(std::string& field) {
    auto begin = at_;
    for (; !is_at_end() && here() != format_.separator; ++at_)
      if (is_line_end(here()) || (format_.has_quotes && here() == '"'))
        return invalid_argument("a field without quotes cannot contain quotes or line ends");
    field = record_.substr(begin, at_++ - begin);
    return {};
  }

  /// Takes the field and what ends it: a quote, and then a separator or the end of the record.
  Status take_quoted(std::string& field) {
    for (++at_; !is_at_end(); ++at_) {
      if (here() == '"') {
        auto next = at_ + 1;
        if (next == record_.size() || record_[next] == format_.separator) {
          at_ += 2;
          return {};
        }
        if (record_[next] != '"')
          return invalid_argument("a quote inside of a field must be two quotes");
        ++at_;
      }
      field += here();
    }
    return invalid_argument(
        "a field in quotes must end with a quote before a separator or the end of the record");
  }

  const CsvFormat& format_;
  const std::string& record_;
  size_t at_ = 0;
};

/// Where the fields of a column go, and what stands for those that are missing.
struct CsvColumn {
  Tensor values;
  Tensor fallback;  // empty: none may be missing

  Status set(int64_t record, std::string field, bool is_missing) {
    Status status;
    using Allowed = Types<float, double, int32_t, int64_t, std::string>;
    for_dtype(Allowed{}, values.dtype(), [&](auto zero) {
      using T = decltype(zero);
      auto& value = values.mutable_data<T>()[record];
      if (is_missing) {
        if (fallback.elements() == 0) status = invalid_argument("it is missing, but required");
        else value = fallback.value<T>();
      } else if constexpr (std::is_same_v<T, std::string>) {
        value = std::move(field);
      } else if (!read_number(field, value)) {
        status = invalid_argument(shown(field) + " is no number of " + to_string(dtype_of<T>()));
      }
    });
    return status;
  }
};

Status set_fields(
    const CsvFormat& format, const std::string& record, int64_t number,
    std::vector<CsvColumn>& columns) {
  auto in_record = [&](const std::string& text) {
    return invalid_argument("record " + std::to_string(number) + ": " + text);
  };
  auto fields = CsvRecord(format, record).fields(columns.size());
  if (!fields) return in_record(fields.status().message());
  if (fields->size() != columns.size())
    return in_record(
        std::to_string(columns.size()) + " fields are expected, but there are " +
        std::to_string(fields->size()));
  for (size_t i = 0; i < columns.size(); ++i) {
    auto& field = (*fields)[i];
    auto is_missing = field.empty() || field == format.missing;
    auto status = columns[i].set(number, std::move(field), is_missing);
    if (!status.ok()) return in_record("field " + std::to_string(i) + ": " + status.message());
  }
  return {};
}

Status decode_csv(Launch& launch, const CsvFormat& format) {
  const auto& in = launch.input(0);
  std::vector<CsvColumn> columns;
  for (int i = 1; i < launch.input_count(); ++i) {
    const auto& fallback = launch.input(i);
    if (fallback.shape().rank() > 1 || fallback.elements() > 1)
      return invalid_argument(
          "a record default must be a scalar or a vector of at most one element, but that of "
          "field " +
          std::to_string(i - 1) + " has shape " + fallback.shape().to_string());
    auto values = launch.allocate(fallback.dtype(), in.shape());
    if (!values) return values.status();
    columns.push_back({*std::move(values), fallback});
  }
  const auto* records = in.data<std::string>();
  auto status = each_element(
      in.elements(), [&](int64_t i) { return set_fields(format, records[i], i, columns); });
  if (!status.ok()) return status;
  for (size_t i = 0; i < columns.size(); ++i)
    launch.set(static_cast<int>(i), std::move(columns[i].values));
  return {};
}

Result<Kernel> make_decode_csv(const Node& node) {
  CsvFormat format{
      .separator = node.attr<std::string>("field_delim")[0],
      .has_quotes = node.attr<bool>("use_quote_delim"),
      .missing = node.attr<std::string>("na_value"),
      .columns = node.attr<std::vector<int64_t>>("select_cols")};
  return string_kernel([format](Launch& launch) { return decode_csv(launch, format); });
}

}  // namespace

void add_csv_kernels(KernelCatalog& catalog) { catalog.add("DecodeCSV", make_decode_csv); }

}  // namespace troupe::cpu
