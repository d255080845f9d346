#include "troupe/devices/cpu/data/file_cache.hpp"

#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/data/stepped_source.hpp"
#include "troupe/devices/files/record_file.hpp"
#include "troupe/graph/proto/serialized.hpp"
#include "troupe/graph/support/file.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
namespace fs = std::filesystem;

// The file is a record file: its heading, and then each component of each element.

std::string heading_of(const DTypes& dtypes) {
  std::string text = "elements";
  for (auto dtype : dtypes) text += std::string(" ") + to_string(dtype);
  return text;
}

Status not_cached(const fs::path& file, const DTypes& dtypes) {
  return invalid_argument(
      "the file '" + file.string() + "' does not keep " + heading_of(dtypes) +
      ": remove it, or choose another name");
}

class FileCacheReader final : public data::ElementSource {
 public:
  FileCacheReader(RecordFileReader file, size_t components)
      : file_(std::move(file)), components_(components) {}

  std::optional<Pulled> pull(Done) override {
    Element element;
    std::string record;
    while (element.size() < components_) {
      auto read = file_.read(record);
      if (!read) return Pulled(read.status());
      if (!*read) return data::end_of_sequence();
      auto component = parse_tensor(record);
      if (!component) return Pulled(component.status());
      element.push_back(*std::move(component));
    }
    return Pulled(std::optional<Element>(std::move(element)));
  }

 private:
  RecordFileReader file_;
  const size_t components_;
};

class FileCacheWriter final : public data::SteppedSource {
 public:
  /// Writes to `part`, which becomes `file` at the end.
  FileCacheWriter(data::SharedSource input, RecordFileWriter writer, fs::path part, fs::path file)
      : input_(std::move(input)),
        writer_(std::move(writer)),
        part_(std::move(part)),
        file_(std::move(file)) {}
  ~FileCacheWriter() override { give_up(); }

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok()) give_up();
    if (!writer_) return answer;
    auto status = answer->has_value() ? write(**answer) : finish();
    if (status.ok()) return answer;
    give_up();
    return Pulled(status);
  }

  Status write(const Element& element) {
    for (const auto& component : element) {
      auto bytes = serialize_tensor(component);
      if (!bytes) return bytes.status();
      if (auto status = writer_->write(*bytes); !status.ok()) return status;
    }
    return {};
  }

  Status finish() {
    if (auto status = writer_->close(); !status.ok()) return status;
    writer_.reset();
    return rename_file(part_, file_);
  }

  /// Elements are missing: there will be no file.
  void give_up() {
    if (!writer_) return;
    writer_.reset();
    (void)remove_file(part_);
  }

  data::SharedSource input_;
  std::optional<RecordFileWriter> writer_;  // until the end, or an error
  const fs::path part_, file_;
};

Result<data::SharedSource> read_cached(const fs::path& file, const DTypes& dtypes) {
  auto reader = RecordFileReader::open(file);
  if (!reader) return reader.status();
  std::string heading;
  auto read = reader->read(heading);
  if (!read) return read.status();
  if (!*read || heading != heading_of(dtypes)) return not_cached(file, dtypes);
  return data::SharedSource(std::make_shared<FileCacheReader>(*std::move(reader), dtypes.size()));
}

}  // namespace

Result<data::SharedSource> iterate_cached(
    const fs::path& file, const data::SharedDataset& input, const SharedIteration& iteration) {
  auto cached = read_cached(file, input->dtypes());
  if (cached.ok() || cached.status().code() != Code::not_found) return cached;
  auto source = input->iterate(iteration);
  if (!source) return source;
  auto part = fs::path(file.string() + ".part-" + std::to_string(fresh_seed()));
  auto writer = RecordFileWriter::create(part);
  if (!writer) return writer.status();
  auto status = writer->write(heading_of(input->dtypes()));
  if (!status.ok()) return status;
  return data::SharedSource(std::make_shared<FileCacheWriter>(
      *std::move(source), *std::move(writer), std::move(part), file));
}

}  // namespace troupe::cpu
