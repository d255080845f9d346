#pragma once

#include <set>
#include <string>

#include "troupe/devices/cpu/parsing/context.hpp"

// The lists of features of sequence examples.

namespace troupe::cpu {

/// The outputs of the lists: the first of each list of outputs. `dense_lengths` is -1 for an op
/// that has none.
struct ListOutputs {
  FeatureOutputs values;
  int dense_lengths;
};

/// Reads the lists out of the field 2 of all sequence examples and sets their outputs. A dense list
/// must be there unless its key is in `may_be_missing`.
Status parse_feature_lists(
    Launch& launch, const Examples& examples, const FeatureSpec& spec,
    const std::set<std::string>& may_be_missing, const ListOutputs& outputs);

}  // namespace troupe::cpu
