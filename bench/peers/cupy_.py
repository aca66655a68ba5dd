"""CuPy: one kernel per operation, or cupy.fuse of the same function."""
import cupy as cp
from cupyx.scipy.special import erf

import numpy_like

# What cupy.fuse supports: elementwise functions, broadcasting, and one final reduction without keepdims.
FUSIBLE = {"exp", "chain", "linear", "multiply_add", "black_scholes", "norm_axis0", "norm_axis1", "norm_axis2", "dot",
           "pairwise", "gelu_bias", "gaussian", "steps_1", "steps_2", "steps_4", "steps_8", "steps_16", "steps_32"}


class Peer:
    fused = False

    def __init__(self, device):
        if device != "cuda":
            raise RuntimeError("computes on CUDA devices alone")
        self.ops = numpy_like.ops(cp, erf)
        cp.cuda.Device(0).use()
        (cp.ones(8, cp.float32) + 1).sum()  # initialises the device and the compiler

    def description(self):
        return f"CuPy {cp.__version__}{', cupy.fuse' if self.fused else ''}"

    def upload(self, array):
        return cp.asarray(array)

    def function(self, case):
        return self.ops.get(case.op)

    def synchronize(self):
        cp.cuda.get_current_stream().synchronize()

    def mark(self):
        event = cp.cuda.Event()
        event.record()
        return event

    def seconds(self, start, stop):
        stop.synchronize()
        return cp.cuda.get_elapsed_time(start, stop) * 1e-3

    def to_numpy(self, result):
        return cp.asnumpy(result)

    def release(self):
        cp.get_default_memory_pool().free_all_blocks()


class FusedPeer(Peer):
    fused = True

    def function(self, case):
        if case.op not in FUSIBLE:
            return None
        f = self.ops[case.op]
        if case.op == "pairwise":  # views are made outside, because a fused function cannot index
            fused = cp.fuse(kernel_name="pairwise")(lambda x, y: cp.sum((x - y) ** 2, axis=2))
            return lambda x, y: fused(x[:, None, :], y[None, :, :])
        if case.op == "gaussian":
            fused = cp.fuse(kernel_name="gaussian")(lambda x, y: cp.exp(-((x - y) ** 2)))
            return lambda x, y: fused(x[:, None], y[None, :])
        return cp.fuse(kernel_name=case.op)(f)
