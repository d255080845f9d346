#include "troupe/devices/cpu/checkpoint/checkpoint_reader.hpp"
#include "troupe/tests/devices/cpu/checkpoint/checkpoint_fixture.hpp"

namespace troupe::testing {

namespace {

using Names = std::vector<std::string>;

/// A checkpoint that TensorFlow has written (tests/reference/checkpoints).
const std::string recorded_v1 = std::string(TROUPE_REFERENCE) + "/checkpoints/v1.ckpt";

/// Those in it, in the order in which they were saved.
const std::vector<std::pair<std::string, DType>> saved_dtypes = {
    {"float32", DType::float32}, {"float64", DType::float64},     {"float16", DType::float16},
    {"int8", DType::int8},       {"int16", DType::int16},         {"int32", DType::int32},
    {"int64", DType::int64},     {"uint8", DType::uint8},         {"uint16", DType::uint16},
    {"bool", DType::boolean},    {"complex64", DType::complex64}, {"complex128", DType::complex128},
};

struct V1Fixture : CheckpointFixture {
  std::string save_v1(Names names, Tensors tensors) {
    tensors.insert(tensors.begin(), {Tensor::string(prefix), strings(std::move(names))});
    return show("Save", tensors);
  }
  std::string save_slices(const std::string& to, Names names, Names slices, Tensors tensors) {
    tensors.insert(
        tensors.begin(), {Tensor::string(to), strings(std::move(names)), strings(slices)});
    return show("SaveSlices", tensors);
  }
  std::string restore_v1(
      const std::string& from, const std::string& name, DType dtype = DType::float32) {
    return show("Restore", {Tensor::string(from), Tensor::string(name)}, {{"dt", dtype}});
  }
  std::string restore_slice(const std::string& name, const std::string& slice, DType dtype) {
    return show(
        "RestoreSlice", {Tensor::string(prefix), Tensor::string(name), Tensor::string(slice)},
        {{"dt", dtype}});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(checkpoint_v1, V1Fixture)

BOOST_AUTO_TEST_CASE(what_was_saved_in_one_file_is_restored) {
  BOOST_TEST(save_v1({"w", "texts"}, {vec({2, 2}, {1, -2.5, 1e30f, 4}), strings({"a", ""})}) == "");
  BOOST_TEST(files() == Names{"model-7"});
  BOOST_TEST(restore_v1(prefix, "w") == "float32[2,2] [1 -2.5 1e+30 4]");
  BOOST_TEST(restore_v1(prefix, "texts", DType::string) == "string[2] [\"a\" \"\"]");
  BOOST_TEST(
      restore(prefix, {"texts", "w"}, {DType::string, DType::float32}) ==
      "string[2] [\"a\" \"\"]; float32[2,2] [1 -2.5 1e+30 4]");
}

BOOST_AUTO_TEST_CASE(tensorflows_tensors_of_v1_are_restored) {
  for (const auto& [name, dtype] : saved_dtypes) {
    bool is_bool = dtype == DType::boolean, is_pair = size_of(dtype) > 8 || name == "complex64";
    auto elements = is_bool   ? "[0 1 1 1 0 1]"
                    : is_pair ? "[(0,0) (1,0) (2,0) (3,0) (0,0) (1,0)]"
                              : "[0 1 2 3 0 1]";
    BOOST_TEST(restore_v1(recorded_v1, name, dtype) == name + "[2,3] " + elements);
  }
  BOOST_TEST(restore_v1(recorded_v1, "none") == "float32[0,3] []");
  BOOST_TEST(restore_v1(recorded_v1, "a/scalar", DType::int64) == "int64[] [12345678901]");
  BOOST_TEST(
      restore(recorded_v1, {"grid"}, {DType::int64}, {"4 5 0,2:2,3"}) ==
      "int64[2,3] [-5 -4 -3 0 1 2]");
}

BOOST_AUTO_TEST_CASE(a_file_of_v1_has_the_bytes_of_tensorflows) {
  auto reader = cpu::CheckpointReader::open(recorded_v1);
  BOOST_TEST_REQUIRE(reader.ok(), reader.status().to_string());
  Names names, slices;
  Tensors tensors;
  auto add = [&](const std::string& name, const std::string& slice) {
    auto source = reader->find(name);
    BOOST_TEST_REQUIRE(source.ok(), source.status().to_string());
    names.push_back(name);
    slices.push_back(slice);
    tensors.push_back(*reader->read(*source, slice, heap_allocator()));
  };
  for (const auto& [name, dtype] : saved_dtypes) add(name, "");
  for (auto name : {"texts", "none", "a/scalar"}) add(name, "");
  for (auto slice : {"4 5 0,1:0,3", "4 5 0,1:3,2", "4 5 1,3:-"}) add("grid", slice);
  BOOST_TEST(save_slices(prefix, names, slices, tensors) == "");
  bool is_same = read(prefix) == read(recorded_v1);
  BOOST_TEST(is_same);
}

BOOST_AUTO_TEST_CASE(slices_in_files_that_match_a_pattern_are_one_tensor) {
  auto shard = [&](int number) { return prefix + "-0000" + std::to_string(number) + "-of-00002"; };
  BOOST_TEST(save_slices(shard(0), {"w"}, {"2 2 0,1:-"}, {vec({1, 2}, {1, 2})}) == "");
  BOOST_TEST(
      save_slices(shard(1), {"w", "b"}, {"2 2 1,1:-", ""}, {vec({1, 2}, {3, 4}), vec({5})}) == "");
  auto pattern = show("ShardedFilespec", {Tensor::string(prefix), Tensor::scalar<int32_t>(2)});
  BOOST_TEST(pattern == "string[] [\"" + prefix + "-\?\?\?\?\?-of-00002\"]");
  prefix += "-\?\?\?\?\?-of-00002";
  BOOST_TEST(restore_v1(prefix, "w") == "float32[2,2] [1 2 3 4]");
  BOOST_TEST(restore_slice("w", "2 2 -:1,1", DType::float32) == "float32[2,1] [2 4]");
  BOOST_TEST(restore_v1(prefix, "b") == "float32[1] [5]");
}

BOOST_AUTO_TEST_CASE(what_the_format_cannot_hold_is_refused) {
  auto number = Tensor::scalar<uint32_t>(1);
  BOOST_TEST(
      save_v1({"n"}, {number}) ==
      "Unimplemented: tensor 'n' cannot be saved: checkpoints of format V1 have no tensors of type "
      "uint32; those of V2 have");
  BOOST_TEST(
      save_v1({"w", "w"}, {vec({1}), vec({2})}) == "InvalidArgument: Adding duplicate key: w");
  BOOST_TEST(
      save_slices(prefix, {"w", "w"}, {"2 0,1", "3 1,1"}, {vec({1}), vec({2})}) ==
      "InvalidArgument: the slices of tensor 'w' are not of one tensor: float32[2] and float32[3]");
  BOOST_TEST(
      save_slices(prefix, {"w"}, {"3 0,2"}, {vec({1})}).starts_with("InvalidArgument: Slice in"));
  BOOST_TEST(files().empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_checkpoint_is_an_error) {
  write(prefix, "text");
  BOOST_TEST(
      restore_v1(prefix, "w") ==
      "DataLoss: '" + prefix + "' is damaged at offset 0: it is too short for a table");
  fs::remove(prefix);
  BOOST_TEST(save(prefix, {"w"}, {vec({1})}) == "");
  BOOST_TEST(
      restore_v1(index, "w") ==
      "DataLoss: '" + index + "' is damaged: its first value is no list of tensors");
  BOOST_TEST(restore_v1(folder / "none", "w").starts_with("NotFound: Unsuccessful"));
}

/// What a reader makes of the file as it is: the tensor, or the error.
Result<Tensor> read_tensor_v1(const std::string& path, const std::string& name) {
  auto reader = cpu::CheckpointReader::open(path);
  if (!reader) return reader.status();
  auto source = reader->find(name);
  if (!source) return source.status();
  return reader->read(*source, "", heap_allocator());
}

BOOST_AUTO_TEST_CASE(no_flipped_bit_gives_another_value) {
  auto texts = strings({"a", "", "bc"});
  BOOST_TEST(
      save_slices(
          prefix, {"texts", "w", "w"}, {"", "2 0,1", "2 1,1"}, {texts, vec({2}), vec({3})}) == "");
  auto whole = read(prefix);
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    auto flipped = whole;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    write(prefix, flipped);
    for (const auto& [name, right] : {std::pair("w", vec({2, 3})), std::pair("texts", texts)}) {
      auto value = read_tensor_v1(prefix, name);
      bool is_right = value ? equal(*value, right) : !value.status().message().empty();
      BOOST_TEST(is_right, "bit " << bit);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
