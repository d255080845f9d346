"""A small module `gym`, for programs that learn to act."""

from __future__ import annotations

import pathlib

# Linear motions of random starts instead of physics: the shapes and the calls are what counts.
_MODULE = '''
import numpy as np


class Box:
    def __init__(self, low, high):
        self.low, self.high, self.shape = low, high, low.shape
        self.dtype = low.dtype

    def sample(self):
        return np.random.uniform(self.low, self.high).astype(np.float32)


class Discrete:
    def __init__(self, n):
        self.n, self.shape = n, ()

    def sample(self):
        return np.random.randint(self.n)


class Environment:
    """A point that drifts, and is pushed by actions."""

    x_threshold, theta_threshold_radians, goal_position = 2.4, 0.2, 0.5
    reward_range, metadata, spec = (-1.0, 1.0), {}, None
    ale = property(lambda self: self)

    def __init__(self, size, actions, limit):
        high = np.full(size, 3.0, np.float32) if isinstance(size, int) else None
        self.image = None if high is not None else size
        if self.image:
            low, high = np.zeros(size, np.uint8), np.full(size, 255, np.uint8)
        else:
            low = -high
        self.observation_space = Box(low, high)
        pushes = np.full(1, 2.0, np.float32)
        self.action_space = Discrete(actions) if actions else Box(-pushes, pushes)
        self._max_episode_steps, self.limit, self.random = limit, limit, np.random.RandomState(0)

    unwrapped = property(lambda self: self)
    env = property(lambda self: self)

    def seed(self, seed=None):
        self.random = np.random.RandomState(seed)
        return [seed]

    def get_action_meanings(self):
        return ["NOOP", "FIRE", "UP", "DOWN"][: self.action_space.n]

    def lives(self):
        return 1

    def render(self, *args, **kwargs):
        return None

    def close(self):
        pass

    def _seen(self):
        if self.image:
            return self.random.randint(256, size=self.image).astype(np.uint8)
        return self.state.astype(np.float32)

    def reset(self):
        self.steps = 0
        self.state = self.random.uniform(-0.1, 0.1, self.observation_space.shape)
        return self._seen()

    def step(self, action):
        self.steps += 1
        push = np.asarray(action, np.float64).sum() - 0.5
        if not self.image:
            self.state = np.clip(self.state + 0.05 * push + self.random.normal(
                0, 0.02, self.state.shape), -1, 1)
        done = self.steps >= self.limit
        return self._seen(), 1.0 - abs(push) / 4, done, {}


def make(name):
    for key, made in {
        "CartPole": (4, 2, 20), "Pendulum": (3, 0, 40), "MountainCarContinuous": (2, 0, 40),
        "MountainCar": (2, 3, 40), "Box2D": (8, 4, 40), "BipedalWalker": (24, 0, 40),
    }.items():
        if name.startswith(key):
            return Environment(*made)
    return Environment((210, 160, 3), 4, 20)
'''


def make_environments(folder: pathlib.Path) -> None:
    (folder / "gym.py").write_text(_MODULE.lstrip())
