#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The name of a device, or a device constraint, in which fields may be left open:
/// "/job:ps/task:0/device:CPU:0", "/job:worker", "cpu:0", "gpu", "". As TensorFlow's grammar: the
/// first '/' may be left out, the fields in any order, `replica` accepted if it is 0, the type in
/// any case and kept in capitals, "*" for any type, index or task.
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> task;
  std::optional<std::string> type;
  std::optional<int> index;

  /// InvalidArgument quotes the name and says what is wrong with it.
  static Result<DeviceName> parse(std::string_view text);

  bool is_full() const { return job && task && type && index; }
  /// True when every field that `constraint` has is the same here.
  bool satisfies(const DeviceName& constraint) const;
  /// This constraint, with its open fields taken from `fallback`.
  DeviceName or_else(const DeviceName& fallback) const;

  /// "/job:ps/task:0/device:CPU:0"; open fields are left out, "CPU:*" where only the type is known.
  std::string to_string() const;

  bool operator==(const DeviceName&) const = default;
};

/// True for a letter followed by letters, digits or '_', as TensorFlow requires of a job's name.
bool is_job_name(std::string_view text);

/// "/job:ps/task:0".
std::string task_name(std::string_view job, int task);

}  // namespace troupe
