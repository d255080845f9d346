"""What `restore` returns: checks of what was found, and the steps that restore."""

from __future__ import annotations

from typing import Any, List, Set

from troupe._src.checkpoints.saver import Saver
from troupe._src.object_checkpoints.object_nodes import ObjectNodes, session_of
from troupe._src.object_checkpoints.object_view import ObjectView, list_objects
from troupe._src.object_checkpoints.restoration import Restoration, last_restoration
from troupe._src.object_checkpoints.trackable import children_of
from troupe._src.variables.variable import Variable


def _initializers(objects: List[Any], before: int) -> List[Any]:
    """The initializers of those that no restoration from that one on has matched."""
    variables = [each for each in objects if isinstance(each, Variable)]
    return [each.initializer for each in variables if last_restoration(each) < before]


class CheckpointLoadStatus:
    """The status of a checkpoint of objects. Its checks raise an AssertionError, or return it."""

    def __init__(self, restoration: Restoration, nodes: ObjectNodes) -> None:
        self._restoration, self._nodes = restoration, nodes
        restoration.match()

    def _unmatched(self) -> List[Any]:
        self._restoration.match()
        matched = {id(each) for each in self._restoration.matched.values()}
        found = list_objects(self._restoration.root)
        return [
            each
            for each in found
            if id(each) not in matched
            and not (isinstance(each, (list, dict)) and not children_of(each))
        ]

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Checks that each object and value of the checkpoint has one here, and the reverse.

        Returns:
            Itself.

        Raises:
            AssertionError: Something has not.
        """
        self.assert_existing_objects_matched()
        found = self._restoration
        for number, node in enumerate(found.nodes):
            if number not in found.matched:
                raise AssertionError(
                    f"Unresolved object in checkpoint {found.name_of(number)}: {node}"
                )
        if found.unused:
            lines = [
                f"{found.name_of(number)} ({found.matched[number]}): {names}"
                for number, names in found.unused.items()
            ]
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but "
                "were not restored):\n" + "\n".join(lines)
            )
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Checks that the checkpoint has each object that there is here.

        Returns:
            Itself.

        Raises:
            AssertionError: It lacks one.
        """
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                "Some Python objects were not bound to checkpointed values, likely due to changes "
                f"in the Python program: {unmatched}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Checks that the checkpoint has more than the root of what is here.

        Returns:
            Itself.

        Raises:
            AssertionError: It has not.
        """
        unmatched = self._unmatched()
        if len(self._restoration.matched) > 1:
            return self
        if unmatched:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. The following "
                f"objects have no matching checkpointed value: {unmatched}"
            )
        raise AssertionError(
            f"Nothing to load. No dependencies have been added to {self._restoration.root} yet."
        )

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores what is here of the checkpoint.

        Args:
            session: The session, by default the default session.

        Raises:
            RuntimeError: There is none.
        """
        self._restoration.match()
        session = session_of(session)
        session.run(self._restoration.operations, {self._nodes.path: self._restoration.path})

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restores what is here of the checkpoint, and initializes other variables.

        Args:
            session: The session, by default the default session.

        Raises:
            RuntimeError: There is none.
        """
        self.run_restore_ops(session)
        others = _initializers(list_objects(self._restoration.root), self._restoration.number)
        session_of(session).run(others)

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that parts of the checkpoint may stay unused; without effect, as none warns.

        Returns:
            Itself.
        """
        return self


class InitializationOnlyStatus:
    """The status where no checkpoint was given: it initializes."""

    def __init__(self, root: Any, before: int) -> None:
        self._root, self._before = root, before

    def assert_consumed(self) -> InitializationOnlyStatus:
        """Raises an AssertionError, as nothing is restored."""
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises an AssertionError, as nothing is restored.

        Args:
            session: Has no effect.
        """
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Initializes the variables, but for those that were restored since.

        Args:
            session: The session, by default the default session.

        Raises:
            RuntimeError: There is none.
        """
        session_of(session).run(_initializers(list_objects(self._root), self._before))

    def expect_partial(self) -> InitializationOnlyStatus:
        """Without effect.

        Returns:
            Itself.
        """
        return self


class NameBasedSaverStatus:
    """The status of a checkpoint of a `tf.train.Saver`, which knows variables by their names."""

    def __init__(self, path: str, root: Any) -> None:
        self._path, self._root = path, root
        self._restored: Set[int] = set()

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Checks that all objects were restored.

        Returns:
            Itself.

        Raises:
            AssertionError: One was not.
        """
        for each in ObjectView(self._root).objects:
            if id(each) not in self._restored:
                raise AssertionError(f"Object not restored: {each}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores the variables of the objects.

        Args:
            session: The session, by default the default session.

        Raises:
            RuntimeError: There is none.
            NotFoundError: The checkpoint lacks a variable.
        """
        objects = list_objects(self._root)
        variables = [each for each in objects if isinstance(each, Variable)]
        Saver(variables, allow_empty=True).restore(session_of(session), self._path)
        self._restored = {id(each) for each in objects}

    initialize_or_restore = run_restore_ops

    def expect_partial(self) -> NameBasedSaverStatus:
        """Without effect.

        Returns:
            Itself.
        """
        return self
