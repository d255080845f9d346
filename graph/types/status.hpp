#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "troupe/graph/support/check.hpp"

namespace troupe {

/// The canonical codes, with the numbers that gRPC and TensorFlow (tf.errors) give them.
enum class Code : uint8_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};
/// What a peer or a client sends beyond it is no code.
inline constexpr Code last_code = Code::unauthenticated;

/// "InvalidArgument", as tf.errors spells its classes.
const char* to_string(Code code);

/// Where in the cluster an error arose; fields that do not apply are empty.
struct Where {
  std::string node;    // the graph node's name
  std::string op;      // its op, "MatMul"
  std::string device;  // "/job:ps/task:0/device:CPU:0"
  std::string task;    // "/job:ps/task:0"

  bool operator==(const Where&) const = default;
};

/// Success, or why a request could not be served and where that happened. A small value: success
/// allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message, Where where = {});

  bool ok() const { return !detail_; }
  Code code() const { return detail_ ? detail_->code : Code::ok; }
  const std::string& message() const;
  const Where& where() const;

  /// The same error, with those fields of `where` that it did not have yet.
  Status at(const Where& where) const;

  /// The same error with a further line: something else that went wrong at the same time. Notes
  /// beyond the first few are dropped, as are repeated ones.
  Status with_note(std::string note) const;
  const std::vector<std::string>& notes() const;

  /// "InvalidArgument: shapes differ [node 'y' (MatMul) on /job:ps/task:0/device:CPU:0]", then a
  /// line for each note.
  std::string to_string() const;

  bool operator==(const Status& other) const;

 private:
  struct Detail {
    Code code;
    std::string message;
    Where where;
    std::vector<std::string> notes;
  };
  explicit Status(Detail detail) : detail_(std::make_shared<const Detail>(std::move(detail))) {}

  std::shared_ptr<const Detail> detail_;
};

Status cancelled(std::string message);
Status invalid_argument(std::string message);
Status deadline_exceeded(std::string message);
Status not_found(std::string message);
Status resource_exhausted(std::string message);
Status failed_precondition(std::string message);
Status aborted(std::string message);
Status unimplemented(std::string message);
Status internal(std::string message);
Status unavailable(std::string message);

/// Either a value or the Status that explains its absence.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}
  Result(Status status) : held_(std::move(status)) { CHECK(!this->status().ok()); }
  /// As the value that it holds would be converted.
  template <class U>
  requires(std::convertible_to<U, T> && !std::same_as<U, T>) Result(Result<U> other)
      : held_(other.status()) {
    if (other) held_.template emplace<0>(*std::move(other));
  }

  explicit operator bool() const { return held_.index() == 0; }
  bool ok() const { return held_.index() == 0; }
  T& operator*() & { return std::get<0>(held_); }
  const T& operator*() const& { return std::get<0>(held_); }
  T&& operator*() && { return std::get<0>(std::move(held_)); }
  T* operator->() { return &std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }

  /// Why there is no value; Ok when there is one.
  Status status() const { return ok() ? Status() : std::get<1>(held_); }

 private:
  std::variant<T, Status> held_;
};

}  // namespace troupe
