#include <sys/resource.h>

#include <csignal>

#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
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

BOOST_AUTO_TEST_CASE(a_truncated_file_is_refused_by_name) {
  BOOST_TEST(save(prefix, {"v", "w"}, {vec({1}), vec({2, 3})}) == "");
  fs::resize_file(file, fs::file_size(file) - 1);
  BOOST_TEST(
      restore(prefix, {"v"}) ==
      "DataLoss: '" + file +
          "' is damaged: tensor 'w' would end at 12 bytes of data, of which the file has 11");
  fs::resize_file(file, 20);
  BOOST_TEST(starts_with(
      restore(prefix, {"v"}), "DataLoss: '" + file + "' is damaged: its header would have "));
  fs::resize_file(file, 7);
  BOOST_TEST(restore(prefix, {"v"}) == "DataLoss: '" + file + "' ends too early, at 7 bytes");
  fs::resize_file(file, 0);
  BOOST_TEST(restore(prefix, {"v"}) == "DataLoss: '" + file + "' ends too early, at 0 bytes");
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_is_refused_by_name) {
  BOOST_TEST(save(prefix, {"v", "w"}, {vec({1}), vec({2, 3})}) == "");
  auto text = read(file);
  text.back() ^= 1;
  write(file, text);
  BOOST_TEST(
      restore(prefix, {"w"}) ==
      "DataLoss: '" + file + "' is damaged: tensor 'w' does not have its checksum");
  BOOST_TEST(restore(prefix, {"v"}) == "float32[1] [1]");
}

BOOST_AUTO_TEST_CASE(no_flipped_bit_anywhere_gives_another_value) {
  BOOST_TEST(save(prefix, {"w"}, {vec({2, 3})}) == "");
  for (const auto& path : {file, index}) {
    auto whole = read(path);
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      auto flipped = whole;
      flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
      write(path, flipped);
      auto reader = cpu::CheckpointReader::open(prefix);
      auto value = reader ? reader->read("w", DType::float32, heap_allocator())
                          : Result<Tensor>(reader.status());
      bool is_right = value ? equal(*value, vec({2, 3})) : !value.status().message().empty();
      BOOST_TEST(is_right, "bit " << bit << " of " << path);
    }
    write(path, whole);
  }
}

BOOST_AUTO_TEST_CASE(a_file_of_another_save_is_refused) {
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  auto old_index = read(index);
  BOOST_TEST(save(prefix, {"w"}, {vec({2})}) == "");
  write(index, old_index);
  BOOST_TEST(
      restore(prefix, {"w"}) ==
      "DataLoss: tensor 'w' of 'model-7.safetensors' is not the one that was saved as checkpoint "
      "'" +
          prefix + "'");
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

BOOST_AUTO_TEST_CASE(a_save_that_fails_leaves_the_other_checkpoints) {
  auto big = varied<float>({64, 64});
  BOOST_TEST(save(folder / "model-6", {"w"}, {vec({1})}) == "");
  {
    SmallDisk disk(8192);
    BOOST_TEST(starts_with(save(prefix, {"w"}, {big}), "ResourceExhausted"));
  }
  BOOST_TEST(restore(folder / "model-6", {"w"}) == "float32[1] [1]");
}

BOOST_AUTO_TEST_CASE(a_place_where_nobody_may_write_is_told) {
  BOOST_TEST(
      save("/sys/model", {"w"}, {vec({1})}) ==
      "PermissionDenied: cannot write '/sys/model.safetensors': Permission denied");
}

BOOST_AUTO_TEST_CASE(a_directory_is_no_checkpoint) {
  fs::create_directory(prefix);
  auto refusal = "InvalidArgument: '" + prefix +
                 "' is a directory, and no prefix for the files of a checkpoint";
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == refusal);
  BOOST_TEST(restore(prefix, {"w"}) == refusal);
  fs::remove(prefix);
  fs::create_directory(file);
  BOOST_TEST(
      save(prefix, {"w"}, {vec({1})}) ==
      "InvalidArgument: cannot write '" + file + "': Is a directory");
  BOOST_TEST(
      restore(prefix, {"w"}) == "InvalidArgument: cannot read '" + file + "': Is a directory");
  write(folder / "file", "");
  BOOST_TEST(starts_with(save(folder / "file/model", {"w"}, {vec({1})}), "InvalidArgument: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
