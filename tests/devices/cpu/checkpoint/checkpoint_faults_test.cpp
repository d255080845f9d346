#include <sys/resource.h>

#include <csignal>

#include "troupe/devices/cpu/checkpoint/bundle_index.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_reader.hpp"
#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"
#include "troupe/tests/devices/cpu/checkpoint/checkpoint_fixture.hpp"

namespace troupe::testing {

namespace {

/// While it exists, no file can grow beyond that size, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit_);
    auto small = limit_;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(checkpoint_faults, CheckpointFixture)

BOOST_AUTO_TEST_CASE(a_truncated_file_is_refused_by_name_and_offset) {
  BOOST_TEST(save(prefix, {"v", "w"}, {vec({1}), vec({2, 3})}) == "");
  fs::resize_file(file, fs::file_size(file) - 1);
  BOOST_TEST(
      restore(prefix, {"w"}) ==
      "DataLoss: '" + file +
          "' is damaged: tensor 'w' at offset 4 would have 8 bytes, but the file has 11");
  BOOST_TEST(restore(prefix, {"v"}) == "float32[1] [1]");
  auto size = fs::file_size(index);
  fs::resize_file(index, size - 1);
  BOOST_TEST(
      starts_with(restore(prefix, {"v"}), "DataLoss: '" + index + "' is damaged at offset "));
  fs::resize_file(index, 20);
  BOOST_TEST(
      restore(prefix, {"v"}) ==
      "DataLoss: '" + index + "' is damaged at offset 0: it is too short for a table");
  fs::resize_file(index, 0);
  BOOST_TEST(starts_with(restore(prefix, {"v"}), "DataLoss: "));
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_is_refused_by_name) {
  BOOST_TEST(save(prefix, {"v", "w"}, {vec({1}), vec({2, 3})}) == "");
  auto text = read(file);
  text.back() ^= 1;
  write(file, text);
  BOOST_TEST(
      restore(prefix, {"w"}) ==
      "DataLoss: '" + file + "' is damaged: tensor 'w' at offset 4 does not have its checksum");
  BOOST_TEST(restore(prefix, {"v"}) == "float32[1] [1]");
}

/// What a reader makes of the files as they are: the tensor, or the error.
Result<Tensor> read_tensor(const std::string& prefix, const std::string& name) {
  auto reader = cpu::CheckpointReader::open(prefix);
  if (!reader) return reader.status();
  auto source = reader->find(name);
  if (!source) return source.status();
  return reader->read(*source, "", heap_allocator());
}

BOOST_AUTO_TEST_CASE(no_flipped_bit_anywhere_gives_another_value) {
  auto texts = strings({"a", "", "bc"});
  BOOST_TEST(
      save(prefix, {"texts", "w", "w"}, {texts, vec({2}), vec({3})}, {"", "2 0,1", "2 1,1"}) == "");
  for (const auto& path : {file, index}) {
    auto whole = read(path);
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      auto flipped = whole;
      flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
      write(path, flipped);
      for (const auto& [name, right] : {std::pair("w", vec({2, 3})), std::pair("texts", texts)}) {
        auto value = read_tensor(prefix, name);
        bool is_right = value ? equal(*value, right) : !value.status().message().empty();
        BOOST_TEST(is_right, "bit " << bit << " of " << path);
      }
    }
    write(path, whole);
  }
}

BOOST_AUTO_TEST_CASE(bytes_without_sense_are_an_error) {
  BOOST_TEST(save(prefix, {"v", "w"}, {vec({1}), vec({2, 3})}) == "");
  auto whole = read(index);
  uint64_t state = 1;
  auto random = [&](uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 3000; ++round) {
    auto bytes = whole;
    for (auto count = 1 + random(6); count > 0; --count)
      bytes[bytes.size() - 1 - random(round % 2 ? bytes.size() : 60)] =
          static_cast<char>(random(256));
    if (random(4) == 0) bytes.resize(random(bytes.size()));
    write(index, bytes);
    auto value = read_tensor(prefix, "w");
    bool is_right = value ? equal(*value, vec({2, 3})) : !value.status().message().empty();
    BOOST_TEST(is_right, "round " << round);
  }
}

/// Replaces the entry of a tensor by one that no writer makes, with good checksums.
void change_entry(
    const std::string& index, const std::string& key,
    const std::function<void(BundleEntry&)>& change) {
  auto all = cpu::BundleIndex::read(index);
  BOOST_TEST_REQUIRE(all.ok(), all.status().to_string());
  change(all->entries.at(key));
  auto writer = FileWriter::create(index);
  BOOST_TEST_REQUIRE(writer.ok());
  BOOST_TEST(all->write(*writer).ok());
  BOOST_TEST(writer->commit().ok());
}

BOOST_AUTO_TEST_CASE(an_entry_that_lies_is_refused) {
  auto restored = [&](const std::function<void(BundleEntry&)>& change) {
    BOOST_TEST(save(prefix, {"v", "w"}, {vec({1}), vec({2, 3})}) == "");
    change_entry(index, "w", change);
    return restore(prefix, {"w"});
  };
  auto lie = "DataLoss: '" + file + "' is damaged: tensor 'w' at offset ";
  BOOST_TEST(restored([](auto& entry) {
               entry.offset = -4;
             }) == lie + "-4 would have 8 bytes, but the file has 12");
  BOOST_TEST(restored([](auto& entry) {
               entry.offset = INT64_MAX;
             }) == lie + "9223372036854775807 would have 8 bytes, but the file has 12");
  BOOST_TEST(restored([](auto& entry) {
               entry.size = 4;
             }) == lie + "4 has 4 bytes, but its shape takes 8");
  BOOST_TEST(restored([](auto& entry) {
               entry.shape = {int64_t{1} << 40};
             }) == lie + "4 has 8 bytes, but its shape takes 4398046511104");
  BOOST_TEST(restored([](auto& entry) {
               entry.data_file = 1;
             }) == "DataLoss: '" + index + "' is damaged: it names file 1 of 1");
  BOOST_TEST(
      restored([](auto& entry) {
        entry.slices = {{{0, 1}}};
      }) ==
      "DataLoss: '" + index + "' is damaged: slice 0,1 of tensor 'w' is not as the tensor says");
  BOOST_TEST(
      restored([](auto& entry) {
        entry.slices = {{{1, 2}}};
      }) == "DataLoss: tensor 'w' of '" + index + "': its entry has a slice outside of its shape");
}

BOOST_AUTO_TEST_CASE(strings_that_lie_are_refused) {
  auto restored = [&](const std::function<void(BundleEntry&)>& change) {
    BOOST_TEST(save(prefix, {"w"}, {strings({"a", "b"})}) == "");
    change_entry(index, "w", change);
    return restore(prefix, {"w"}, {DType::string});
  };
  auto lie = "DataLoss: '" + file + "' is damaged: tensor 'w' at offset 0 ";
  BOOST_TEST(restored([](auto& entry) {
               entry.shape = {int64_t{1} << 40};
             }) == lie + "has fewer bytes than strings");
  BOOST_TEST(restored([](auto& entry) {
               entry.shape = {3};
             }) == lie + "has lengths of strings without their checksum");
  BOOST_TEST(restored([](auto& entry) { entry.size -= 1; }) == lie + "does not have its checksum");
}

BOOST_AUTO_TEST_CASE(overlapping_slices_are_refused) {
  BOOST_TEST(save(prefix, {"w", "w"}, {vec({1, 2}), vec({3, 4})}, {"4 0,2", "4 1,2"}) == "");
  BOOST_TEST(restore(prefix, {"w"}) == "DataLoss: tensor 'w' has overlapping slices 0,2 and 1,2");
}

BOOST_AUTO_TEST_CASE(an_index_of_the_future_is_refused) {
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  auto all = *cpu::BundleIndex::read(index);
  auto restored = [&](const BundleHeader& header) {
    all.header = header;
    auto writer = FileWriter::create(index);
    BOOST_TEST(all.write(*writer).ok());
    BOOST_TEST(writer->commit().ok());
    return restore(prefix, {"w"});
  };
  BOOST_TEST(
      restored({.producer = 2, .min_consumer = 2}) ==
      "InvalidArgument: Checkpoint min consumer version 2 above current version 1: '" + index +
          "'");
  BOOST_TEST(
      restored({.is_big_endian = true}) ==
      "Unimplemented: '" + index + "' was written by a machine of other byte order");
  BOOST_TEST(
      restored({.data_files = -1}) == "DataLoss: '" + index + "' is damaged: its header is none");
}

BOOST_AUTO_TEST_CASE(a_file_of_another_save_is_refused) {
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  auto old_index = read(index);
  BOOST_TEST(save(prefix, {"w"}, {vec({2})}) == "");
  write(index, old_index);
  BOOST_TEST(
      restore(prefix, {"w"}) ==
      "DataLoss: '" + file + "' is damaged: tensor 'w' at offset 0 does not have its checksum");
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_told_and_leaves_no_file) {
  auto big = varied<float>({64, 64});
  {
    SmallDisk disk(8192);
    BOOST_TEST(
        save(prefix, {"w"}, {big}) ==
        "ResourceExhausted: cannot write '" + file + "': File too large");
  }
  BOOST_TEST(files().empty());
  BOOST_TEST(save(prefix, {"w"}, {big}) == "");
}

BOOST_AUTO_TEST_CASE(a_save_that_fails_leaves_all_checkpoints_also_that_of_its_name) {
  auto big = varied<float>({64, 64});
  for (auto name : {"model-6", "model-7"}) BOOST_TEST(save(folder / name, {"w"}, {vec({1})}) == "");
  {
    SmallDisk disk(8192);
    BOOST_TEST(starts_with(save(prefix, {"w"}, {big}), "ResourceExhausted"));
  }
  for (auto name : {"model-6", "model-7"})
    BOOST_TEST(restore(folder / name, {"w"}) == "float32[1] [1]");
}

BOOST_AUTO_TEST_CASE(a_place_where_nobody_may_write_is_told) {
  BOOST_TEST(
      save("/sys/model", {"w"}, {vec({1})}) ==
      "PermissionDenied: cannot write '/sys/model.data-00000-of-00001': Permission denied");
}

BOOST_AUTO_TEST_CASE(a_directory_is_no_checkpoint_but_its_name_may_be_that_of_one) {
  fs::create_directory(prefix);
  for (const auto& name : {prefix, prefix + "/"}) {
    BOOST_TEST(
        restore(name, {"w"}) ==
        "InvalidArgument: '" + name +
            "' is a directory, and no prefix for the files of a checkpoint");
    BOOST_TEST(save(name, {"w"}, {vec({1})}) == "");
    BOOST_TEST(restore(name, {"w"}) == "float32[1] [1]");
  }
  BOOST_TEST(fs::exists(prefix + "/.index"));
  BOOST_TEST(fs::exists(prefix + ".index"));
  BOOST_TEST(
      save("", {"w"}, {vec({1})}) ==
      "InvalidArgument: the prefix of a checkpoint's files is empty");
  fs::remove_all(prefix);
  for (const auto& each : {prefix + ".index", file}) fs::remove(each);
  fs::create_directory(file);
  BOOST_TEST(
      save(prefix, {"w"}, {vec({1})}) ==
      "InvalidArgument: cannot write '" + file + "': Is a directory");
  write(folder / "file", "");
  BOOST_TEST(starts_with(save(folder / "file/model", {"w"}, {vec({1})}), "InvalidArgument: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
