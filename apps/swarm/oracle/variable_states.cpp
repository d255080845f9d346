#include "troupe/apps/swarm/oracle/variable_states.hpp"

#include <algorithm>

namespace troupe::swarm {

void VariableStates::update() {
  for (size_t i = 0; i < states_.size(); ++i) {
    auto& state = states_[i];
    auto number = cluster_.process_number(plan_.variables[i].task);
    if (number == state.process_number) continue;
    state.process_number = number;
    state.is_set = false;
    state.may_be_set_again = false;
  }
}

void VariableStates::reset(const std::string& container, bool done) {
  for (size_t i = 0; i < states_.size(); ++i) {
    if (plan_.variables[i].container != container) continue;
    states_[i].is_set = false;
    if (!done || states_[i].is_being_set) states_[i].may_be_set_again = true;
    states_[i].being_set_in = 0;
  }
}

void VariableStates::mark_doubtful_unset() {
  for (auto& state : states_)
    if (state.may_be_set_again) state.is_set = false;
}

bool VariableStates::all_are_set() const { return std::ranges::all_of(states_, &State::is_set); }

bool VariableStates::wants_initialization(size_t variable) const {
  const auto& state = states_[variable];
  return !state.is_set && !state.is_being_set && state.process_number != 0;
}

void VariableStates::begin_initialization(size_t variable) {
  states_[variable].is_being_set = true;
  states_[variable].being_set_in = states_[variable].process_number;
  states_[variable].counter.prepare();
}

void VariableStates::end_initialization(size_t variable, bool done) {
  auto& state = states_[variable];
  state.is_being_set = false;
  auto is_current = state.being_set_in == state.process_number;
  if (is_current && done) {
    state.is_set = true;
    state.counter.begin(state.may_be_set_again);
  } else if (is_current) {
    state.may_be_set_again = true;
  }
}

}  // namespace troupe::swarm
