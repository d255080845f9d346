"""What becomes of linear operators: the classes of their products, inverses, adjoints and sums."""

import unittest

import numpy as np

import troupe as tf
from troupe.contrib.linalg import add_operators

linalg = tf.linalg
MATRIX = np.array([[3.0, 1.0], [1.0, 2.0]])
TRIANGLE = np.array([[2.0, 0.0], [1.0, 4.0]])


def operators():
    diagonal = linalg.LinearOperatorDiag(np.array([[2.0, 5.0], [1.0, 3.0]]))
    multiple = linalg.LinearOperatorScaledIdentity(2, np.array([2.0, 4.0]))
    return {
        "full": linalg.LinearOperatorFullMatrix(MATRIX),
        "diagonal": diagonal,
        "multiple": multiple,
        "triangle": linalg.LinearOperatorLowerTriangular(TRIANGLE),
        "identity": linalg.LinearOperatorIdentity(2, dtype=tf.float64),
        "identities": linalg.LinearOperatorIdentity(2, [2], tf.float64),
        "zeros": linalg.LinearOperatorZeros(2, dtype=tf.float64),
        "circulant": linalg.LinearOperatorCirculant(np.array([3.0, 5.0]), tf.float64),
        "inverse": linalg.LinearOperatorInversion(linalg.LinearOperatorFullMatrix(MATRIX)),
    }


