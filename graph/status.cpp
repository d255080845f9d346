#include "troupe/graph/status.hpp"

namespace troupe {

const char* to_string(Code code) {
  static constexpr const char* names[] = {
      "Ok",       "Cancelled",      "Unknown",          "InvalidArgument",   "DeadlineExceeded",
      "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
      "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
      "DataLoss", "Unauthenticated"};
  auto index = static_cast<size_t>(code);
  return index < std::size(names) ? names[index] : "Unknown";
}

Status::Status(Code code, std::string message, Where where) {
  if (code == Code::ok) return;
  detail_ = std::make_shared<const Detail>(Detail{code, std::move(message), std::move(where)});
}

const std::string& Status::message() const {
  static const std::string none;
  return detail_ ? detail_->message : none;
}

const Where& Status::where() const {
  static const Where nowhere;
  return detail_ ? detail_->where : nowhere;
}

Status Status::at(const Where& where) const {
  if (ok()) return *this;
  Where merged = detail_->where;
  auto fill = [](std::string& field, const std::string& value) {
    if (field.empty()) field = value;
  };
  fill(merged.node, where.node);
  fill(merged.op, where.op);
  fill(merged.device, where.device);
  fill(merged.task, where.task);
  return Status(detail_->code, detail_->message, std::move(merged));
}

std::string Status::to_string() const {
  if (ok()) return "Ok";
  std::string text = std::string(troupe::to_string(code())) + ": " + message();
  const auto& place = where();
  std::string spot;
  if (!place.node.empty()) spot += "node '" + place.node + "'";
  if (!place.op.empty()) spot += spot.empty() ? "op " + place.op : " (" + place.op + ")";
  const auto& host = place.device.empty() ? place.task : place.device;
  if (!host.empty()) spot += (spot.empty() ? "on " : " on ") + host;
  return spot.empty() ? text : text + " [" + spot + "]";
}

bool Status::operator==(const Status& other) const {
  return code() == other.code() && message() == other.message() && where() == other.where();
}

Status cancelled(std::string message) { return {Code::cancelled, std::move(message)}; }
Status invalid_argument(std::string message) {
  return {Code::invalid_argument, std::move(message)};
}
Status deadline_exceeded(std::string message) {
  return {Code::deadline_exceeded, std::move(message)};
}
Status not_found(std::string message) { return {Code::not_found, std::move(message)}; }
Status resource_exhausted(std::string message) {
  return {Code::resource_exhausted, std::move(message)};
}
Status failed_precondition(std::string message) {
  return {Code::failed_precondition, std::move(message)};
}
Status aborted(std::string message) { return {Code::aborted, std::move(message)}; }
Status unimplemented(std::string message) { return {Code::unimplemented, std::move(message)}; }
Status internal(std::string message) { return {Code::internal, std::move(message)}; }
Status unavailable(std::string message) { return {Code::unavailable, std::move(message)}; }

}  // namespace troupe
