#include "troupe/devices/cpu/parsing/message_fields.hpp"
#include "troupe/devices/cpu/tensor_forest/messages.hpp"

namespace troupe::cpu {

// What each message has. Only for reading.
inline void fields(FieldReader& io, forest::LinearParam& param) {
  io.real(1, param.slope);
  io.real(2, param.y_intercept);
  io.real(3, param.min_val);
  io.real(4, param.max_val);
}
inline void fields(FieldReader& io, forest::ExponentialParam& param) {
  io.real(1, param.bias);
  io.real(2, param.base);
  io.real(3, param.multiplier);
  io.real(4, param.depth_multiplier);
}
inline void fields(FieldReader& io, forest::ThresholdParam& param) {
  io.real(1, param.on_value);
  io.real(2, param.off_value);
  io.real(3, param.threshold);
}
inline void fields(FieldReader& io, forest::DepthParam& param) {
  io.alternative<float>(1, param.value);
  io.alternative<forest::LinearParam>(2, param.value);
  io.alternative<forest::ExponentialParam>(3, param.value);
  io.alternative<forest::ThresholdParam>(4, param.value);
}
inline void fields(FieldReader& io, forest::PeriodicConfig& config) {
  io.message(1, config.period);
  io.integer(2, config.type);
}
inline void fields(FieldReader& io, forest::Params& params) {
  io.integer(1, params.leaf_type);
  io.integer(2, params.stats_type);
  io.integer(3, params.collection_type);
  io.message(4, params.pruning);
  io.message(5, params.finish);
  io.integer(7, params.max_nodes);
  io.integer(8, params.is_regression);
  io.integer(10, params.collate_examples);
  io.integer(11, params.checkpoint_stats);
  io.integer(12, params.num_outputs);
  io.message(13, params.num_splits_to_consider);
  io.message(14, params.split_after_samples);
  io.optional(15, params.dominate_fraction);
  io.optional(18, params.min_split_samples);
  io.integer(19, params.inequality_test_type);
  io.integer(20, params.use_running_stats);
  io.integer(21, params.num_features);
  io.integer(22, params.initialize_average_splits);
  io.integer(23, params.inference_tree_paths);
  io.integer(24, params.num_classes_to_track);
}

std::optional<forest::Params> parse_params(std::string_view bytes) {
  forest::Params params;
  if (!read_message(bytes, params)) return {};
  return params;
}

}  // namespace troupe::cpu
