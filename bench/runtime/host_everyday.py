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
d["sorted"] = np.sort(d["line"]); d["edges"] = np.linspace(0, 1, 65, dtype=np.float32)
d["bins"] = np.linspace(0, 1, 33)
d["keys"] = d["places"] % 1000; d["order"] = np.argsort(d["y"], 1); d["totals"] = np.zeros(1000)
d["points"] = d["f"].ravel()[: c * c // 8 * 8].reshape(-1, 8)[:1000].copy()
d["taps"] = np.linspace(.1, 1, 9, dtype=np.float32)
d["batch"] = d["f"].ravel()[: n * n // 64 * 64].reshape(-1, 8, 8).copy(); d["h"] = d["f"].astype(np.float16)
d["rgb"] = d["u"].ravel()[: n * n // 3 * 3].reshape(-1, 3).copy(); d["z"] = (d["f"] + 1j * d["g"]).astype(np.complex64)
d["square"] = d["z"][: n // 3, : n // 3].copy()
grey = lambda p: ((p[:, 0] * 77 + p[:, 1] * 150 + p[:, 2] * 29) >> 8).astype(np.uint8)
windows = np.lib.stride_tricks.sliding_window_view
src = r"""
chain_f64: xp.sqrt(x * x + y * y) * 2.0 - x / (y + 1.0)
long_chain_f64: ((((((x * 0.1 + y) * x + 0.2) * x - y) * x + 0.3) * x + y) * x - 0.4) * x + y
chain_f32: xp.sqrt(f * f + g * g) * 2 - f / (g + 1)
exp_f32: xp.exp(f) + xp.log(g + 1)
exp_f64: xp.exp(x) + xp.log(y + 1)
blend_u8: ((u.astype(xp.int32) * 77 + w.astype(xp.int32) * 179) >> 8).astype(xp.uint8)
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
sort_rows_f64: xp.sort(x)
sort_rows_f32: xp.sort(f)
sort_columns_f32: xp.sort(f, 0)
sort_flat_f64: xp.sort(v)
sort_flat_i64: xp.sort(places)
sort_u8: xp.sort(u)
argsort_rows_f32: xp.argsort(f)
argsort_flat_f64: xp.argsort(v)
topk_rows_f32: topk(f)
topk_half_f32: topk(f, n // 2)
median_rows_f64: xp.median(x, 1)
median_f64: xp.median(x)
unique_i64: xp.unique(places)
unique_u8: xp.unique(u.ravel())
searchsorted_f64: xp.searchsorted(sorted, v)
histogram_f32: xp.histogram(f, edges)[0]
bincount_u8: xp.bincount(u.ravel(), minlength=256, **length(256))
bincount_i64: xp.bincount(keys, minlength=1000, **length(1000))
compress_f64: x[b]
nonzero_bool: xp.nonzero(b.ravel())[0]
add_at_f64: add_at(totals, keys, v)
bincount_weights_f64: xp.bincount(keys, v, minlength=1000, **length(1000))
histogram_weights_f64: xp.histogram(v, bins, weights=v)[0]
histogram2d_f64: xp.histogram2d(v, y.ravel(), (bins, bins))[0]
segment_mean_f32: segment_mean(keys, f.ravel())
segment_max_f64: max_at(keys, v)
argwhere_bool: xp.argwhere(b)
take_along_f64: xp.take_along_axis(x, order, 1)
pad_reflect_f64: xp.pad(x, 2, mode="reflect")
pad_wrap_f64: xp.pad(x, 2, mode="wrap")
pad_edge_f32: xp.pad(f, 2, mode="edge")
argmax_rows_f32: xp.argmax(f, 1)
argmax_columns_f32: xp.argmax(f, 0)
any_rows: xp.any(b, 1)
all_columns: xp.all(b, 0)
max_columns_f64: xp.max(x, 0)
mean_f32: xp.mean(f)
sum_middle_f32: xp.sum(volume, 1)
var_columns_f64: xp.var(x, 0)
std_f64: xp.std(x)
softmax_columns_f32: (lambda e: e / xp.sum(e, 0, keepdims=True))(xp.exp(f - xp.max(f, 0, keepdims=True)))
layer_norm_columns_f32: (f - xp.mean(f, 0, keepdims=True)) / xp.sqrt(xp.var(f, 0, keepdims=True) + 1e-5)
norm_rows_f32: xp.sqrt(xp.sum(f * f, 1))
distance_rows_f64: xp.sqrt(xp.sum(xp.square(x - y), 1))
pairwise_f32: xp.sum(xp.square(points[:, None] - points), 2)
max_window_f32: max_window(f)
convolve_f32: xp.convolve(f.ravel(), taps, mode="same")
cumprod_rows_f32: xp.cumprod(f, 1)
diff_rows_f32: xp.diff(f)
matmul_f32: f @ g
matmul_epilogue_f32: xp.maximum(f @ g + f[0], 0)
matmul_small_f64: x[:32, :32] @ y[:32, :32]
matvec_f64: x @ line
matmul_transposed_f64: x @ y.T
matmul_c64: square @ square
batched_f32: batch @ batch
multiply_f16: h * h + h
exp_f16: xp.exp(h)
sum_f16: xp.sum(h.astype(xp.float32), 1)
clip_u8: xp.clip(u.astype(xp.int16) + w.astype(xp.int16), 0, 255).astype(xp.uint8)
shift_u8: (u >> 4) | (w << 4)
threshold_u8: xp.where(u > 128, u, w)
invert_u8: 255 - u
minimum_i8: xp.minimum(q, xp.maximum(q, 3))
xor_bool: b ^ b[:, ::-1]
life8_u8: sum(live[i : n - 2 + i, j : n - 2 + j] for i in range(3) for j in range(3) if (i, j) != (1, 1)) == 3
grey_u8: grey(rgb.astype(xp.int32))
planes_u8: rgb.T.copy()
multiply_c64: z * xp.conj(z) + z
abs_c64: xp.abs(z)
mod_i64: places % 7
round_f64: xp.round(x * 100.0)
pow_f32: f ** 2.5
sin_f64: xp.sin(x) * xp.cos(y)
clip_f32: xp.clip(f, .2, .8)
isnan_f64: xp.any(xp.isnan(x))
less_f64: x < y
add_f64: x + y
copy_f32: f + 0
"""
names = list(d)
inner, low, high = slice(1, -1), slice(0, -2), slice(2, None)
middle = (inner, inner, inner)
neighbours = [middle[:a] + (s,) + middle[a + 1 :] for a in range(3) for s in (low, high)]
if kind == "jax":
    topk = lambda f, k=8: jax.lax.top_k(f, k)[0]
    max_at = lambda keys, v: jax.ops.segment_max(v, keys, 1000)
    length = lambda bins: dict(length=bins)
    add_at = lambda totals, keys, v: totals.at[keys].add(v)
    max_window = lambda f: jax.lax.reduce_window(f, -np.inf, jax.lax.max, (3, 3), (1, 1), "VALID")
else:
    topk = lambda f, k=8: np.sort(np.partition(f, -k, 1)[:, -k:], 1)
    length = lambda bins: {}
    def add_at(totals, keys, v): t = totals.copy(); np.add.at(t, keys, v); return t
    def max_at(keys, v): t = np.full(1000, -np.inf); np.maximum.at(t, keys, v); return t
    max_window = lambda f: windows(f, (3, 3)).max((2, 3))
def segment_mean(keys, v):
    sums, counts = (xp.bincount(keys, w, minlength=1000, **length(1000)) for w in (v, None))
    return sums / counts
shared = "xp n middle neighbours topk length add_at max_at segment_mean max_window grey"
scope = {name: globals()[name] for name in shared.split()}
if kind == "jax": d = {a: jax.numpy.asarray(z) for a, z in d.items()}
for row in src.strip().splitlines():
    name, text = row.split(": ", 1)
    if wanted not in name: continue
    if kind == "jax":
        text = text.replace(".copy()", "+0")
    fn = eval("lambda " + ",".join(names) + ": " + text, dict(scope))
    if kind == "jax":
        jit = jax.jit(fn); call = lambda: jit(**d).block_until_ready()
    else:
        call = lambda: fn(**d)
    try: call()
    except (TypeError, IndexError, NotImplementedError, ValueError): continue  # JAX: a shape that depends on data
    best = 1e9; total = 0; i = 0
    while i < 300 and (i < 3 or total < .15):
        t = time.process_time(); call(); t = time.process_time() - t
        best = min(best, t); total += t; i += 1
    print(name, "%.4f" % (best * 1e3), flush=True)
