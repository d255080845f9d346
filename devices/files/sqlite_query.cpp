#include "troupe/devices/files/sqlite_query.hpp"

#include <sqlite3.h>

#include <limits>
#include <string_view>

#include "troupe/graph/support/file_access.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

Code code_of(int result) {
  switch (result & 0xff) {
    case SQLITE_ABORT: return Code::aborted;
    case SQLITE_READONLY:
    case SQLITE_MISMATCH: return Code::failed_precondition;
    case SQLITE_MISUSE:
    case SQLITE_INTERNAL: return Code::internal;
    case SQLITE_RANGE: return Code::out_of_range;
    case SQLITE_CANTOPEN:
    case SQLITE_CONSTRAINT:
    case SQLITE_NOTFOUND:
    case SQLITE_NOTADB: return Code::invalid_argument;
    case SQLITE_CORRUPT: return Code::data_loss;
    case SQLITE_AUTH:
    case SQLITE_PERM: return Code::permission_denied;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_NOLFS: return Code::resource_exhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM: return Code::unavailable;
    case SQLITE_INTERRUPT: return Code::cancelled;
    default: return Code::unknown;
  }
}

/// What SQLite asks before it does something: a query stays in its database.
int authorize(void*, int action, const char* first, const char*, const char*, const char*) {
  if (action == SQLITE_ATTACH || action == SQLITE_DETACH) return SQLITE_DENY;
  auto name = std::string_view(first ? first : "");
  if (action == SQLITE_PRAGMA && name.ends_with("_store_directory")) return SQLITE_DENY;
  return SQLITE_OK;
}

/// Whether it is a path, and no other name of SQLite's for a database.
bool is_path(const std::string& source) {
  return !source.empty() && !source.starts_with("file:") && source.find('\0') == source.npos;
}

}  // namespace

void SqliteQuery::CloseDatabase::operator()(sqlite3* database) const { sqlite3_close(database); }
void SqliteQuery::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<SqliteQuery> SqliteQuery::open(const std::string& source, const std::string& query) {
  if (source != ":memory:") {
    if (!is_path(source))
      return invalid_argument(quote(source) + " is not the path of a SQLite database");
    if (auto status = check_file_access(source); !status.ok()) return status;
  }
  SqliteQuery opened;
  sqlite3* database = nullptr;
  auto result = sqlite3_open_v2(
      source.c_str(), &database,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_FULLMUTEX,
      nullptr);
  opened.database_.reset(database);
  if (result != SQLITE_OK)
    return Status(
        code_of(result),
        "cannot open the SQLite database " + quote(source) + ": " + sqlite3_errstr(result));
  sqlite3_set_authorizer(database, authorize, nullptr);
  if (query.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return invalid_argument("the query is too long");
  sqlite3_stmt* statement = nullptr;
  result = sqlite3_prepare_v2(
      database, query.data(), static_cast<int>(query.size()), &statement, nullptr);
  opened.statement_.reset(statement);
  if (result != SQLITE_OK)
    return Status(
        code_of(result), std::string("the query ") + quote(query) +
                             " cannot be prepared: " + sqlite3_errmsg(database));
  if (!statement) return invalid_argument("the query is empty");
  return opened;
}

int SqliteQuery::column_count() const { return sqlite3_column_count(statement_.get()); }

Result<bool> SqliteQuery::step(const std::function<bool()>& is_stopped) {
  constexpr int instructions_between_questions = 10'000;
  sqlite3_progress_handler(
      database_.get(), instructions_between_questions,
      [](void* asked) { return (*static_cast<const std::function<bool()>*>(asked))() ? 1 : 0; },
      const_cast<std::function<bool()>*>(&is_stopped));
  auto result = sqlite3_step(statement_.get());
  sqlite3_progress_handler(database_.get(), 0, nullptr, nullptr);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return Status(
      code_of(result), std::string("the query failed: ") + sqlite3_errmsg(database_.get()));
}

int64_t SqliteQuery::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double SqliteQuery::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string SqliteQuery::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes ? std::string(bytes, size) : std::string();
}

}  // namespace troupe
