# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gnn_mlir.reference` on the features of rows, element by element."""

import math

import numpy as np
import pytest

from gnn_mlir import reference

RNG = np.random.default_rng(0)
X = np.r_[RNG.standard_normal(200) * 3, np.linspace(-40, 40, 81), 0.0, 1e-300,
          -1e-300, 800.0, -800.0]

ACTIVATIONS = {
    "relu": lambda x: max(x, 0.0),
    "leaky_relu": lambda x: x if x > 0 else 0.2 * x,
    "prelu": lambda x: x if x > 0 else 0.3 * x,
    "elu": lambda x: x if x > 0 else 0.2 * math.expm1(x),
    "sigmoid": lambda x: (1 / (1 + math.exp(-x)) if x > 0 else
                          math.exp(x) / (1 + math.exp(x))),
    "tanh": math.tanh,
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "swish": lambda x: x * (1 / (1 + math.exp(-x)) if x > 0 else
                            math.exp(x) / (1 + math.exp(x))),
    "exp": lambda x: math.exp(x) if x < 700 else math.inf,
}


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_activation(kind):
    alpha = 0.2 if kind in ("leaky_relu", "elu") else None
    weight = np.array([0.3]) if kind == "prelu" else None
    out = reference.activation(kind, X[:, None], weight, alpha)[:, 0]
    np.testing.assert_allclose(out, [ACTIVATIONS[kind](x) for x in X],
                               rtol=1e-14, atol=1e-15)
    assert np.isnan(reference.activation(kind, np.array([np.nan]), weight, alpha))


def test_activation_refuses_unknown_kinds():
    with pytest.raises(ValueError, match="expected a kind of activation, got "
                       "'softplus'"):
        reference.activation("softplus", X)


def test_erf():
    np.testing.assert_allclose(reference.erf(X), [math.erf(x) for x in X],
                               rtol=1e-15, atol=1e-300)
    assert reference.erf([np.inf, -np.inf]).tolist() == [1, -1]
    assert np.isnan(reference.erf(np.nan))


def test_batch_norm():
    x = RNG.standard_normal((6, 2, 3))
    mean, variance, gamma, beta = np.abs(RNG.standard_normal((4, 2, 3)))
    out = reference.batch_norm(x, mean, variance, gamma, beta, 0.1)
    for i in np.ndindex(x.shape):
        f = i[1:]
        expected = ((x[i] - mean[f]) / math.sqrt(variance[f] + 0.1) * gamma[f] +
                    beta[f])
        assert math.isclose(out[i], expected, rel_tol=1e-12, abs_tol=1e-12)


def test_layer_norm():
    x = RNG.standard_normal((6, 2, 5))
    gamma, beta = RNG.standard_normal((2, 5))
    plain = reference.layer_norm(x, eps=1e-3)
    scaled = reference.layer_norm(x, gamma, beta, 1e-3)
    for i in np.ndindex(6, 2):
        mean = math.fsum(x[i]) / 5
        variance = math.fsum((v - mean) ** 2 for v in x[i]) / 5
        for f in range(5):
            n = (x[i][f] - mean) / math.sqrt(variance + 1e-3)
            assert math.isclose(plain[i][f], n, abs_tol=1e-12)
            assert math.isclose(scaled[i][f], n * gamma[f] + beta[f],
                                abs_tol=1e-12)


def philox(counter, key):
    """Philox4x32-10 from its paper, in plain integers."""
    c = list(counter)
    k = list(key)
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF,
             (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_philox_gives_the_words_of_its_authors():
    # From the known-answer tests of Random123.
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C,
                                        0x9B00DBD8]


def test_dropout():
    x = np.arange(1.0, 24).reshape(23, 1)
    seed, offset = 0x123456789ABCDEF0, 0xFFFFFFFE
    out = reference.dropout(x, 0.3, seed, offset)
    for n in range(23):
        c = offset + n // 4
        word = philox([c & 0xFFFFFFFF, c >> 32, 0, 0],
                      [seed & 0xFFFFFFFF, seed >> 32])[n % 4]
        kept = word >= int(0.3 * 2 ** 32)
        assert out[n, 0] == (x[n, 0] / 0.7 if kept else 0)
    assert np.array_equal(reference.dropout(x, 0.0, 1, 2), x)


