#include "troupe/devices/resources/tensor_forest/decision.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::forest {

Result<int32_t> feature_of(const FeatureId& id) {
  std::string text = id.id ? id.id->value : "";
  int32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return invalid_argument("Invalid feature ID: [" + text + "]");
}

Result<std::vector<int32_t>> features_of(const BinaryNode& node) {
  std::vector<const FeatureId*> ids;
  static const FeatureId none;
  if (auto* test = std::get_if<InequalityTest>(&node.test)) {
    if (auto* oblique = std::get_if<ObliqueFeatures>(&test->features))
      for (const auto& id : oblique->features) ids.push_back(&id);
    else if (auto* id = std::get_if<FeatureId>(&test->features)) ids.push_back(id);
  } else if (auto* matching = std::get_if<MatchingValuesTest>(&node.test)) {
    ids.push_back(matching->feature_id ? &*matching->feature_id : &none);
  }
  std::vector<int32_t> features;
  for (const auto* id : ids) {
    auto feature = feature_of(*id);
    if (!feature) return feature.status();
    features.push_back(*feature);
  }
  return features;
}

Result<Decision> Decision::make(const BinaryNode& node) {
  auto features = features_of(node);
  if (!features) return features.status();
  Decision decision;
  if (auto* test = std::get_if<InequalityTest>(&node.test)) {
    decision.threshold_ = test->threshold ? test->threshold->real() : 0;
    if (auto* oblique = std::get_if<ObliqueFeatures>(&test->features)) {
      if (oblique->weights.size() < features->size())
        return invalid_argument("a split has more features than weights of them");
      decision.kind_ = Kind::oblique;
      decision.features_ = *std::move(features);
      decision.numbers_ = oblique->weights;
      return decision;
    }
    if (test->type < 0 || test->type > InequalityTest::greater)
      return invalid_argument("Unknown split test type: " + std::to_string(test->type));
    decision.kind_ = static_cast<Kind>(test->type);
  } else if (auto* matching = std::get_if<MatchingValuesTest>(&node.test)) {
    decision.kind_ = matching->inverse ? Kind::none_of : Kind::any_of;
    for (const auto& value : matching->values) decision.numbers_.push_back(value.real());
  } else {
    return invalid_argument("Unknown split test");
  }
  if (features->empty()) return invalid_argument("Invalid feature ID: []");
  decision.feature_ = features->front();
  return decision;
}

std::optional<bool> Decision::is_sum_low(const Examples& examples, int64_t example) const {
  float sum = 0;
  for (size_t i = 0; i < features_.size(); ++i) {
    auto value = examples.value(example, features_[i]);
    if (!value) return {};
    sum += numbers_[i] * *value;
  }
  return sum <= threshold_;
}

std::optional<bool> Decision::goes_left(const Examples& examples, int64_t example) const {
  if (kind_ == Kind::oblique) return is_sum_low(examples, example);
  auto value = examples.value(example, feature_);
  if (!value) return {};
  switch (kind_) {
    case Kind::less_or_equal: return *value <= threshold_;
    case Kind::less: return *value < threshold_;
    case Kind::greater_or_equal: return *value >= threshold_;
    case Kind::greater: return *value > threshold_;
    case Kind::any_of: return std::ranges::find(numbers_, *value) != numbers_.end();
    case Kind::none_of: return std::ranges::find(numbers_, *value) == numbers_.end();
    case Kind::oblique: break;
  }
  return {};
}

}  // namespace troupe::forest
