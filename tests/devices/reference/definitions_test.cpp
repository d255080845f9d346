#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/op_signature.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe::testing {
namespace {

/// The signatures of TensorFlow 1.15's ops, by name.
std::map<std::string, std::string> definitions_of_tensorflow() {
  std::ifstream file(TROUPE_REFERENCE "/definitions.json");
  std::map<std::string, std::string> by_name;
  for (const auto& line : nlohmann::json::parse(file)) {
    auto text = line.get<std::string>();
    by_name.emplace(text.substr(0, text.find('(')), text);
  }
  return by_name;
}

/// As signature(), but of a default that is a tensor without its elements, as TensorFlow's list is.
std::string signature_without_elements(const Op& op) {
  static const std::regex elements(R"((= \w+\[[\d,]*\]) \[[^\]]*\])");
  return std::regex_replace(signature(op), elements, "$1");
}

/// Ops that have an attribute, or a default, more than TensorFlow's list of ops says.
const std::set<std::string> extended = {
    "Equal",
    "NotEqual",            // incompatible_shape_error: in TensorFlow's code, not in its list
    "MergeV2Checkpoints",  // allow_missing_files, which Saver uses
    "VarHandleOp",         // the shape may be left out
    "ConcatOffset",        // the dtype of its lists is an attribute, of which int32 is the only one
    // As in TensorFlow 2, whose loops are made of them.
    "TensorListGetItem",
    "TensorListSetItem",
    // Those of float64 images have statistics, and a scale, of float64.
    "FusedBatchNormGradV2",
    "FusedBatchNormGradV3",
};

}  // namespace

BOOST_AUTO_TEST_SUITE(definitions)

BOOST_AUTO_TEST_CASE(arguments_attributes_and_defaults_are_those_of_tensorflow) {
  auto expected = definitions_of_tensorflow();
  BOOST_TEST(expected.size() > 1200u);
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all())
    if (auto found = expected.find(name); found != expected.end() && !extended.contains(name))
      BOOST_TEST(signature_without_elements(op) == found->second);
}

BOOST_AUTO_TEST_CASE(only_few_ops_are_unknown_to_tensorflow) {
  std::set<std::string> own = {
      "MatrixDiagPartV3", "MatrixDiagV3",
      "MatrixSetDiagV3",             // of later versions
      "GatherTree",                  // of tf.contrib.seq2seq
      "BipartiteMatch",              // of tf.contrib.image
      "Resampler", "ResamplerGrad",  // of tf.contrib.resampler
      "IteratorSerializeState", "IteratorRestoreState", "RemoveCheckpoint",
      // Of tf.contrib.tensor_forest.
      "CreateFertileStatsVariable", "CreateTreeVariable", "DecisionTreeResourceHandleOp",
      "FeatureUsageCounts", "FertileStatsDeserialize", "FertileStatsIsInitializedOp",
      "FertileStatsResourceHandleOp", "FertileStatsSerialize", "FinalizeTree", "GrowTreeV4",
      "ProcessInputV4", "ReinterpretStringToFloat", "TraverseTreeV4", "TreeDeserialize",
      "TreeIsInitializedOp", "TreePredictionsV4", "TreeSerialize", "TreeSize", "UpdateModelV4",
      transfer::arg, transfer::retval, transfer::send, transfer::recv, transfer::read, fusion::op,
      fusion::rows_op};
  auto expected = definitions_of_tensorflow();
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all())
    BOOST_TEST((expected.contains(name) || own.contains(name)), name << " is no op of TensorFlow");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
