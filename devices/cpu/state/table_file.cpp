#include "troupe/devices/cpu/state/table_file.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "troupe/devices/cpu/string/number_text.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/files/input_stream.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

/// The table of a larger file would hardly fit into memory, which no allocator counts here.
constexpr uint64_t table_file_bytes_max = uint64_t{4} << 30;

/// The keys or the values of all lines.
class TableColumn {
 public:
  virtual ~TableColumn() = default;
  virtual Status add(std::string_view field, int64_t line) = 0;
  virtual Status add_number(int64_t line) = 0;
  virtual Tensor tensor() const = 0;
};

template <class T>
class TableColumnOf final : public TableColumn {
 public:
  Status add(std::string_view field, int64_t line) override {
    if constexpr (std::is_same_v<T, std::string>) {
      elements_.emplace_back(field);
    } else {
      T number;
      if (!read_number(std::string(field), number))
        return invalid_argument(
            "Field " + shown(field) + " in line " + std::to_string(line) + " is not a valid " +
            to_string(dtype_of<T>()) + ".");
      elements_.push_back(number);
    }
    return {};
  }

  Status add_number(int64_t line) override {
    if constexpr (std::is_same_v<T, int64_t>) elements_.push_back(line);
    return {};
  }

  Tensor tensor() const override {
    return Tensor::of<T>({std::ssize(elements_)}, std::span<const T>(elements_));
  }

 private:
  std::vector<T> elements_;
};

std::unique_ptr<TableColumn> make_column(DType dtype) {
  switch (dtype) {
    case DType::string: return std::make_unique<TableColumnOf<std::string>>();
    case DType::int32: return std::make_unique<TableColumnOf<int32_t>>();
    case DType::int64: return std::make_unique<TableColumnOf<int64_t>>();
    case DType::float32: return std::make_unique<TableColumnOf<float>>();
    case DType::float64: return std::make_unique<TableColumnOf<double>>();
    default: return nullptr;
  }
}

Status check_columns(const TableColumns& columns, DType keys, DType values) {
  auto wrong = [](const std::string& what, DType dtype) {
    return invalid_argument(what + ", got " + to_string(dtype));
  };
  if (columns.key_index == TableColumns::line_number && keys != DType::int64)
    return wrong("Key index for line number requires table key dtype of int64", keys);
  if (columns.value_index == TableColumns::line_number && values != DType::int64)
    return wrong("Value index for line number requires table value dtype of int64", values);
  if (columns.value_index == TableColumns::whole_line && values != DType::string)
    return wrong("Value index for whole line requires table value dtype of string", values);
  return {};
}

class TableFileReader {
 public:
  TableFileReader(const std::string& filename, const TableColumns& columns)
      : filename_(filename), columns_(columns) {}

  Result<HashTableResource::Entries> read(const HashTableResource& table) {
    keys_ = make_column(table.key_dtype());
    values_ = make_column(table.value_dtype());
    if (!keys_ || !values_)
      return invalid_argument(
          std::string("Data type ") + to_string(table.value_dtype()) + " not supported.");
    if (auto status = read_lines(); !status.ok()) return status;
    return HashTableResource::Entries{keys_->tensor(), values_->tensor()};
  }

 private:
  Status read_lines() {
    auto input = InputStream::open(filename_);
    if (!input) return input.status();
    auto vocab_size = columns_.vocab_size;
    std::string line;
    for (; vocab_size < 0 || line_ < vocab_size; ++line_) {
      auto has_line = (*input)->read_line(line);
      if (!has_line) return has_line.status();
      if (!*has_line && vocab_size < 0) return {};
      if (!*has_line)
        return invalid_argument(
            "Invalid vocab_size in " + filename_ + ": expected " + std::to_string(vocab_size) +
            " but got " + std::to_string(line_));
      auto position = (*input)->position();
      if (line.empty())
        return invalid_argument(
            "Invalid content in " + filename_ + ": empty line found at position " +
            std::to_string(position) + ".");
      if (position > table_file_bytes_max)
        return resource_exhausted(
            filename_ + " has more than the " + std::to_string(table_file_bytes_max) +
            " bytes that a table can be made of");
      if (auto status = add(line); !status.ok()) return status;
    }
    return {};
  }

  Status add(const std::string& line) {
    std::vector<std::string_view> fields;
    auto last = std::max(columns_.key_index, columns_.value_index);
    if (last >= 0) fields = split(line, columns_.delimiter);
    if (last >= std::ssize(fields))
      return invalid_argument(
          "Invalid number of columns in " + filename_ + " line " + std::to_string(line_) + " (" +
          shown(line) + ") : expected " + std::to_string(last) + " got " +
          std::to_string(fields.size()));
    auto add_to = [&](TableColumn& column, int64_t index) {
      if (index == TableColumns::line_number) return column.add_number(line_);
      auto is_whole = index == TableColumns::whole_line;
      return column.add(is_whole ? line : fields[static_cast<size_t>(index)], line_);
    };
    if (auto status = add_to(*keys_, columns_.key_index); !status.ok()) return status;
    return add_to(*values_, columns_.value_index);
  }

  const std::string& filename_;
  const TableColumns& columns_;
  std::unique_ptr<TableColumn> keys_, values_;
  int64_t line_ = 0;
};

}  // namespace

Result<HashTableResource::Entries> read_table_file(
    const std::string& filename, const TableColumns& columns, const HashTableResource& table) {
  auto status = check_columns(columns, table.key_dtype(), table.value_dtype());
  if (!status.ok()) return status;
  return TableFileReader(filename, columns).read(table);
}

}  // namespace troupe::cpu
