"""A small module `gym`, for programs that learn to act."""

from __future__ import annotations

import pathlib

# Linear motions of random starts instead of physics: the shapes and the calls are what counts.
_MODULE = '''
import sys
import types

import numpy as np

__path__, __version__ = [], "0.12.0"


class Space:
    def seed(self, seed=None):
        np.random.seed(seed)


class Box(Space):
    def __init__(self, low, high, shape=None, dtype=None):
        shape = np.shape(low) if shape is None else shape
        self.dtype = np.dtype(dtype or np.asarray(low).dtype)
        self.low, self.high = (np.broadcast_to(each, shape) for each in (low, high))
        self.shape = self.low.shape

    def sample(self):
        return np.random.uniform(self.low, self.high).astype(np.float32)


class Discrete(Space):
    dtype = np.dtype(np.int64)

    def __init__(self, n):
        self.n, self.shape = n, ()

    def sample(self):
        return np.random.randint(self.n)


class MultiDiscrete(Space):
    pass


class MultiBinary(Space):
    pass


class Dict(Space):
    pass


class Tuple(Space):
    pass


class Env:
    pass


class GoalEnv(Env):
    pass


class Wrapper(Env):
    """An environment that changes what another one does."""

    def __init__(self, env):
        self.env = env
        self.action_space, self.observation_space = env.action_space, env.observation_space
        self.reward_range, self.metadata, self.spec = env.reward_range, env.metadata, env.spec

    unwrapped = property(lambda self: self.env.unwrapped)

    def __getattr__(self, name):
        return getattr(self.env, name)

    def step(self, action):
        return self.env.step(action)

    def reset(self, **kwargs):
        return self.env.reset(**kwargs)

    def close(self):
        return self.env.close()


class ObservationWrapper(Wrapper):
    def step(self, action):
        seen, reward, done, info = self.env.step(action)
        return self.observation(seen), reward, done, info

    def reset(self, **kwargs):
        return self.observation(self.env.reset(**kwargs))


class RewardWrapper(Wrapper):
    def step(self, action):
        seen, reward, done, info = self.env.step(action)
        return seen, self.reward(reward), done, info


class ActionWrapper(Wrapper):
    def step(self, action):
        return self.env.step(self.action(action))


class Monitor(Wrapper):
    def __init__(self, env, **options):
        super().__init__(env)


class Registry:
    """The kinds of environments, by the names of modules."""

    class Kind:
        def __init__(self, id, module):
            self.id, self.entry_point = id, f"gym.envs.{module}:Environment"

    def all(self):
        pairs = [("CartPole-v0", "classic_control"), ("PongNoFrameskip-v4", "atari")]
        return [self.Kind(*pair) for pair in pairs]


class Environment(Env):
    """A point that drifts, and is pushed by actions."""

    action_space = observation_space = None
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
        self.spec = types.SimpleNamespace(id="PongNoFrameskip-v4")
        self.steps, self.state = 0, np.zeros(self.observation_space.shape)
        self._max_episode_steps, self.limit, self.random = limit, limit, np.random.RandomState(0)

    unwrapped = property(lambda self: self)
    env = property(lambda self: self)
    np_random = property(lambda self: self.random)

    def seed(self, seed=None):
        self.random = np.random.RandomState(seed)
        return [seed]

    def get_action_meanings(self):
        return ["NOOP", "FIRE", "UP", "DOWN"][: self.action_space.n]

    def lives(self):
        return 1

    def getScreenGrayscale(self, output):
        output[:] = self._seen()[:, :, :1].reshape(output.shape)

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


def _module(name, **values):
    module = types.ModuleType(f"gym.{name}")
    module.__path__ = []
    vars(module).update(values)
    sys.modules[f"gym.{name}"] = module
    return module


_spaces = {"Box": Box, "Discrete": Discrete, "MultiDiscrete": MultiDiscrete, "Dict": Dict,
           "MultiBinary": MultiBinary, "Tuple": Tuple, "Space": Space}
spaces = _module("spaces", **_spaces)
_module("spaces.box", Box=Box)
spaces.prng = _module("spaces.prng", np_random=np.random, seed=np.random.seed)
core = _module("core", Env=Env, Wrapper=Wrapper, ObservationWrapper=ObservationWrapper)
wrappers = _module("wrappers", FlattenObservation=Wrapper, FilterObservation=Wrapper,
                   Monitor=Monitor)
_module("wrappers.monitoring", video_recorder=None)
envs = _module("envs", registry=Registry(), register=lambda **options: None,
               make=make)
_module("envs.registration", register=envs.register, EnvSpec=types.SimpleNamespace)
utils = _module("utils")
utils.seeding = _module("utils.seeding", np_random=lambda seed=None: (np.random, seed))
logger = _module("logger", MIN_LEVEL=30, DISABLED=50, set_level=lambda level: None)
'''


def make_environments(folder: pathlib.Path) -> None:
    (folder / "gym.py").write_text(_MODULE.lstrip())
