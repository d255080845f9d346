#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/tests/devices/cpu/checkpoint/checkpoint_fixture.hpp"

namespace troupe::testing {

namespace {

using Names = std::vector<std::string>;

/// A checkpoint that TensorFlow has written (tests/reference/checkpoints).
std::string recorded(const std::string& name) {
  return std::string(TROUPE_REFERENCE) + "/checkpoints/" + name;
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
  BOOST_TEST(files() == (Names{"model-7.data-00000-of-00001", "model-7.index"}));
}

BOOST_AUTO_TEST_CASE(every_dtype_is_kept) {
  Names names;
  Tensors tensors;
  DTypes dtypes;
  for (auto dtype : all_plain()) {
    visit(dtype, [&](auto zero) {
      using T = decltype(zero);
      tensors.push_back(Tensor::of<T>({3}, {T(0), T(1), T(1)}));
    });
    names.push_back(to_string(dtype));
    dtypes.push_back(dtype);
  }
  names.push_back("string");
  tensors.push_back(strings({"", "a", std::string(300, 'x')}));
  dtypes.push_back(DType::string);
  BOOST_TEST(names.size() == 16U);
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

BOOST_AUTO_TEST_CASE(tensorflows_tensors_are_restored) {
  DTypes dtypes = {DType::float32, DType::bfloat16,   DType::boolean, DType::uint32,
                   DType::float16, DType::complex128, DType::int64,   DType::string};
  BOOST_TEST(
      restore(
          recorded("values"),
          {"float32", "bfloat16", "bool", "uint32", "float16", "complex128", "a/scalar", "text"},
          dtypes) ==
      "float32[2,3] [0 1 2 3 0 1]; bfloat16[2,3] [0 1 2 3 0 1]; "
      "bool[2,3] [0 1 1 1 0 1]; uint32[2,3] [0 1 2 3 0 1]; "
      "float16[2,3] [0 1 2 3 0 1]; "
      "complex128[2,3] [(0,0) (1,0) (2,0) (3,0) (0,0) (1,0)]; int64[] [12345678901]; "
      "string[] [\"one\"]");
  BOOST_TEST(
      restore(recorded("values"), {"none", "no_texts"}, {DType::float32, DType::string}) ==
      "float32[0,3] []; string[0] []");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_has_the_bytes_of_tensorflows) {
  Names names;
  DTypes dtypes;
  for (auto name :
       {"float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
        "uint16", "uint32", "uint64", "bool", "complex64", "complex128"}) {
    names.push_back(name);
    dtypes.push_back(*parse_dtype(name));
  }
  for (auto [name, dtype] :
       {std::pair("a/scalar", DType::int64), std::pair("none", DType::float32),
        std::pair("texts", DType::string), std::pair("text", DType::string),
        std::pair("no_texts", DType::string)}) {
    names.push_back(name);
    dtypes.push_back(dtype);
  }
  auto tensors = run_op(
      "RestoreV2",
      {Tensor::string(recorded("values")), strings(names), strings(Names(names.size()))},
      {{"dtypes", dtypes}});
  BOOST_TEST_REQUIRE(tensors.ok(), tensors.status().to_string());
  BOOST_TEST(save(prefix, names, *tensors) == "");
  BOOST_TEST((read(file) == read(recorded("values.data-00000-of-00001"))));
  BOOST_TEST((read(index) == read(recorded("values.index"))));
}

BOOST_AUTO_TEST_CASE(slices_have_the_bytes_of_tensorflows) {
  auto parts = recorded("parts");
  auto restored = [&](const Names& names, const Names& slices, const DTypes& dtypes) {
    auto tensors = run_op(
        "RestoreV2", {Tensor::string(parts), strings(names), strings(slices)},
        {{"dtypes", dtypes}});
    BOOST_TEST_REQUIRE(tensors.ok(), tensors.status().to_string());
    return *tensors;
  };
  DTypes dtypes = {DType::float32, DType::int64, DType::int64, DType::float32, DType::int8};
  Names names = {"rows", "grid", "grid", "b", "long"};
  Names slices = {"4 3 0,2:-", "4 5 0,1:0,3", "4 5 1,3:0,3", "", "9000 0,8999"};
  BOOST_TEST(save(folder / "part-0", names, restored(names, slices, dtypes), slices) == "");
  dtypes.erase(dtypes.begin() + 3);
  names.erase(names.begin() + 3);
  slices = {"4 3 2,2:-", "4 5 0,1:3,2", "4 5 1,3:3,2", "9000 8999,1"};
  BOOST_TEST(save(folder / "part-1", names, restored(names, slices, dtypes), slices) == "");
  BOOST_TEST(merge({folder / "part-0", folder / "part-1"}, {{"delete_old_dirs", false}}) == "");
  for (auto end : {".index", ".data-00000-of-00002", ".data-00001-of-00002"})
    BOOST_TEST((read(prefix + end) == read(parts + end)), end);
}

BOOST_AUTO_TEST_CASE(slices_are_restored_as_other_slices) {
  auto rows = [&](const std::string& slice) {
    return restore(recorded("parts"), {"rows"}, {DType::float32}, {slice});
  };
  BOOST_TEST(rows("") == "float32[4,3] [0 1 2 3 4 5 6 7 8 9 10 11]");
  BOOST_TEST(rows("4 3 -:-") == "float32[4,3] [0 1 2 3 4 5 6 7 8 9 10 11]");
  BOOST_TEST(rows("4 3 1,2:-") == "float32[2,3] [3 4 5 6 7 8]");
  BOOST_TEST(rows("4 3 -:2,1") == "float32[4,1] [2 5 8 11]");
  BOOST_TEST(rows("4 3 2,2:-") == "float32[2,3] [6 7 8 9 10 11]");
  BOOST_TEST(
      restore(recorded("parts"), {"grid"}, {DType::int64}, {"4 5 0,3:1,3"}) ==
      "int64[3,3] [1 2 3 6 7 8 11 12 13]");
  BOOST_TEST(restore(recorded("values"), {"texts"}, {DType::string}, {"2 2 -:0,1"})
                 .starts_with("string[2,1] [\"\" \"xxx"));
}

BOOST_AUTO_TEST_CASE(a_slice_must_be_of_the_tensors_shape_and_be_there) {
  auto rows = [&](const std::string& slice) {
    return restore(recorded("parts"), {"rows"}, {DType::float32}, {slice});
  };
  BOOST_TEST(
      rows("3 4 0,1:-") ==
      "InvalidArgument: tensor_name = rows; shape in shape_and_slice spec [3,4] does not match the "
      "shape stored in checkpoint: [4,3]");
  BOOST_TEST(
      rows("4 3 3,2:-") ==
      "InvalidArgument: Extent in dimension 0 out of bounds: shape = [4,3], slice = 3,2:-");
  BOOST_TEST(rows("4 3 0,2") == "InvalidArgument: Expected 2 parts of a slice, but got 1: 4 3 0,2");
  BOOST_TEST(
      rows("4 3 0;2:-") ==
      "InvalidArgument: Expected a pair of numbers or '-' but got '0;2': string = 4 3 0;2:-");
  BOOST_TEST(
      rows("4") == "InvalidArgument: Need least two elements in shape_and_slice specification: 4");
  BOOST_TEST(
      rows("4 x -:-") == "InvalidArgument: Non numerical dimension in shape_and_slice: 4 x -:-");
  BOOST_TEST(save(prefix, {"w"}, {vec({1, 2})}, {"4 0,2"}) == "");
  BOOST_TEST(restore(prefix, {"w"}, {DType::float32}, {"4 1,1"}) == "float32[1] [2]");
  BOOST_TEST(
      restore(prefix, {"w"}, {DType::float32}, {"4 1,2"}) ==
      "InvalidArgument: Does not have sufficient slices for partitioned tensor w to restore in "
      "slice_spec: 1,2");
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
      "NotFound: Key hidden/weight not found in checkpoint '" + prefix +
          "'; did you mean 'hidden/weights'?");
  BOOST_TEST(
      restore(prefix, {"momentum_of_it_all"}) ==
      "NotFound: Key momentum_of_it_all not found in checkpoint '" + prefix +
          "', which has 'bias', 'hidden/weights'");
}

BOOST_AUTO_TEST_CASE(a_missing_checkpoint_is_named) {
  BOOST_TEST(
      restore(prefix, {"w"}) ==
      "NotFound: Unsuccessful TensorSliceReader constructor: Failed to find any matching files "
      "for " +
          prefix);
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  fs::remove(file);
  BOOST_TEST(
      restore(prefix, {"w"}) == "NotFound: cannot read '" + file + "': No such file or directory");
}

BOOST_AUTO_TEST_CASE(another_dtype_is_refused) {
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  BOOST_TEST(
      restore(prefix, {"w"}, {DType::int32}) ==
      "InvalidArgument: tensor_name = w; expected dtype int32 does not equal original dtype "
      "float32");
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
      save(prefix, {"w", "w"}, {vec({1}), vec({2})}) == "InvalidArgument: Adding duplicate key: w");
  BOOST_TEST(save(prefix, {"w", "w"}, {vec({1}), vec({2})}, {"2 0,1", "2 0,1"})
                 .starts_with("InvalidArgument: Adding duplicate key: "));
  BOOST_TEST(
      save(prefix, {""}, {vec({1})}) ==
      "InvalidArgument: no tensor can be saved under an empty name");
  BOOST_TEST(
      save(prefix, {"w"}, {vec({1})}, {"4 0,2"}) ==
      "InvalidArgument: Slice in shape_and_slice specification does not match the shape of the "
      "tensor to save: 4 0,2, tensor: [1]");
  BOOST_TEST(
      save(prefix, {"w", "w"}, {vec({1}), vec({2})}, {"2 0,1", "3 1,1"}) ==
      "InvalidArgument: the slices of tensor 'w' are not of one tensor: float32[2] and float32[3]");
  BOOST_TEST(files().empty());
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
      files() ==
      (Names{"model-7.data-00000-of-00002", "model-7.data-00001-of-00002", "model-7.index"}));
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
  BOOST_TEST(starts_with(restore(prefix, {"w"}), "NotFound: Key w not found in checkpoint"));
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
                     "model-7-best.data-00000-of-00001", "model-7-best.index",
                     "model-70.data-00000-of-00001", "model-70.index"}));
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
