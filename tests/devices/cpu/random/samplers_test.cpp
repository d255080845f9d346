#include "troupe/graph/support/file.hpp"
#include "troupe/tests/devices/cpu/random/random_draws.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(samplers)

/// Candidates of a vocabulary in a file.
struct VocabularyFixture {
  TemporaryFolder folder;
  Attrs attrs = {{"num_true", 1}, {"num_sampled", 6}, {"unique", false}, {"seed", 1}, {"seed2", 2}};

  std::string draw(const std::string& text, int range) {
    auto path = folder.path() / "vocabulary.csv";
    BOOST_REQUIRE(write_file(path, text).ok());
    attrs["vocab_file"] = path.string();
    attrs["range_max"] = range;
    return show("FixedUnigramCandidateSampler", {vec<int64_t>({1, 1}, {0})}, attrs);
  }
};

BOOST_FIXTURE_TEST_CASE(weights_are_the_last_columns_of_a_vocabulary, VocabularyFixture) {
  auto from_file = draw("the,word,4\r\n\na, 0.5\n12.25", 3);
  attrs.erase("vocab_file");
  attrs["unigrams"] = std::vector<float>{4, 0.5, 12.25};
  BOOST_TEST(from_file == show("FixedUnigramCandidateSampler", {vec<int64_t>({1, 1}, {0})}, attrs));
  BOOST_TEST(starts_with(from_file, "int64[6] ["));
}

BOOST_FIXTURE_TEST_CASE(a_vocabulary_without_numbers_is_refused, VocabularyFixture) {
  for (const auto* text : {"a,1\nb,\n", "a,1\nword\n", "a,1\nb,2x\n"})
    BOOST_TEST(starts_with(draw(text, 2), "InvalidArgument: the last column of a line of '"));
  BOOST_TEST(starts_with(draw("", 2), "InvalidArgument: 'range_max' is 2, but shard 0 of 1 has 0"));
}

BOOST_AUTO_TEST_CASE(candidates_that_differ_are_given_up_where_they_are_too_rare_to_exist) {
  Attrs attrs = {{"num_true", 1}, {"num_sampled", 2}, {"unique", true}, {"range_max", 3}};
  attrs["unigrams"] = std::vector<float>{0, 7, 0};
  BOOST_TEST(starts_with(
      show("FixedUnigramCandidateSampler", {vec<int64_t>({1, 1}, {0})}, attrs),
      "InvalidArgument: there are not 2 candidates that differ, but 1"));
}

BOOST_AUTO_TEST_CASE(true_classes_are_learned_once_per_step) {
  Tensors classes = {vec<int64_t>({1, 2}, {3, 3})};
  Attrs attrs = {{"num_true", 2}, {"num_sampled", 1}, {"unique", false}, {"range_max", 6}};
  StreamKernel kernel("LearnedUnigramCandidateSampler", classes, attrs);
  for (int step = 0; step < 5; ++step) {
    auto counts = kernel.launch(classes)[1];
    BOOST_TEST(std::abs(number_at(counts, 0) - (1.0 + 2 * step) / (6 + 2 * step)) < 1e-6);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
