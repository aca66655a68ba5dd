"""PyTorch: eager, or with torch.compile. Uses PyTorch's own functions where they exist."""
import time

import torch
import torch.nn.functional as functional

from references import steps
import torch_training


def black_scholes(price, strike, years):
    deviation = 0.3 * torch.sqrt(years)
    d = (torch.log(price / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / deviation
    n1 = 0.5 * (1 + torch.erf(d * 0.70710678))
    n2 = 0.5 * (1 + torch.erf((d - deviation) * 0.70710678))
    return price * n1 - strike * torch.exp(-0.02 * years) * n2


def standardise(x):
    centred = x - x.mean(0, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(0, keepdim=True))


def squared_distances(x, y):
    return ((x[:, None, :] - y[None, :, :]) ** 2).sum(2)


OPS = {
    "exp": lambda x: torch.exp(x),
    "chain": lambda x: torch.tanh(0.75 * x + 0.25) * torch.exp(-0.5 * x * x) + 0.125,
    "linear": lambda x, y, w: 1.5 * x + 2.5 * y + 3.5 * w,
    "multiply_add": lambda x, y: x * y + 1,
    "black_scholes": black_scholes,
    "norm_axis0": lambda x: torch.sqrt((x * x).sum(0)),
    "norm_axis1": lambda x: torch.sqrt((x * x).sum(1)),
    "norm_axis2": lambda x: torch.sqrt((x * x).sum(2)),
    "dot": lambda x, y: (x * y).sum(),
    "share_of_sum": lambda x: x / x.sum(),
    "softmax": lambda x: torch.softmax(x, 1),
    "layernorm": lambda x, w, b: functional.layer_norm(x, w.shape, w, b, 1e-5),
    "rmsnorm": lambda x, w: x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5) * w,
    "logsumexp": lambda x: torch.logsumexp(x, 1),
    "argmax": lambda x: torch.argmax(x, 1),
    "cumsum_axis0": lambda x: torch.cumsum(x, 0),
    "cumsum_axis1": lambda x: torch.cumsum(x, 1),
    "var_axis0": lambda x: torch.var(x, 0, correction=0),
    "standardise_axis0": standardise,
    "pairwise": squared_distances,
    "kmeans": lambda x, centres: torch.argmin(squared_distances(x, centres), 1),
    "matmul": lambda x, y: x @ y,
    "gelu_bias": lambda x, b: functional.gelu(x + b),
    "laplacian": lambda u: u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1],
    "add_transposed": lambda x, y: x + y.T,
    "gaussian": lambda x, y: torch.exp(-((x[:, None] - y[None, :]) ** 2)),
    **{f"steps_{n}": steps(n) for n in (1, 2, 4, 8, 16, 32)},
}


class Peer:
    compiled = False

    def __init__(self, device):
        if device == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("sees no CUDA device")
        self.device = device
        torch.set_grad_enabled(False)
        torch.ones(8, device=device).add(1).sum().item()
        if self.compiled:  # keeps the cost of a process's first compilation out of the first case
            torch.compile(lambda x: torch.exp(x) + 1, dynamic=False)(torch.ones(64, device=device))
            torch._dynamo.config.recompile_limit = 64  # closures of one function count as recompilations of it

    def description(self):
        return f"PyTorch {torch.__version__}, {'torch.compile' if self.compiled else 'eager'}"

    def upload(self, array):
        return torch.from_numpy(array).to(self.device)

    def function(self, case):
        return torch_training.Step(case) if case.op == "mlp_step" else OPS.get(case.op)

    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def mark(self):
        if self.device == "cpu":
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, start, stop):
        if self.device == "cpu":
            return stop - start
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3

    def to_numpy(self, result):
        return result.detach().cpu().numpy()

    def release(self):
        if self.device == "cuda":
            torch.cuda.empty_cache()


class CompiledPeer(Peer):
    compiled = True

    def function(self, case):
        f = OPS.get(case.op)
        return f and torch.compile(f, dynamic=False)
