"""The logistic regression with random intercepts, against the truth and an independent fit."""

import math

import numpy as np
import pytest

pytest.importorskip("scipy", reason="needs the extra `analysis`")

from solecism.analyses.mixed import fit_mixed_logistic

TRUTH = 0.6

Data = tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]


def simulated(random: np.random.Generator, effect: float = TRUTH) -> Data:
    """Outcomes of two kinds of models, with random modifiers, items and seeds."""
    grid = np.array(
        [(m, i, s, x) for m in range(4) for i in range(25) for s in range(3) for x in (0, 1)]
    )
    modifier, item, seed, kind = grid.T
    level = (
        0.5 + effect * kind + 0.4 * random.normal(size=4)[modifier]
        + random.normal(size=25)[item] + 0.2 * random.normal(size=3)[seed]
    )  # fmt: skip
    outcome = (random.random(len(kind)) < 1 / (1 + np.exp(-level))).astype(float)
    return outcome, kind, {"modifier": modifier, "item": item, "seed": seed}


@pytest.mark.nightly
def test_intervals_cover_the_truth() -> None:
    random = np.random.default_rng(20)
    covered = 0
    for _ in range(100):
        outcome, kind, groups = simulated(random)
        found = fit_mixed_logistic(outcome, {"kind": kind}, groups).effects["kind"]
        covered += abs(found.estimate - TRUTH) <= 1.96 * found.error
    assert 93 <= covered <= 97


def test_an_independent_fit_agrees() -> None:
    """Laplace's approximation written again, with dense matrices and another optimiser."""
    outcome, kind, groups = simulated(np.random.default_rng(1))
    found = fit_mixed_logistic(outcome, {"kind": kind}, groups)
    slow = slow_fit(outcome, kind, groups)
    assert found.log_likelihood == pytest.approx(slow[0], abs=1e-3)
    assert found.effects["kind"].estimate == pytest.approx(slow[1], abs=2e-3)
    assert found.effects["kind"].error == pytest.approx(slow[2], rel=0.02)


def slow_fit(
    outcome: np.ndarray, kind: np.ndarray, groups: dict[str, np.ndarray]
) -> tuple[float, float, float]:
    from scipy.optimize import minimize

    fixed = np.column_stack([np.ones(len(kind)), kind])
    blocks = [np.eye(int(code.max()) + 1)[code] for code in groups.values()]

    def loss(at: np.ndarray) -> float:
        deviations, beta = np.abs(at[:3]), at[3:]
        z = np.hstack([b * d for b, d in zip(blocks, deviations, strict=True)])
        u = np.zeros(z.shape[1])
        for _ in range(60):
            chance = 1 / (1 + np.exp(-(fixed @ beta + z @ u)))
            weight = chance * (1 - chance)
            hessian = z.T @ (z * weight[:, None]) + np.eye(len(u))
            step = np.linalg.solve(hessian, z.T @ (outcome - chance) - u)
            u = u + step
            if np.abs(step).max() < 1e-10:
                break
        eta = fixed @ beta + z @ u
        likelihood = float((outcome * eta - np.logaddexp(0, eta)).sum()) - 0.5 * float(u @ u)
        return -likelihood + 0.5 * float(np.linalg.slogdet(hessian)[1])

    options = {"xatol": 1e-5, "fatol": 1e-7, "maxiter": 3000}
    found = minimize(loss, [0.5, 0.8, 0.3, 0.3, 0.3], method="Nelder-Mead", options=options)

    def profile(shift: float) -> float:
        kind = found.x[4] + shift

        def rest(at: np.ndarray) -> float:
            return loss(np.append(at, kind))

        return float(minimize(rest, found.x[:4], method="Nelder-Mead", options=options).fun)

    width = 0.05
    curvature = (profile(width) + profile(-width) - 2 * float(found.fun)) / width**2
    return -float(found.fun), float(found.x[4]), 1 / math.sqrt(curvature)
