#!/usr/bin/env python3
"""The expressions of host_everyday.cpp in NumPy or JAX: host_everyday.py EXTENT numpy|jax [PART OF A NAME]"""
import os
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
import numpy as np
n = int(sys.argv[1]); kind = sys.argv[2]; wanted = sys.argv[3] if len(sys.argv) > 3 else ""
rng = np.random.default_rng(1)
if kind == "jax":
    import jax, jax.numpy as xp
    jax.config.update("jax_enable_x64", True)
else:
    xp = np
U = lambda *s: rng.random(s)
c = n // 10
d = dict(x=U(n, n), y=U(n, n), f=U(n, n).astype(np.float32), g=U(n, n).astype(np.float32))
d["u"] = (d["f"] * 255).astype(np.uint8); d["w"] = (d["g"] * 255).astype(np.uint8)
d["live"] = (d["f"] > .5).astype(np.uint8); d["b"] = d["f"] > .5; d["v"] = d["x"].ravel()
k = n // 4 * 4
d["image"] = np.ascontiguousarray(d["f"][:k, :k]).reshape(-1, 4, 1)
d["rows"] = (U(n) * n).astype(np.int64); d["places"] = (U(n * n) * n * n).astype(np.int64)
d["volume"] = d["f"].ravel()[: c * c * 100].reshape(c, c, 100).copy()
d["q"] = (d["f"] * 100).astype(np.int8); d["line"] = d["x"][0].copy(); d["mask"] = d["line"] > .5
src = r"""
chain_f64: xp.sqrt(x * x + y * y) * 2.0 - x / (y + 1.0)
long_chain_f64: ((((((x * 0.1 + y) * x + 0.2) * x - y) * x + 0.3) * x + y) * x - 0.4) * x + y
chain_f32: xp.sqrt(f * f + g * g) * 2 - f / (g + 1)
exp_f32: xp.exp(f) + xp.log(g + 1)
exp_f64: xp.exp(x) + xp.log(y + 1)
blend_u8: ((u.astype(xp.int32) * 77 + w.astype(xp.int32) * 179) // 256).astype(xp.uint8)
add_u8: u + w
logic_bool: (b & ~(f < 0.25)) | (g > 0.9)
roll0_f64: xp.roll(x, 1, 0)
roll1_f64: xp.roll(x, 1, 1)
roll_flat_f64: xp.roll(v, 7)
laplace_roll_f64: sum(xp.roll(x, s, a) for a in (0, 1) for s in (1, -1)) - 4.0 * x
life_u8: (sum(xp.roll(live, s, a) for a in (0, 1) for s in (1, -1)) == 3).astype(xp.uint8)
pad_f64: xp.pad(x, 1)
pad_f32: xp.pad(f, 3)
concat0_f64: xp.concatenate([x, y], 0)
concat1_f64: xp.concatenate([x, y], 1)
stack_last_f32: xp.stack([f, g], -1)
flip_f64: x[:, ::-1].copy()
repeat0_f64: xp.repeat(x, 2, 0)
repeat1_f64: xp.repeat(x, 2, 1)
upsample_f32: xp.repeat(xp.repeat(f, 2, 0), 2, 1)
tile_f64: xp.tile(x, (2, 2))
take_rows_f64: xp.take(x, rows, 0, mode="clip")
take_columns_f64: xp.take(x, rows, 1, mode="clip")
take_flat_f64: xp.take(v, places, mode="clip")
where_mask_f64: xp.where(b, x, y)
where_column_f64: xp.where(mask, x, 0.0)
triangle_f64: xp.where(xp.arange(n)[:, None] >= xp.arange(n), x, 0.0)
blur3_f64: (x[:-2] + x[1:-1] + x[2:]) / 3.0
box9_f32: sum(f[i : n - 2 + i, j : n - 2 + j] for i in range(3) for j in range(3))
stencil3d_f32: sum(volume[i] for i in neighbours) - 6 * volume[middle]
diff_f64: x[:, 1:] - x[:, :-1]
transpose_f64: x.T.copy()
add_transpose_f64: x + y.T
transpose_u8: u.T.copy()
sum_all_f64: xp.sum(x)
sum_rows_f64: xp.sum(x, 1)
sum_columns_f64: xp.sum(x, 0)
sum_u8: xp.sum(u)
count_bool: xp.sum(b)
max_rows_f32: xp.max(f, 1)
sum_roll_f64: xp.sum(x * xp.roll(x, 1, 1))
var_f64: xp.var(x, 1)
softmax_f32: (lambda e: e / xp.sum(e, 1, keepdims=True))(xp.exp(f - xp.max(f, 1, keepdims=True)))
layer_norm_f32: (f - xp.mean(f, 1, keepdims=True)) / xp.sqrt(xp.var(f, 1, keepdims=True) + 1e-5)
cumsum_f64: xp.cumsum(x, 1)
cumsum0_f64: xp.cumsum(x, 0)
cast_f64_f32: x.astype(xp.float32)
cast_u8_f32: u.astype(xp.float32)
dequantise_i8_f32: (q.astype(xp.float32) - 3) * f[:, :1]
channels_f32: image[:, 0, 0] * xp.float32(.3) + image[:, 1, 0] * xp.float32(.6) + image[:, 2, 0] * xp.float32(.1)
outer_f64: line[:, None] * line
normalise_columns_f32: (f - xp.mean(f, 0)) / 2
"""
names = list(d)
inner, low, high = slice(1, -1), slice(0, -2), slice(2, None)
middle = (inner, inner, inner)
neighbours = [middle[:a] + (s,) + middle[a + 1 :] for a in range(3) for s in (low, high)]
if kind == "jax": d = {a: jax.numpy.asarray(z) for a, z in d.items()}
for row in src.strip().splitlines():
    name, text = row.split(": ", 1)
    if wanted not in name: continue
    if kind == "jax":
        text = text.replace(".copy()", "+0")
    fn = eval("lambda " + ",".join(names) + ": " + text, dict(xp=xp, n=n, middle=middle, neighbours=neighbours))
    if kind == "jax":
        jit = jax.jit(fn); call = lambda: jit(**d).block_until_ready()
    else:
        call = lambda: fn(**d)
    call(); best = 1e9; total = 0; i = 0
    while i < 300 and (i < 3 or total < .15):
        t = time.process_time(); call(); t = time.process_time() - t
        best = min(best, t); total += t; i += 1
    print(name, "%.4f" % (best * 1e3), flush=True)