class OperatorAlgebraTest(tf.test.TestCase):
    def test_products_and_solutions_are_those_of_the_matrices(self):
        found = operators()
        with self.session() as session:
            dense = session.run({name: each.to_dense() for name, each in found.items()})
            for left, one in found.items():
                for right, other in found.items():
                    product = session.run(one.matmul(other).to_dense())
                    self.assertAllClose(product, dense[left] @ dense[right], msg=f"{left} {right}")
                    if left != "zeros":
                        wanted = np.linalg.inv(dense[left]) @ dense[right]
                        solution = session.run(one.solve(other).to_dense())
                        self.assertAllClose(solution, wanted, msg=f"{left} {right}")

    def test_products_keep_the_simplest_class(self):
        found = operators()
        for left, right, kind in (
            ("diagonal", "diagonal", linalg.LinearOperatorDiag),
            ("diagonal", "multiple", linalg.LinearOperatorDiag),
            ("multiple", "diagonal", linalg.LinearOperatorDiag),
            ("diagonal", "triangle", linalg.LinearOperatorLowerTriangular),
            ("triangle", "diagonal", linalg.LinearOperatorLowerTriangular),
            ("circulant", "circulant", linalg.LinearOperatorCirculant),
            ("full", "identity", linalg.LinearOperatorFullMatrix),
            ("identity", "triangle", linalg.LinearOperatorLowerTriangular),
            ("full", "zeros", linalg.LinearOperatorZeros),
            ("full", "triangle", linalg.LinearOperatorComposition),
            ("full", "identities", linalg.LinearOperatorComposition),
        ):
            self.assertIs(type(found[left].matmul(found[right])), kind, f"{left} {right}")
        for left, right, kind in (
            ("diagonal", "diagonal", linalg.LinearOperatorDiag),
            ("multiple", "diagonal", linalg.LinearOperatorDiag),
            ("diagonal", "multiple", linalg.LinearOperatorDiag),
            ("diagonal", "triangle", linalg.LinearOperatorLowerTriangular),
            ("circulant", "circulant", linalg.LinearOperatorCirculant),
            ("identity", "full", linalg.LinearOperatorFullMatrix),
            ("inverse", "full", linalg.LinearOperatorComposition),
        ):
            self.assertIs(type(found[left].solve(found[right])), kind, f"{left} {right}")

    def test_adjoints_inverses_and_factors_keep_their_class(self):
        hints = {"is_self_adjoint": True, "is_positive_definite": True}
        number = np.array(2 + 1j)
        for operator in (
            linalg.LinearOperatorDiag(np.array([1j, 2.0])),
            linalg.LinearOperatorScaledIdentity(2, number),
            linalg.LinearOperatorCirculant(np.array([1j, 2.0]), tf.complex128),
            linalg.LinearOperatorCirculant2D(np.array([[1j, 2.0]]), tf.complex128),
        ):
            for made in (operator.adjoint(), operator.inverse()):
                self.assertIs(type(made), type(operator))
                self.assertEqual(made.dtype, tf.complex128)
            with self.session() as session:
                dense, adjoint = session.run([operator.to_dense(), operator.H.to_dense()])
            self.assertAllClose(adjoint, dense.conj().T)
        for operator in (
            linalg.LinearOperatorDiag(np.array([4.0, 9.0]), **hints),
            linalg.LinearOperatorScaledIdentity(2, 4.0, **hints),
            linalg.LinearOperatorIdentity(2),
        ):
            lower = operator.cholesky()
            self.assertIs(type(lower), type(operator))
            with self.session() as session:
                dense, factor = session.run([operator.to_dense(), lower.to_dense()])
            self.assertAllClose(factor, np.linalg.cholesky(dense))
        mirror = linalg.LinearOperatorHouseholder([1.0, 2.0])
        self.assertIs(mirror.inverse(), mirror)
        full = linalg.LinearOperatorFullMatrix(MATRIX)
        self.assertIs(full.inverse().inverse(), full)
        self.assertIs(full.adjoint().adjoint(), full)

    def test_hints_follow_from_those_of_the_factors(self):
        positive = linalg.LinearOperatorDiag(np.array([1.0, 2.0]), is_positive_definite=True)
        product = positive.matmul(positive)
        self.assertIs(product.is_positive_definite, True)
        self.assertIs(product.is_non_singular, True)
        singular = linalg.LinearOperatorDiag(np.array([0.0, 2.0]), is_non_singular=False)
        self.assertIs(positive.matmul(singular).is_non_singular, False)
        self.assertIs(singular.matmul(singular).is_positive_definite, None)
        tall = linalg.LinearOperatorFullMatrix(np.ones([3, 2]))
        self.assertIs(tall.matmul(positive).is_square, False)
        self.assertIs(tall.matmul(positive).is_non_singular, False)
        self.assertIs(tall.matmul(tall.adjoint()).is_square, True)
        self.assertIs(tall.matmul(tall.adjoint()).is_non_singular, None)
        with self.assertRaisesRegex(ValueError, "incompatible. Expected `x` to have dimension 2"):
            tall.matmul(tall)
        with self.assertRaisesRegex(ValueError, "incompatible. Expected `rhs` to have dimension 2"):
            positive.solve(tall)

    def test_classes_of_a_program_register_their_own(self):
        from troupe._src.linalg import operator_algebra as algebra

        class Own(linalg.LinearOperator):
            def _shape(self):
                return tf.TensorShape([2, 2])

        class Derived(Own):
            pass

        algebra.RegisterAdjoint(Own)(lambda operator: "adjoint")
        algebra.RegisterInverse(Own)(lambda operator: "inverse")
        algebra.RegisterCholesky(Own)(lambda operator: "factor")
        algebra.RegisterMatmul(Own, linalg.LinearOperator)(lambda left, right: "product")
        algebra.RegisterMatmul(Own, Own)(lambda left, right: "own product")
        algebra.RegisterSolve(Own, Own)(lambda left, right: "solution")
        hints = {"is_non_singular": True}
        for own in (Own(tf.float64, **hints), Derived(tf.float64, **hints)):
            self.assertEqual((own.adjoint(), own.inverse()), ("adjoint", "inverse"))
            self.assertEqual((own.matmul(own), own.solve(own)), ("own product", "solution"))
            self.assertEqual(own.matmul(operators()["full"]), "product")
        certain = Own(tf.float64, is_self_adjoint=True, is_positive_definite=True)
        self.assertEqual(certain.cholesky(), "factor")
        with self.assertRaisesRegex(ValueError, "already been registered"):
            algebra.RegisterAdjoint(Own)(lambda operator: None)
        with self.assertRaisesRegex(TypeError, "must be callable"):
            algebra.RegisterAdjoint(Derived)("no function")
        with self.assertRaisesRegex(ValueError, "No adjoint registered for int"):
            algebra.adjoint(3)

    def test_an_operator_knows_its_variables(self):
        weight = tf.get_variable("weight", initializer=np.array([1.0, 2.0]))
        fixed = tf.get_variable("fixed", initializer=MATRIX, trainable=False)
        diagonal = linalg.LinearOperatorDiag(diag=weight)
        both = linalg.LinearOperatorBlockDiag(
            [diagonal, linalg.LinearOperatorFullMatrix(fixed), diagonal]
        )
        self.assertEqual(both.variables, (weight, fixed))
        self.assertEqual(both.trainable_variables, (weight,))
        (gradient,) = tf.gradients(both.trace(), both.trainable_variables)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            self.assertAllEqual(session.run(gradient), [2, 2])

    def test_sizes_are_checked_in_a_step_where_wanted(self):
        rows = tf.placeholder_with_default(2, None)
        x = np.ones([3, 3], np.float32)
        for make in (
            lambda **options: linalg.LinearOperatorIdentity(rows, **options),
            lambda **options: linalg.LinearOperatorScaledIdentity(rows, [1.0, 2.0], **options),
        ):
            with self.session() as session:
                session.run(make().matmul(x))
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "not compatible"):
                    session.run(make(assert_proper_shapes=True).matmul(x))
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "be non-negative"):
                    session.run(make(assert_proper_shapes=True).to_dense(), {rows: -1})
        with self.assertRaisesRegex(TypeError, "num_rows cannot be reference type"):
            linalg.LinearOperatorIdentity(tf.get_variable("rows", initializer=2))
        with self.assertRaisesRegex(ValueError, "batch_shape must be non-negative"):
            linalg.LinearOperatorIdentity(2, batch_shape=[-2])
        with self.assertRaisesRegex(ValueError, "the operator was square"):
            bool(linalg.LinearOperatorFullMatrix(MATRIX, is_square=False).is_square)


