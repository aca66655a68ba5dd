"""The ops in NumPy's API, which CuPy and JAX share: one expression each, without optimisation hints."""
from references import steps


def ops(np, erf):
    """Every op as a function of its operands. `np` is the module, `erf` its error function."""

    def black_scholes(price, strike, years):
        deviation = 0.3 * np.sqrt(years)
        d = (np.log(price / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / deviation
        n1 = 0.5 * (1 + erf(d * 0.70710678))
        n2 = 0.5 * (1 + erf((d - deviation) * 0.70710678))
        return price * n1 - strike * np.exp(-0.02 * years) * n2

    def softmax(x):
        e = np.exp(x - np.max(x, axis=1, keepdims=True))
        return e / np.sum(e, axis=1, keepdims=True)

    def layernorm(x, weight, bias):
        centred = x - np.mean(x, axis=1, keepdims=True)
        return centred / np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + 1e-5) * weight + bias

    def standardise(x):
        centred = x - np.mean(x, axis=0, keepdims=True)
        return centred / np.sqrt(np.mean(centred * centred, axis=0, keepdims=True))

    def logsumexp(x):
        top = np.max(x, axis=1, keepdims=True)
        return np.log(np.sum(np.exp(x - top), axis=1)) + top[:, 0]

    def gelu_bias(x, bias):
        v = x + bias
        return 0.5 * v * (1 + erf(v * 0.70710678))

    def squared_distances(x, y):
        return np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)

    return {
        "exp": lambda x: np.exp(x),
        "chain": lambda x: np.tanh(0.75 * x + 0.25) * np.exp(-0.5 * x * x) + 0.125,
        "linear": lambda x, y, w: 1.5 * x + 2.5 * y + 3.5 * w,
        "multiply_add": lambda x, y: x * y + 1,
        "black_scholes": black_scholes,
        "norm_axis0": lambda x: np.sqrt(np.sum(x * x, axis=0)),
        "norm_axis1": lambda x: np.sqrt(np.sum(x * x, axis=1)),
        "norm_axis2": lambda x: np.sqrt(np.sum(x * x, axis=2)),
        "dot": lambda x, y: np.sum(x * y),
        "share_of_sum": lambda x: x / np.sum(x),
        "softmax": softmax,
        "layernorm": layernorm,
        "rmsnorm": lambda x, weight: x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-5) * weight,
        "logsumexp": logsumexp,
        "argmax": lambda x: np.argmax(x, axis=1),
        "cumsum_axis0": lambda x: np.cumsum(x, axis=0),
        "cumsum_axis1": lambda x: np.cumsum(x, axis=1),
        "var_axis0": lambda x: np.var(x, axis=0),
        "standardise_axis0": standardise,
        "pairwise": squared_distances,
        "kmeans": lambda x, centres: np.argmin(squared_distances(x, centres), axis=1),
        "matmul": lambda x, y: np.dot(x, y),
        "gelu_bias": gelu_bias,
        "laplacian": lambda u: u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1],
        "add_transposed": lambda x, y: x + y.T,
        "gaussian": lambda x, y: np.exp(-((x[:, None] - y[None, :]) ** 2)),
        **{f"steps_{n}": steps(n) for n in (1, 2, 4, 8, 16, 32)},
    }
