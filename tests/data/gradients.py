#!/usr/bin/env python3
"""Makes gradients.npz beside it: losses in NumPy, what they read, their values and their derivatives by each floating
operand. `python3 gradients.py`; tests only read the file.

The derivatives are by the complex step, f'(x) = Im f(x + ih) / h for real analytic f (J. Martins, P. Sturdza and
J. Alonso, "The Complex-Step Derivative Approximation", ACM TOMS 29, 2003), which has no differences and so no
cancellation: with h = 1e-30 they are exact to rounding. Whatever chooses or orders looks at real parts.
"""
import pathlib

import numpy as np

draw = np.random.default_rng(2)


def normal(*shape):
    return draw.standard_normal(shape)


def larger(x, y):
    return np.where(np.real(x) > np.real(y), x, y)


def greatest(x, axis):
    return np.take_along_axis(x, np.real(x).argmax(axis, keepdims=True), axis)


def relu(x):
    return larger(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def logsumexp(x):
    most = greatest(x, -1)
    return np.log(np.exp(x - most).sum(-1)) + most[..., 0]


def softmax(x):
    e = np.exp(x - greatest(x, -1))
    return e / e.sum(-1, keepdims=True)


def cross_entropy(logits, classes):
    return (logsumexp(logits) - (logits * classes).sum(-1)).mean()


def standardised(x, axis):
    off = x - x.mean(axis, keepdims=True)
    return off / np.sqrt((off * off).mean(axis, keepdims=True) + 1e-5)


def length(x):
    return np.sqrt((x * x).sum(-1))


classes = np.eye(5)[draw.integers(0, 5, 7)]
places = np.array([2, 0, 4, 4, 1, 2, 2])

# name: the loss, and its operands
LOSSES = {
    "linear": (lambda x, w, y: ((x @ w - y) ** 2).mean(), normal(9, 5), normal(5), normal(9)),
    "logistic": (lambda x, w, s: np.log(1 + np.exp(-s * (x @ w))).mean(), normal(9, 5), normal(5), np.sign(normal(9))),
    "cross_entropy": (lambda x, w: cross_entropy(x @ w, classes), normal(7, 6), normal(6, 5)),
    "tanh_network": (lambda x, v, w: ((np.tanh(x @ v) @ w) ** 2).sum(), normal(7, 6), normal(6, 4), normal(4, 3)),
    "relu_network": (lambda x, v, b, w, c: cross_entropy(relu(x @ v + b) @ w + c, classes),
                     normal(7, 6), normal(6, 8), normal(8), normal(8, 5), normal(5)),
    "layer_norm": (lambda x, w, b, t: ((standardised(x, 1) * w + b) * t).sum(),
                   normal(6, 9), normal(9), normal(9), normal(6, 9)),
    "rms_norm": (lambda x, t: (x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * t).sum(), normal(6, 9),
                 normal(6, 9)),
    "logsumexp": (lambda x: (logsumexp(3 * x) ** 2).sum(), normal(5, 8)),
    "softmax": (lambda x, t: ((softmax(x) - t) ** 2).sum(), normal(5, 8), normal(5, 8)),
    "variance": (lambda x: (((x - x.mean(0)) ** 2).mean(0) ** 2).sum(), normal(7, 4)),
    "batch_norm": (lambda x, t: (np.tanh(standardised(x, 0)) * t).sum(), normal(8, 5), normal(8, 5)),
    "huber": (lambda x, y: np.where(abs(np.real(x - y)) < 1, (x - y) ** 2 / 2,
                                    np.where(np.real(x - y) > 0, x - y, y - x) - 0.5).sum(), normal(31), normal(31)),
    "kernel_density": (lambda x, c: np.log(np.exp(-((x[:, None] - c) ** 2).sum(-1)).sum(1)).mean(), normal(9, 3),
                       normal(6, 3)),
    "nearest": (lambda x, c: -greatest(-((x[:, None] - c) ** 2).sum(-1), 1).sum(), normal(9, 3), normal(6, 3)),
    "stencil": (lambda x: ((x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]) ** 2).sum(),
                normal(7, 9)),
    "strides": (lambda x: (np.exp(x[1::2, ::-1]) * x[::2, :]).sum(), normal(6, 7)),
    "attention": (lambda q, k, v, t: ((softmax(q @ k.T / 2) @ v) * t).sum(), normal(5, 4), normal(6, 4), normal(6, 3),
                  normal(5, 3)),
    "cosine": (lambda x, y: ((x * y).sum(-1) / (length(x) * length(y))).sum(), normal(6, 4), normal(6, 4)),
    "embedding": (lambda e, w: np.tanh(e[places] @ w).sum(), normal(5, 3), normal(3, 2)),
    "joined": (lambda x, y: (np.concatenate([np.roll(x, 2, 0), y ** 3], 0) * np.pad(x, ((1, 2), (0, 0)))).sum(),
               normal(5, 4), normal(3, 4)),
    "diagonal": (lambda x: (np.diagonal(x, 1) ** 2).sum() * np.trace(x) + np.sin(x.reshape(3, 10)).prod(0).sum(),
                 normal(5, 6)),
    "divergence": (lambda x, y: (softmax(x) * (np.log(softmax(x)) - np.log(softmax(y)))).sum(), normal(4, 6),
                   normal(4, 6)),
    "powers": (lambda x, p: (x ** p + x ** 3 / (1 + x * x)).sum(), np.exp(normal(6, 5)), normal(5)),
}


def derivative(loss, operands, which):
    step = 1e-30
    result = np.empty_like(operands[which])
    for at in np.ndindex(result.shape):
        moved = [x.astype(complex) for x in operands]
        moved[which][at] += 1j * step
        result[at] = np.imag(loss(*moved)) / step
    return result


def main():
    members = {"classes": classes, "places": places}
    for name, (loss, *operands) in LOSSES.items():
        members[f"{name}/value"] = np.real(loss(*operands))
        for i, x in enumerate(operands):
            members[f"{name}/{i}"] = x
            members[f"{name}/by_{i}"] = derivative(loss, operands, i)
    np.savez_compressed(pathlib.Path(__file__).parent / "gradients.npz", **members)


if __name__ == "__main__":
    main()
