#include "troupe/actors/session/session_view.hpp"

#include <utility>

#include "troupe/graph/optimize/optimize.hpp"

namespace troupe {

Status check_options(const SessionOptions& options) {
  if (const auto& placement = options.placement;
      !placement.empty() && placement != placement_by_cost)
    return invalid_argument(
        "there is no placement '" + placement + "': it is '" + placement_by_cost + "' or empty");
  if (options.mixes_precision)
    if (auto lists = PrecisionLists::from(process_environment()); !lists) return lists.status();
  return check_pass_names(options.disabled_passes);
}

std::shared_ptr<const PrecisionLists> precision_of(const SessionOptions& options) {
  if (!options.mixes_precision) return nullptr;
  auto lists = PrecisionLists::from(process_environment());
  CHECK(lists.ok());
  return std::make_shared<const PrecisionLists>(*std::move(lists));
}

Result<std::shared_ptr<const PlacementView>> make_view(
    const SessionOptions& options, const ClusterSpec& cluster,
    const std::vector<Candidate>& devices) {
  PlacementView view{
      .cluster = cluster,
      .master = devices.at(0).name,
      .filters = {},
      .is_soft = options.soft_placement,
      .local = devices};
  for (const auto& text : options.device_filters) {
    auto filter = DeviceName::parse(text);
    if (!filter) return invalid_argument("a device filter is wrong: " + filter.status().message());
    view.filters.push_back(*std::move(filter));
  }
  return std::make_shared<const PlacementView>(std::move(view));
}

}  // namespace troupe
