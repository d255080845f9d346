#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "troupe/graph/types/status.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace troupe {

/// The rows of a query of a SQLite database. Not thread-safe.
class SqliteQuery {
 public:
  /// `source`: the path of the database, which is made where it is not there. The query can use no
  /// other. InvalidArgument: the source names no path, or the query is none; errors as TensorFlow's
  /// of what SQLite says.
  static Result<SqliteQuery> open(const std::string& source, const std::string& query);

  int column_count() const;

  /// Goes to the next row; false at the end. `is_stopped` is asked now and then: true ends the
  /// query with Cancelled.
  Result<bool> step(const std::function<bool()>& is_stopped);

  // The values of the row, converted as SQLite does it.
  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  struct CloseDatabase {
    void operator()(sqlite3* database) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  SqliteQuery() = default;

  // The statement ends first.
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace troupe