def test_dot_and_outer_rows():
    a, b = RNG.standard_normal((2, 4, 2, 3))
    v = RNG.standard_normal((2, 3))
    for i, h in np.ndindex(4, 2):
        assert math.isclose(reference.dot(a, b)[i, h],
                            math.fsum(a[i, h] * b[i, h]), abs_tol=1e-12)
        assert math.isclose(reference.dot(a, v)[i, h], math.fsum(a[i, h] * v[h]),
                            abs_tol=1e-12)
        for j, k in np.ndindex(3, 3):
            assert reference.outer_rows(a, b)[i, h, j, k] == (
                a[i, h, j] * b[i, h, k])


def test_shapes_of_features():
    x = RNG.standard_normal((4, 2))
    out = reference.broadcast(x, (2, 3))
    assert all(out[i, h, f] == x[i, h] for i, h, f in np.ndindex(4, 2, 3))
    w = RNG.standard_normal(3)
    out = reference.broadcast(w, (2, 3), rows=5)
    assert all(out[i, h, f] == w[f] for i, h, f in np.ndindex(5, 2, 3))
    assert reference.broadcast(2.0, (), rows=3).tolist() == [2, 2, 2]
    y = RNG.standard_normal((4, 5))
    out = reference.concat(x, y)
    assert np.array_equal(out[:, :2], x) and np.array_equal(out[:, 2:], y)
    assert np.array_equal(reference.slice(out, 2, 5), y)
    z = RNG.standard_normal((4, 6))
    assert np.array_equal(reference.reshape(z, (2, 3))[:, 1, 2], z[:, 5])


def test_sums_and_zeros_transpose_broadcast_and_slice():
    """<f(x), y> = <x, transpose of f (y)>."""
    x, y = RNG.standard_normal(3), RNG.standard_normal((5, 2, 3))
    assert math.isclose((reference.broadcast(x, (2, 3), rows=5) * y).sum(),
                        (x * reference.sum_rows(y, (3,))).sum(), rel_tol=1e-12)
    assert math.isclose(reference.sum_rows(y, ()), math.fsum(y.flat), rel_tol=1e-12)
    assert np.allclose(reference.sum_rows(y, (2, 3))[1, 2], math.fsum(y[:, 1, 2]))
    assert reference.sum_rows(y[:0], (3,)).tolist() == [0, 0, 0]
    z = RNG.standard_normal((5, 2, 7))
    assert math.isclose((reference.slice(z, 2, 3) * y).sum(),
                        (z * reference.pad(y, 2, 7)).sum(), rel_tol=1e-12)


@pytest.mark.parametrize("kind", ["sum", "mean", "max", "min"])
def test_reduce_features_and_heads(kind):
    x = RNG.standard_normal((4, 2, 3))
    of = {"sum": math.fsum, "max": max, "min": min,
          "mean": lambda v: math.fsum(v) / len(v)}[kind]
    for i, h in np.ndindex(4, 2):
        assert math.isclose(reference.reduce_features(kind, x)[i, h],
                            of(list(x[i, h])), abs_tol=1e-12)
    for i, f in np.ndindex(4, 3):
        assert math.isclose(reference.reduce_heads(kind, x)[i, f],
                            of(list(x[i, :, f])), abs_tol=1e-12)
    x[0, 0, 0] = np.nan
    assert np.isnan(reference.reduce_features(kind, x)[0, 0])


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("over", ["heads", "features"])
def test_pick_feature(kind, over):
    of = np.round(RNG.standard_normal((40, 3, 4)))  # with ties
    of[3, 1, 2] = of[3, 2, 2] = of[3, 2, 3] = np.nan
    x = RNG.standard_normal((40, 4) if over == "heads" else (40, 3))
    out = reference.pick_feature(x, of, kind, over)
    for i, k in np.ndindex(x.shape):
        row, got = ((of[i, :, k], out[i, :, k]) if over == "heads" else
                    (of[i, k], out[i, k]))
        nan = [j for j, v in enumerate(row) if math.isnan(v)]
        best = {"max": max, "min": min}[kind]
        first = nan[0] if nan else list(row).index(best(row))
        assert list(got) == [x[i, k] if j == first else 0 for j in range(len(row))]
