#include <algorithm>
#include <array>
#include <optional>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/files/lmdb_file.hpp"
#include "troupe/devices/files/sqlite_query.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;

using ColumnTypes =
    Types<std::string, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, bool, double>;

Tensor column_value(const SqliteQuery& query, int column, DType dtype) {
  Tensor value;
  for_dtype(ColumnTypes{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::string>) value = Tensor::string(query.text(column));
    else if constexpr (std::is_same_v<T, double>) value = Tensor::scalar<T>(query.real(column));
    else if constexpr (std::is_same_v<T, bool>)
      value = Tensor::scalar<T>(query.integer(column) != 0);
    else value = Tensor::scalar<T>(static_cast<T>(query.integer(column)));
  });
  return value;
}

/// The rows of a query, which begins with the first of them.
class QueryRows final : public data::ElementSource {
 public:
  QueryRows(SharedIteration iteration, std::string source, std::string query, DTypes dtypes)
      : iteration_(std::move(iteration)),
        source_(std::move(source)),
        text_(std::move(query)),
        dtypes_(std::move(dtypes)) {}

  std::optional<Pulled> pull(Done) override {
    if (is_ended_) return data::end_of_sequence();
    if (!query_)
      if (auto status = open(); !status.ok()) return Pulled(status);
    auto has_row = query_->step([this] { return iteration_->is_stopped(); });
    if (!has_row || !*has_row) {
      is_ended_ = true;
      query_.reset();
      return has_row ? data::end_of_sequence() : Pulled(has_row.status());
    }
    Element element;
    for (size_t i = 0; i < dtypes_.size(); ++i)
      element.push_back(column_value(*query_, static_cast<int>(i), dtypes_[i]));
    return Pulled(std::optional<Element>(std::move(element)));
  }

 private:
  Status open() {
    auto query = SqliteQuery::open(source_, text_);
    if (!query) return query.status();
    if (static_cast<size_t>(query->column_count()) != dtypes_.size())
      return invalid_argument(
          "The number of columns in query (" + std::to_string(query->column_count()) +
          ") must match the number of elements in output_types (" + std::to_string(dtypes_.size()) +
          ").");
    query_.emplace(*std::move(query));
    return {};
  }

  SharedIteration iteration_;
  const std::string source_, text_;
  const DTypes dtypes_;
  std::optional<SqliteQuery> query_;
  bool is_ended_ = false;
};

Status check_columns(const ElementAttrs& attrs) {
  for (auto dtype : attrs.dtypes) {
    auto is_known = false;
    for_dtype(ColumnTypes{}, dtype, [&](auto) { is_known = true; });
    if (!is_known)
      return invalid_argument(
          std::string("a column cannot be of ") + to_string(dtype) +
          ", but of string, bool, float64 and integers up to int64, but for uint32 and uint64");
  }
  auto is_scalar = [](const Shape& shape) { return shape.is_scalar(); };
  if (!std::ranges::all_of(attrs.shapes, is_scalar))
    return invalid_argument("Each element of `output_shapes_` must be a scalar.");
  return {};
}

Result<Kernel> make_sql_dataset(const Node& node) {
  ElementAttrs attrs(node);
  if (auto status = check_columns(attrs); !status.ok()) return status;
  return Kernel{.compute = [attrs](Launch& launch) -> Status {
    std::array<std::string, 3> texts;
    constexpr const char* names[] = {"driver_name", "data_source_name", "query"};
    for (int i = 0; i < 3; ++i) {
      auto text = scalar_input<std::string>(launch.input(i), names[i]);
      if (!text) return text.status();
      texts[static_cast<size_t>(i)] = *std::move(text);
    }
    if (texts[0] != "sqlite")
      return invalid_argument(
          "The database type, " + texts[0] +
          ", is not supported by SqlDataset. The set of supported databases is: {'sqlite'}.");
    auto iterate = [attrs, texts](const SharedIteration& iteration) -> Result<data::SharedSource> {
      return data::SharedSource(
          std::make_shared<QueryRows>(iteration, texts[1], texts[2], attrs.dtypes));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

/// The entries of files, one file after the other. A file that cannot be opened is tried again with
/// each pull; one that is damaged is left.
class LmdbEntries final : public data::ElementSource {
 public:
  explicit LmdbEntries(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  std::optional<Pulled> pull(Done) override {
    for (; next_ < paths_.size(); ++next_) {
      if (!file_) {
        auto file = LmdbFile::open(paths_[next_]);
        if (!file) return Pulled(file.status());
        file_.emplace(*std::move(file));
      }
      std::string key, value;
      auto has_entry = file_->read(key, value);
      if (has_entry && *has_entry)
        return Pulled(std::optional<Element>(
            Element{Tensor::string(std::move(key)), Tensor::string(std::move(value))}));
      file_.reset();
      if (has_entry) continue;
      ++next_;
      return Pulled(has_entry.status());
    }
    return data::end_of_sequence();
  }

 private:
  const std::vector<std::string> paths_;
  size_t next_ = 0;  // the file that is open, or the next one
  std::optional<LmdbFile> file_;
};

Result<Kernel> make_lmdb_dataset(const Node& node) {
  ElementAttrs attrs(node);
  if (attrs.dtypes != DTypes{DType::string, DType::string})
    return invalid_argument("the elements of LMDB files are two strings, key and value");
  return Kernel{.compute = [attrs](Launch& launch) -> Status {
    const auto& names = launch.input(0);
    if (names.shape().rank() > 1)
      return invalid_argument("`filenames` must be a scalar or a vector.");
    auto values = names.values<std::string>();
    std::vector<std::string> paths(values.begin(), values.end());
    auto iterate = [paths](const SharedIteration&) -> Result<data::SharedSource> {
      return data::SharedSource(std::make_shared<LmdbEntries>(paths));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

}  // namespace

void add_dataset_databases_kernels(KernelCatalog& catalog) {
  for (const std::string prefix : {"", "Experimental"}) {
    catalog.add(prefix + "SqlDataset", make_sql_dataset);
    catalog.add(prefix + "LMDBDataset", make_lmdb_dataset);
  }
}

}  // namespace troupe::cpu
