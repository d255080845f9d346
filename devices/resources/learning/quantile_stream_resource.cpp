#include "troupe/devices/resources/learning/quantile_stream_resource.hpp"

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {

QuantileStreamResource::Streams::Streams(const Options& options) : options_(options) {
  for (int64_t i = 0; i < options.stream_count; ++i)
    features_.push_back({QuantileStream(options.epsilon, options.max_elements), {}});
}

void QuantileStreamResource::Streams::reset_streams() {
  for (auto& feature : features_)
    feature.stream = QuantileStream(options_.epsilon, options_.max_elements);
}

void QuantileStreamResource::drop() {
  std::lock_guard lock(mutex_);
  streams_.reset();
  is_dropped_ = true;
}

bool QuantileStreamResource::is_dropped() const {
  std::lock_guard lock(mutex_);
  return is_dropped_;
}

bool QuantileStreamResource::is_created() const {
  std::lock_guard lock(mutex_);
  return streams_.has_value();
}

void QuantileStreamResource::create(const Options& options) {
  std::lock_guard lock(mutex_);
  if (!streams_ && !is_dropped_) streams_.emplace(options);
}

Status QuantileStreamResource::none() {
  return not_found("the quantile streams were not created yet, or their container was reset");
}

void add_quantile_stream_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = QuantileStreamResource::kind_name,
       .handle_op = "BoostedTreesQuantileStreamResourceHandleOp",
       .make = [](const Node&) -> Result<std::shared_ptr<Resource>> {
         return std::shared_ptr<Resource>(std::make_shared<QuantileStreamResource>());
       },
       .check = [](const Resource&, const Node&) { return Status(); }});
}

}  // namespace troupe
