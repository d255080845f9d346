#include "troupe/graph/proto/summary.hpp"

#include <google/protobuf/stubs/logging.h>

#include <troupe_proto/summary.pb.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "troupe/graph/proto/tensor_proto.hpp"

namespace troupe {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

std::vector<double> make_limits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1) positive.push_back(limit);
  positive.push_back(largest);
  std::vector<double> limits(positive.rbegin(), positive.rend());
  for (auto& limit : limits) limit = -limit;
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

const std::vector<double>& bucket_limits() {
  static const auto limits = make_limits();
  return limits;
}

/// A value of a new summary.
struct NewValue {
  proto::Summary summary;
  proto::Summary::Value& value = *summary.add_value();

  explicit NewValue(const std::string& tag) { value.set_tag(tag); }
  std::string bytes() const { return summary.SerializeAsString(); }
};

}  // namespace

SummaryHistogram::SummaryHistogram()
    : counts_(bucket_limits().size()), min_(largest), max_(-largest) {}

void SummaryHistogram::add(double value) {
  const auto& limits = bucket_limits();
  auto above = std::ranges::upper_bound(limits, value) - limits.begin();
  counts_[std::min(static_cast<size_t>(above), counts_.size() - 1)] += 1;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  ++number_;
  sum_ += value;
  sum_of_squares_ += value * value;
}

std::string scalar_summary(const std::string& tag, float value) {
  NewValue made(tag);
  made.value.set_simple_value(value);
  return made.bytes();
}

std::string histogram_summary(const std::string& tag, const SummaryHistogram& histogram) {
  NewValue made(tag);
  auto& message = *made.value.mutable_histo();
  message.set_min(histogram.min_);
  message.set_max(histogram.max_);
  message.set_num(histogram.number_);
  message.set_sum(histogram.sum_);
  message.set_sum_squares(histogram.sum_of_squares_);
  const auto& counts = histogram.counts_;
  for (size_t i = 0; i < counts.size(); ++i) {
    // Of empty buckets in a row, the last one's limit stands for all.
    while (counts[i] == 0 && i + 1 < counts.size() && counts[i + 1] == 0) ++i;
    message.add_bucket_limit(bucket_limits()[i]);
    message.add_bucket(counts[i]);
  }
  return made.bytes();
}

std::string image_summary(const std::string& tag, SummaryImage image) {
  NewValue made(tag);
  auto& message = *made.value.mutable_image();
  message.set_height(image.height);
  message.set_width(image.width);
  message.set_colorspace(image.channels);
  message.set_encoded_image_string(std::move(image.file));
  return made.bytes();
}

std::string sound_summary(const std::string& tag, SummarySound sound) {
  NewValue made(tag);
  auto& message = *made.value.mutable_audio();
  message.set_sample_rate(sound.rate);
  message.set_num_channels(sound.channels);
  message.set_length_frames(sound.frames);
  message.set_encoded_audio_string(std::move(sound.file));
  message.set_content_type("audio/wav");
  return made.bytes();
}

Result<std::string> tensor_summary(
    const std::string& tag, const std::string& node_name, const Tensor& tensor,
    const std::optional<std::string>& metadata) {
  if (tensor.dtype() == DType::resource)
    return invalid_argument("a handle of a resource cannot be in a summary");
  // What reads summaries finds strings in their own field only.
  auto bytes = serialize_tensor(tensor);
  if (!bytes) return bytes.status();
  NewValue made(tag);
  made.value.set_node_name(node_name);
  *made.value.mutable_tensor() = tensor_to_proto(tensor);
  google::protobuf::LogSilencer silencer;
  if (metadata && !made.value.mutable_metadata()->ParseFromString(*metadata))
    return invalid_argument("the metadata are no message of a summary's metadata");
  return made.bytes();
}

Result<std::string> merge_summaries(const std::vector<std::span<const std::string>>& summaries) {
  std::string merged;
  std::set<std::string> tags;
  google::protobuf::LogSilencer silencer;
  for (const auto& list : summaries)
    for (const auto& bytes : list) {
      proto::Summary summary;
      if (!summary.ParseFromString(bytes))
        return invalid_argument("Could not parse one of the summary inputs");
      for (const auto& value : summary.value())
        if (!value.tag().empty() && !tags.insert(value.tag()).second)
          return invalid_argument("Duplicate tag " + value.tag() + " found in summary inputs");
      merged += bytes;
    }
  return merged;
}

}  // namespace troupe
