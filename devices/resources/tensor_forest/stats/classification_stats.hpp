#pragma once

#include <map>

#include "troupe/devices/resources/tensor_forest/stats/class_counts.hpp"

namespace troupe::forest {

/// Weights of classes: the best split has the least Gini impurity on both sides.
class ClassificationStats final : public NodeStats {
 public:
  /// When candidates are compared before the leaf is split, and what for.
  struct Schedule {
    Finish finish = Finish::basic;
    int32_t min_split_samples = 0;
    int64_t finish_every = 0;
    int64_t finish_epoch = 1;
    Pruning pruning = Pruning::none;
    int64_t prune_every = 0;
    int64_t prune_epoch = 1;
    float pruned_fraction = 0;
    float dominate_fraction = 0;

    /// InvalidArgument: the parameters lack what that needs.
    static Result<Schedule> make(const Params& params, int32_t depth, int32_t split_after_samples);
  };

  ClassificationStats(
      std::shared_ptr<const Params> params, int32_t depth, const Sizes& sizes,
      std::unique_ptr<ClassCounts> counts, const Schedule& schedule);

  bool is_initialized() const override;
  bool is_finished() const override;
  Status add_example(const Examples& examples, const Targets& targets, int64_t example) override;
  std::optional<SplitCandidate> best_split() const override;
  void store(FertileSlot& slot) const override;
  Status restore(const FertileSlot& slot) override;

 protected:
  Status add_split_stats() override;
  Status add_initial_example(
      const Examples& examples, const Targets& targets, int64_t example, bool is_new) override;

 private:
  using Sums = ClassCounts::Sums;

  /// What both sides of a split have, and how mixed they are.
  struct Score {
    float left_sum = 0;
    float right_sum = 0;
    float impurity = 0;
  };
  Score score(size_t split) const;
  std::vector<float> impurities() const;

  void remove_split(size_t split);
  void maybe_finish();
  void maybe_prune();
  bool does_one_dominate() const;
  void prune_worst();
  void prune_hopeless();

  std::unique_ptr<ClassCounts> counts_;
  Schedule schedule_;
  bool is_finished_early_ = false;
  // Of each split and side, kept while examples come, where the parameters ask for that.
  std::vector<Sums> left_sums_;
  std::vector<Sums> right_sums_;
  // For a split whose threshold is that of one example, the class of that example: the first one of
  // another class moves the threshold between them.
  std::map<size_t, int32_t> first_classes_;
};

}  // namespace troupe::forest
