#include "troupe/devices/resources/reader/reader.hpp"
#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

Result<std::shared_ptr<Resource>> make_reader(const Node& handle) {
  auto format = make_record_format(handle);
  if (!format) return format.status();
  auto op = handle.op->name();
  if (op.ends_with("V2")) op.resize(op.size() - 2);
  return std::shared_ptr<Resource>(
      std::make_shared<ReaderResource>(op + " '" + handle.name + "'", *std::move(format)));
}

Status check_reader(const Resource& resource, const Node& handle) {
  auto declared = make_record_format(handle);
  if (!declared) return declared.status();
  const auto& held = static_cast<const ReaderResource&>(resource).format().declaration();
  if (held == (*declared)->declaration()) return {};
  return invalid_argument(
      "is a " + held + ", but the graph declares it as a " + (*declared)->declaration());
}

}  // namespace

// A reader is the same to those who use it by its handle and by reference.
void add_reader_kind(ResourceKindCatalog& catalog) {
  for (std::string op :
       {"WholeFileReader", "TextLineReader", "FixedLengthRecordReader", "TFRecordReader",
        "IdentityReader", "LMDBReader"})
    for (const auto* form : {"", "V2"}) {
      if (op == "LMDBReader" && *form) continue;  // TensorFlow has it by reference alone
      catalog.add(
          {.name = ReaderResource::kind_name,
           .handle_op = op + form,
           .make = make_reader,
           .check = check_reader});
    }
}

}  // namespace troupe
