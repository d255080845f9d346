#include "troupe/graph/cluster/device_name.hpp"

#include <algorithm>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(
      upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  return upper;
}

/// Parses the fields of one name. Its errors lack the name, which DeviceName::parse() adds.
class Fields {
 public:
  Status add(std::string_view field) {
    auto colon = field.find(':');
    auto key = field.substr(0, colon);
    auto type = upper_case(key);
    auto is_type = type == "CPU" || type == "GPU";
    if (colon == std::string_view::npos)
      return is_type ? add_device(type) : invalid_argument(quote(field) + " has no ':'");
    auto value = field.substr(colon + 1);
    if (key == "job") return add_job(value);
    if (key == "replica") return add_replica(value);
    if (key == "task") return add_index(seen_task_, name_.task, "task", value);
    if (key == "device") return add_device(value);
    if (is_type) return add_device(type + ":" + std::string(value));
    return invalid_argument(
        "unknown field " + quote(key) + " (expected job, replica, task, device, cpu or gpu)");
  }

  DeviceName take() { return std::move(name_); }

 private:
  static Status once(bool& seen, std::string_view field) {
    if (seen) return invalid_argument("field " + quote(field) + " is given twice");
    seen = true;
    return {};
  }

  Status add_job(std::string_view value) {
    if (auto status = once(seen_job_, "job"); !status.ok()) return status;
    if (value == "*") return {};
    if (!is_job_name(value))
      return invalid_argument(
          "job " + quote(value) + " must be a letter followed by letters, digits or '_'");
    name_.job = value;
    return {};
  }

  Status add_replica(std::string_view value) {
    std::optional<int> replica;
    if (auto status = add_index(seen_replica_, replica, "replica", value); !status.ok())
      return status;
    if (replica && *replica != 0) return invalid_argument("replica must be 0");
    return {};
  }

  /// A type alone ("device:GPU", "gpu") leaves the index open, as "device:GPU:*" does.
  Status add_device(std::string_view value) {
    auto colon = value.find(':');
    auto type = value.substr(0, colon);
    if (type != "*" && !is_job_name(type))
      return invalid_argument("device type " + quote(type) + " must be a word such as CPU, or '*'");
    auto index = colon == std::string_view::npos ? "*" : value.substr(colon + 1);
    if (auto status = add_index(seen_device_, name_.index, "device", index); !status.ok())
      return status;
    if (type != "*") name_.type = upper_case(type);
    return {};
  }

  static Status add_index(
      bool& seen, std::optional<int>& index, std::string_view field, std::string_view value) {
    if (auto status = once(seen, field); !status.ok()) return status;
    if (value == "*") return {};
    auto number = parse_number(value);
    if (!number)
      return invalid_argument(
          std::string(field) + " index " + quote(value) + " must be a number or '*'");
    index = number;
    return {};
  }

  DeviceName name_;
  bool seen_job_ = false;
  bool seen_replica_ = false;
  bool seen_task_ = false;
  bool seen_device_ = false;
};

Status explain(std::string_view text, const std::string& fault) {
  return invalid_argument("device name " + quote(text) + ": " + fault);
}

template <class T>
bool matches(const std::optional<T>& has, const std::optional<T>& constraint) {
  return !constraint || has == constraint;
}

}  // namespace

Result<DeviceName> DeviceName::parse(std::string_view text) {
  if (text.empty() || text == "/") return DeviceName();
  Fields fields;
  auto rest = text;
  if (rest[0] == '/') rest.remove_prefix(1);
  for (bool is_end = false; !is_end;) {
    auto field = rest.substr(0, rest.find('/'));
    if (auto status = fields.add(field); !status.ok()) return explain(text, status.message());
    is_end = field.size() == rest.size();
    rest.remove_prefix(is_end ? field.size() : field.size() + 1);
  }
  return fields.take();
}

bool DeviceName::satisfies(const DeviceName& constraint) const {
  return matches(job, constraint.job) && matches(task, constraint.task) &&
         matches(type, constraint.type) && matches(index, constraint.index);
}

DeviceName DeviceName::or_else(const DeviceName& fallback) const {
  return {
      .job = job ? job : fallback.job,
      .task = task ? task : fallback.task,
      .type = type ? type : fallback.type,
      .index = index ? index : fallback.index};
}

std::string DeviceName::to_string() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (task) text += "/task:" + std::to_string(*task);
  if (type || index)
    text += "/device:" + type.value_or("*") + ":" + (index ? std::to_string(*index) : "*");
  return text;
}

bool is_job_name(std::string_view text) {
  auto is_inner = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, is_inner);
}

std::string task_name(std::string_view job, int task) {
  return "/job:" + std::string(job) + "/task:" + std::to_string(task);
}

}  // namespace troupe
