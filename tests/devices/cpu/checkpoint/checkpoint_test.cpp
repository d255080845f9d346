#include <cstring>

#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/tests/devices/cpu/checkpoint/checkpoint_fixture.hpp"

namespace troupe::testing {

namespace {

using Names = std::vector<std::string>;

/// A file as another program would write it.
std::string safetensors(const std::string& header, const std::string& data) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(checkpoint, CheckpointFixture)

BOOST_AUTO_TEST_CASE(what_was_saved_is_restored) {
  auto w = vec({2, 2}, {1, -2.5, 1e30f, 4});
  auto global_step = Tensor::scalar<int64_t>(12345678901);
  BOOST_TEST(save(prefix, {"w", "global_step"}, {w, global_step}) == "");
  BOOST_TEST(
      restore(prefix, {"global_step", "w"}, {DType::int64, DType::float32}) ==
      "int64[] [12345678901]; float32[2,2] [1 -2.5 1e+30 4]");
  BOOST_TEST(files() == (Names{"model-7.safetensors", "model-7.safetensors.index.json"}));
}

BOOST_AUTO_TEST_CASE(every_dtype_of_the_format_is_kept) {
  Names names;
  Tensors tensors;
  DTypes dtypes;
  for (auto dtype : all_plain()) {
    if (dtype == DType::complex128) continue;
    visit(dtype, [&](auto zero) {
      using T = decltype(zero);
      tensors.push_back(Tensor::of<T>({3}, {T(0), T(1), T(1)}));
    });
    names.push_back(to_string(dtype));
    dtypes.push_back(dtype);
  }
  BOOST_TEST(names.size() == 14U);
  auto expected = show(Result<Tensors>(tensors));
  BOOST_TEST(save(prefix, names, tensors) == "");
  BOOST_TEST(restore(prefix, names, dtypes) == expected);
}

BOOST_AUTO_TEST_CASE(tensors_without_elements_and_names_of_any_letters_are_kept) {
  auto none = vec({0, 3}, {});
  BOOST_TEST(save(prefix, {"a/b:\"\xc3\xa4\"", "none"}, {vec({5}), none}) == "");
  BOOST_TEST(
      restore(prefix, {"none", "a/b:\"\xc3\xa4\""}, {DType::float32, DType::float32}) ==
      "float32[0,3] []; float32[1] [5]");
}

BOOST_AUTO_TEST_CASE(a_file_is_what_the_format_says) {
  BOOST_TEST(save(prefix, {"n", "w"}, {vec<uint8_t>({7}), vec({1})}) == "");
  auto text = read(file);
  uint64_t length = 0;
  std::memcpy(&length, text.data(), sizeof length);
  auto header = text.substr(8, length);
  BOOST_TEST(length % 8 == 0U);
  BOOST_TEST(
      header.starts_with(
          R"({"__metadata__":{"crc32:n":"4c667a2e","crc32:w":"aca16a6a","format":"troupe"},)"
          R"("n":{"data_offsets":[4,5],"dtype":"U8","shape":[1]},)"
          R"("w":{"data_offsets":[0,4],"dtype":"F32","shape":[1]}})"),
      header);
  BOOST_TEST(text.substr(8 + length) == std::string("\0\0\x80\x3f\x07", 5));
}

BOOST_AUTO_TEST_CASE(a_file_of_another_program_is_restored_with_or_without_its_end) {
  write(
      file, safetensors(
                R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I16","shape":[2],)"
                R"("data_offsets":[4,8]},"w":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                std::string("\0\0\0\x40\x01\0\xff\xff", 8)));
  BOOST_TEST(restore(prefix, {"w"}) == "float32[] [2]");
  BOOST_TEST(restore(file, {"b"}, {DType::int16}) == "int16[2] [1 -1]");
}

BOOST_AUTO_TEST_CASE(an_index_of_another_program_leads_to_its_shards) {
  auto shard = [&](const char* number, const char* tensor) {
    write(
        prefix + number + ".safetensors",
        safetensors(
            std::string(R"({")") + tensor + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
            number + 5));
  };
  shard("-00001-of-00002", "a");
  shard("-00002-of-00002", "b");
  write(
      index, R"({"metadata":{"total_size":2},"weight_map":{"a":"model-7-00001-of-00002.safetensors",
                 "b":"model-7-00002-of-00002.safetensors"}})");
  BOOST_TEST(
      restore(prefix, {"a", "b"}, {DType::uint8, DType::uint8}) == "uint8[1] [49]; uint8[1] [50]");
}

BOOST_AUTO_TEST_CASE(missing_folders_are_made) {
  BOOST_TEST(save(folder / "a/b/c", {"w"}, {vec({1})}) == "");
  BOOST_TEST(restore(folder / "a/b/c", {"w"}) == "float32[1] [1]");
}

BOOST_AUTO_TEST_CASE(saving_again_replaces_the_checkpoint) {
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  BOOST_TEST(save(prefix, {"w"}, {vec({2})}) == "");
  BOOST_TEST(restore(prefix, {"w"}) == "float32[1] [2]");
  BOOST_TEST(files().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_missing_tensor_is_named_with_what_there_is) {
  BOOST_TEST(save(prefix, {"hidden/weights", "bias"}, {vec({1}), vec({2})}) == "");
  BOOST_TEST(
      restore(prefix, {"hidden/weight"}) ==
      "NotFound: tensor 'hidden/weight' is not in checkpoint '" + prefix +
          "'; did you mean 'hidden/weights'?");
  BOOST_TEST(
      restore(prefix, {"momentum_of_it_all"}) ==
      "NotFound: tensor 'momentum_of_it_all' is not in checkpoint '" + prefix +
          "', which has 'bias', 'hidden/weights'");
}

BOOST_AUTO_TEST_CASE(a_missing_checkpoint_is_named) {
  BOOST_TEST(
      restore(prefix, {"w"}) ==
      "NotFound: there is no checkpoint '" + prefix + "' (no '" + index + "')");
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  fs::remove(file);
  BOOST_TEST(
      restore(prefix, {"w"}) == "NotFound: cannot read '" + file + "': No such file or directory");
}

BOOST_AUTO_TEST_CASE(another_dtype_is_refused) {
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  BOOST_TEST(
      restore(prefix, {"w"}, {DType::int32}) == "InvalidArgument: tensor 'w' of checkpoint '" +
                                                    prefix +
                                                    "' is float32, but int32 is asked for");
}

BOOST_AUTO_TEST_CASE(a_variable_of_another_shape_is_refused) {
  BOOST_TEST(save(prefix, {"w"}, {vec({1, 2, 3})}) == "");
  Builder b;
  auto w = b.variable("w", b.constant(vec({1, 2})));
  auto restored = b.op(
      "RestoreV2",
      {b.constant(Tensor::string(prefix)), b.constant(strings({"w"})), b.constant(strings({""}))},
      {{"dtypes", DTypes{DType::float32}}});
  auto assigned = w.assign(restored);
  auto status = run_graph(b, {}, {}, {assigned}).status();
  BOOST_TEST(status.message() == "the variable is float32[2], but the value is float32[3]");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_saved_is_refused) {
  BOOST_TEST(
      save(prefix, {"w", "w"}, {vec({1}), vec({2})}) ==
      "InvalidArgument: tensor 'w' would be saved twice");
  BOOST_TEST(
      save(prefix, {"w"}, {Tensor::string("x")}) ==
      "Unimplemented: tensor 'w' cannot be saved: safetensors has no string");
  BOOST_TEST(
      save(prefix, {"\xff"}, {vec({1})}) ==
      "InvalidArgument: a tensor's name is not UTF-8, and cannot be saved");
  BOOST_TEST(
      save(prefix, {"__metadata__"}, {vec({1})}) ==
      "InvalidArgument: no tensor can be saved under the name '__metadata__'");
  BOOST_TEST(
      show("SaveV2", {Tensor::string(prefix), strings({"w"}), strings({"4 0,2"}), vec({1})}) ==
      "Unimplemented: only whole tensors are saved and restored, but slice '4 0,2' of 'w' is asked "
      "for");
  BOOST_TEST(
      show("SaveV2", {Tensor::string(prefix), strings({"v", "w"}), strings({""}), vec({1})}) ==
      "InvalidArgument: 2 names and 1 slices were given for 1 tensors");
}

BOOST_AUTO_TEST_CASE(parts_become_the_shards_of_one_checkpoint) {
  BOOST_TEST(save(folder / "temp/part-0", {"v"}, {vec({1})}) == "");
  BOOST_TEST(save(folder / "temp/part-1", {"w"}, {vec({2})}) == "");
  BOOST_TEST(merge({folder / "temp/part-0", folder / "temp/part-1"}) == "");
  BOOST_TEST(
      restore(prefix, {"v", "w"}, {DType::float32, DType::float32}) ==
      "float32[1] [1]; float32[1] [2]");
  BOOST_TEST(
      files() == (Names{
                     "model-7-00000-of-00002.safetensors", "model-7-00001-of-00002.safetensors",
                     "model-7.safetensors.index.json"}));
}

BOOST_AUTO_TEST_CASE(parts_with_a_tensor_in_common_are_not_merged) {
  BOOST_TEST(save(folder / "part-0", {"w"}, {vec({1})}) == "");
  BOOST_TEST(save(folder / "part-1", {"w"}, {vec({2})}) == "");
  BOOST_TEST(
      merge({folder / "part-0", folder / "part-1"}) ==
      "InvalidArgument: tensor 'w' is in two of the files");
}

BOOST_AUTO_TEST_CASE(a_part_on_another_file_system_is_missing_unless_it_may_be) {
  auto here = cpu::sharded_filename(prefix, 0, 2), elsewhere = cpu::sharded_filename(prefix, 1, 2);
  BOOST_TEST(save(here, {"v"}, {vec({1})}) == "");
  BOOST_TEST(starts_with(merge({here, elsewhere}), "NotFound: cannot read '" + elsewhere));
  BOOST_TEST(merge({here, elsewhere}, {{"allow_missing_files", true}}) == "");
  BOOST_TEST(restore(prefix, {"v"}) == "float32[1] [1]");
  BOOST_TEST(starts_with(restore(prefix, {"w"}), "NotFound: tensor 'w' is not in checkpoint"));
}

BOOST_AUTO_TEST_CASE(a_task_without_the_index_restores_from_its_own_shard) {
  BOOST_TEST(save(cpu::sharded_filename(prefix, 1, 2), {"w"}, {vec({2})}) == "");
  BOOST_TEST(restore(prefix, {"w"}) == "float32[1] [2]");
}

BOOST_AUTO_TEST_CASE(a_removed_checkpoint_is_gone_and_its_neighbours_are_not) {
  for (auto name : {"model-7", "model-70", "model-7-00001-of-00002", "model-7-best"})
    BOOST_TEST(save(folder / name, {"w"}, {vec({1})}) == "");
  BOOST_TEST(show("RemoveCheckpoint", {Tensor::string(prefix)}) == "");
  BOOST_TEST(
      files() == (Names{
                     "model-7-best.safetensors", "model-7-best.safetensors.index.json",
                     "model-70.safetensors", "model-70.safetensors.index.json"}));
  BOOST_TEST(show("RemoveCheckpoint", {Tensor::string(prefix)}) == "");
}

BOOST_AUTO_TEST_CASE(shards_are_numbered) {
  auto name = [](int32_t shard, int32_t count) {
    return show(
        "ShardedFilename", {Tensor::string("m"), Tensor::scalar(shard), Tensor::scalar(count)});
  };
  BOOST_TEST(name(1, 4) == R"(string[] ["m-00001-of-00004"])");
  BOOST_TEST(name(4, 4) == "InvalidArgument: there is no shard 4 of 4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
