#include "troupe/tests/devices/cpu/checkpoint/checkpoint_fixture.hpp"

namespace troupe::testing {

namespace {

struct RemappingFixture : CheckpointFixture {
  std::string old_words = folder / "old", new_words = folder / "new";

  RemappingFixture() {
    write(old_words, "mercury\nvenus\nmars\n");
    write(new_words, "venus\njupiter\nmercury\n");
    BOOST_TEST(save(prefix, {"w"}, {vec({3, 2}, {10, 11, 20, 21, 30, 31})}) == "");
  }

  std::string places(int64_t offset, int64_t count, int64_t old_size = -1) const {
    return show(
        "GenerateVocabRemapping", {Tensor::string(new_words), Tensor::string(old_words)},
        {{"new_vocab_offset", offset}, {"num_new_vocab", count}, {"old_vocab_size", old_size}});
  }
  std::string load(
      std::vector<int64_t> rows, std::vector<int64_t> columns, std::vector<float> others,
      int64_t num_cols = 2, int64_t at_once = -1) const {
    auto list = [](const std::vector<int64_t>& values) {
      return Tensor::of<int64_t>({std::ssize(values)}, std::span(values));
    };
    return show(
        "LoadAndRemapMatrix",
        {Tensor::string(prefix), Tensor::string("w"), list(rows), list(columns),
         Tensor::of<float>({std::ssize(others)}, std::span<const float>(others))},
        {{"num_rows", std::ssize(rows)}, {"num_cols", num_cols}, {"max_rows_in_memory", at_once}});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(remapping, RemappingFixture)

BOOST_AUTO_TEST_CASE(words_are_found_in_an_older_vocabulary) {
  BOOST_TEST(places(0, 3) == "int64[3] [1 -1 0]; int32[] [2]");
  BOOST_TEST(places(1, 2) == "int64[2] [-1 0]; int32[] [1]");
  BOOST_TEST(places(0, 3, /*old_size=*/1) == "int64[3] [-1 -1 0]; int32[] [1]");
  BOOST_TEST(places(3, 0) == "int64[0] []; int32[] [0]");
}

BOOST_AUTO_TEST_CASE(vocabularies_that_are_too_short_or_not_there_are_refused) {
  BOOST_TEST(
      places(1, 3) ==
      "InvalidArgument: " + new_words + " has 3 words, but the 3 from number 1 on are to be found");
  BOOST_TEST(
      places(0, 3, /*old_size=*/4) ==
      "InvalidArgument: Invalid vocab_size in " + old_words + ": expected 4 but got 3");
  fs::remove(old_words);
  BOOST_TEST(places(0, 3).starts_with("NotFound"));
  old_words.clear();
  BOOST_TEST(places(0, 3) == "InvalidArgument: the name of a vocabulary's file cannot be empty");
}

BOOST_AUTO_TEST_CASE(rows_and_columns_are_moved_and_what_is_missing_is_given) {
  for (int64_t at_once : {-1, 1, 2}) {
    BOOST_TEST(load({1, -1, 0}, {}, {1, 2}, 2, at_once) == "float32[3,2] [20 21 1 2 10 11]");
    BOOST_TEST(load({2, 1}, {1, -1, 0}, {5, 6}, 3, at_once) == "float32[2,3] [31 5 30 21 6 20]");
  }
  BOOST_TEST(load({}, {}, {}) == "float32[0,2] []");
  BOOST_TEST(load({-1}, {0}, {7}, 1) == "float32[1,1] [7]");
}

BOOST_AUTO_TEST_CASE(matrices_that_do_not_fit_are_refused) {
  BOOST_TEST(
      load({1, -1, 0}, {}, {1}) ==
      "InvalidArgument: initializing_values contained 1 elements, but 2 values are missing");
  BOOST_TEST(
      load({1, 1}, {}, {}) ==
      "Unimplemented: Old ID 1 is mapped to both new ID 0 and 1, which is not supported.");
  BOOST_TEST(
      load({3}, {}, {}) ==
      "InvalidArgument: Tensor w has the shape [3,2], but row 3 and column 1 of it are asked for");
  BOOST_TEST(
      load({0}, {2}, {}, 1) ==
      "InvalidArgument: Tensor w has the shape [3,2], but row 0 and column 2 of it are asked for");
  BOOST_TEST(
      load({0}, {}, {}, 3) ==
      "InvalidArgument: Tensor w has 2 columns, but without col_remapping it must have 3");
  BOOST_TEST(
      load({0}, {0}, {}) ==
      "InvalidArgument: col_remapping must have the shape [2], but has the shape [1]");
  BOOST_TEST(save(prefix, {"w"}, {vec({3})}) == "");
  BOOST_TEST(
      load({0}, {}, {}) == "InvalidArgument: Tensor w has the shape [1], but must be a matrix");
  BOOST_TEST(save(prefix, {"w"}, {Tensor::of<int32_t>({1, 2}, {1, 2})}) == "");
  BOOST_TEST(load({0}, {}, {}) == "InvalidArgument: Tensor w has invalid type int32, not float32");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
