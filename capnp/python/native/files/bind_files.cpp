#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <mutex>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/devices/files/record_file.hpp"

namespace troupe::python {
namespace {

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

/// A record file that threads of a program may share: each call has the file for itself.
template <class File>
struct SharedFile {
  explicit SharedFile(File opened) : file(std::move(opened)) {}

  template <class Call>
  auto use(Call call) {
    return without_gil([&] {
      std::lock_guard lock(mutex);
      return call(file);
    });
  }

  std::mutex mutex;
  File file;
};
using Reader = SharedFile<RecordFileReader>;
using Writer = SharedFile<RecordFileWriter>;

std::unique_ptr<Reader> open_reader(const std::string& path, const std::string& type) {
  auto compression = take(parse_compression(type));
  return std::make_unique<Reader>(
      take(without_gil([&] { return RecordFileReader::open(path, compression); })));
}

/// The next record; None at the end.
nb::object read(Reader& reader) {
  std::string record;
  auto has_record = take(reader.use([&](RecordFileReader& file) { return file.read(record); }));
  if (!has_record) return nb::none();
  return nb::bytes(record.data(), record.size());
}

/// zlib's numbers by name; those that are left out keep their default.
CompressionOptions to_options(const std::string& type, nb::dict given) {
  CompressionOptions options{.type = take(parse_compression(type))};
  auto set = [&](const char* name, int& field) {
    if (given.contains(name)) field = nb::cast<int>(given[name]);
  };
  set("level", options.level);
  set("window_bits", options.window_bits);
  set("memory_level", options.memory_level);
  set("strategy", options.strategy);
  return options;
}

std::unique_ptr<Writer> create_writer(
    const std::string& path, const std::string& type, nb::dict given) {
  auto options = to_options(type, given);
  return std::make_unique<Writer>(
      take(without_gil([&] { return RecordFileWriter::create(path, options); })));
}

void write(Writer& writer, const nb::bytes& record) {
  check(writer.use([&](RecordFileWriter& file) { return file.write(view_of(record)); }));
}

}  // namespace

void bind_files(nb::module_& module) {
  nb::class_<Reader>(module, "RecordFileReader").def("read", &read);
  module.def("open_record_file", &open_reader, nb::arg("path"), nb::arg("compression"));
  nb::class_<Writer>(module, "RecordFileWriter")
      .def("write", &write, nb::arg("record"))
      .def(
          "flush",
          [](Writer& writer) {
            check(writer.use([](RecordFileWriter& file) { return file.flush(); }));
          })
      .def("close", [](Writer& writer) {
        check(writer.use([](RecordFileWriter& file) { return file.close(); }));
      });
  module.def(
      "create_record_file", &create_writer, nb::arg("path"), nb::arg("compression"),
      nb::arg("options"));
}

}  // namespace troupe::python