class AddOperatorsTest(tf.test.TestCase):
    def test_sums_are_of_the_simplest_class(self):
        found = operators()
        found["one"] = linalg.LinearOperatorIdentity(2, dtype=tf.float64)
        for names, kind in (
            (["identity", "multiple", "one"], linalg.LinearOperatorScaledIdentity),
            (["identity", "diagonal", "multiple"], linalg.LinearOperatorDiag),
            (["triangle", "multiple", "triangle"], linalg.LinearOperatorLowerTriangular),
            (["triangle", "full", "identity"], linalg.LinearOperatorFullMatrix),
            (["circulant", "inverse"], linalg.LinearOperatorFullMatrix),
            (["full"], linalg.LinearOperatorFullMatrix),
        ):
            summands = [found[name] for name in names]
            sums = add_operators(summands)
            self.assertEqual([type(each) for each in sums], [kind], names)
            with self.session() as session:
                total, *parts = session.run([each.to_dense() for each in sums + summands])
            self.assertAllClose(total, sum(parts))

    def test_tiers_say_what_is_added(self):
        from troupe._src.linalg.operator_addition import AddAndReturnDiag, Hints

        found = operators()
        names = ("full", "diagonal", "multiple")
        sums = add_operators(
            [found[name] for name in names], addition_tiers=[[AddAndReturnDiag()]]
        )
        self.assertEqual(
            [type(each) for each in sums],
            [linalg.LinearOperatorFullMatrix, linalg.LinearOperatorDiag],
        )
        self.assertEqual(sums[1].name, "Add/LinearOperatorDiag__LinearOperatorScaledIdentity/")
        certain = AddAndReturnDiag().add(
            found["diagonal"], found["multiple"], "sum", Hints(is_positive_definite=True)
        )
        self.assertIs(certain.is_positive_definite, True)

    def test_hints_and_names_are_those_of_the_summands(self):
        hints = {"is_positive_definite": True, "is_self_adjoint": True}
        one = linalg.LinearOperatorFullMatrix(MATRIX, **hints, name="A")
        (total,) = add_operators([one, linalg.LinearOperatorFullMatrix(MATRIX, **hints, name="B")])
        self.assertEqual(total.name, "Add/B__A/")
        self.assertTrue(total.is_positive_definite and total.is_non_singular)
        (named,) = add_operators([one, operators()["diagonal"]], operator_name="sum")
        self.assertEqual(named.name, "sum")
        self.assertIs(named.is_positive_definite, None)

    def test_operators_that_do_not_fit_are_errors(self):
        full = linalg.LinearOperatorFullMatrix
        for wrong, text in (
            ([], "at least one"),
            ([full(MATRIX), full(np.ones([2, 3]))], "same domain dimension"),
            ([full(MATRIX), full(np.ones([3, 2]))], "same range dimension"),
            ([full(np.ones([2, 2, 2])), full(np.ones([3, 2, 2]))], "broadcast|not compatible"),
        ):
            with self.assertRaisesRegex(ValueError, text):
                add_operators(wrong)
        with self.assertRaisesRegex(TypeError, "only LinearOperator"):
            add_operators([full(MATRIX), MATRIX])


if __name__ == "__main__":
    unittest.main()
