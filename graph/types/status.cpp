#include "troupe/graph/types/status.hpp"

#include <algorithm>

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
  detail_ = std::make_shared<const Detail>(
      Detail{.code = code, .message = std::move(message), .where = std::move(where), .notes = {}});
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
  auto detail = *detail_;
  detail.where = std::move(merged);
  return Status(std::move(detail));
}

const std::vector<std::string>& Status::notes() const {
  static const std::vector<std::string> none;
  return detail_ ? detail_->notes : none;
}

Status Status::with_note(std::string note) const {
  constexpr size_t notes_max = 8;
  if (ok() || notes().size() >= notes_max || std::ranges::count(notes(), note)) return *this;
  auto detail = *detail_;
  detail.notes.push_back(std::move(note));
  return Status(std::move(detail));
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
  if (!spot.empty()) text += " [" + spot + "]";
  for (const auto& note : notes()) text += "\n  also: " + note;
  return text;
}

bool Status::operator==(const Status& other) const {
  return code() == other.code() && message() == other.message() && where() == other.where() &&
         notes() == other.notes();
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
