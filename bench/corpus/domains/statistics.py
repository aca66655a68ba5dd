"""Statistics over any axes: leading, middle and several of them, prime extents, tiny and huge rows."""
import table

case = table.domain(__name__)

case("var_middle", dict(A=512, B=509, C=257), dict(A=3, B=5, C=7), dict(x="f32[A,B,C]"),
     "var(x, axis=1)",
     lambda torch, x: x.var(1, correction=0),
     lambda np, x: x.var(axis=1),
     "4*A*B*C", "f32[A,C]")

case("mean_outer_and_inner", dict(A=331, B=512, C=331), dict(A=3, B=5, C=7), dict(x="f32[A,B,C]"),
     "mean(x, axis={0, 2})",
     lambda torch, x: x.mean((0, 2)),
     lambda np, x: x.mean(axis=(0, 2)),
     "A*B*C", "f32[B]")

case("extremes_of_all", dict(N=200000033,), dict(N=37,), dict(x="f32[N]"),
     "pack(min(x), max(x))",
     lambda torch, x: (x.amin(), x.amax()),
     lambda np, x: (x.min(), x.max()),
     "2*N", ("f32[]", "f32[]"))

case("moments_of_rows", dict(N=40009, C=1021), dict(N=4, C=9), dict(x="f32[N,C]"),
     "auto d = x - mean(x, axis=1, keepdims); auto v = mean(square(d), axis=1); "
     "return pack(v, mean(d * d * d, axis=1) / (v * sqrt(v)), mean(square(square(d)), axis=1) / square(v));",
     lambda torch, x: moments(x, lambda y, **k: y.mean(1, **{"keepdim": True} if k else {})),
     lambda np, x: moments(x, lambda y, **k: y.mean(axis=1, **k)),
     "11*N*C", ("f32[N]",) * 3)

case("standardise_columns", dict(N=1000003, C=37), dict(N=9, C=5), dict(x="f32[N,C]"),
     "(x - mean(x, axis=0)) / stddev(x, axis=0)",
     lambda torch, x: (x - x.mean(0)) / x.std(0, correction=0),
     lambda np, x: (x - x.mean(axis=0)) / x.std(axis=0),
     "6*N*C", "f32[N,C]")

case("standardise_rows_f64", dict(N=65536, C=365), dict(N=4, C=9), dict(x="f64[N,C]"),
     "standardise(x, axis=1)",
     lambda torch, x: (x - x.mean(1, keepdim=True)) / x.std(1, correction=0, keepdim=True),
     lambda np, x: (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True),
     "6*N*C", "f64[N,C]", tolerance=1e-4)

case("center_whole", dict(N=8209, C=8191), dict(N=3, C=7), dict(x="f32[N,C]"),
     "x - mean(x)",
     lambda torch, x: x - x.mean(),
     lambda np, x: x - x.mean(),
     "2*N*C", "f32[N,C]")

case("tiny_rows_sum", dict(N=20000003,), dict(N=7,), dict(x="f32[N,3]"),
     "sum(x, axis=1)",
     lambda torch, x: x.sum(1),
     lambda np, x: x.sum(axis=1),
     "3*N", "f32[N]")

case("tiny_rows_max_f16", dict(N=8000009,), dict(N=7,), dict(x="f16[N,7]"),
     "max(x, axis=1)",
     lambda torch, x: x.amax(1),
     lambda np, x: x.max(axis=1),
     "7*N", "f16[N]")

case("few_huge_rows_norm", dict(C=33554467, N=3), dict(C=23, N=3), dict(x="f32[N,C]"),
     "norm(x, axis=1)",
     lambda torch, x: torch.linalg.vector_norm(x, dim=1),
     lambda np, x: np.sqrt((x * x).sum(axis=1)),
     "2*N*C", "f32[N]")

case("argmax_middle", dict(A=1024, B=127, C=513), dict(A=3, B=5, C=7), dict(x="f32[A,B,C]"),
     "argmax(x, axis=1)",
     lambda torch, x: x.argmax(1),
     lambda np, x: x.argmax(axis=1),
     "A*B*C", "i64[A,C]")

case("logsumexp_leading", dict(N=4097, C=16384), dict(N=5, C=7), dict(x="f32[N,C]"),
     "logsumexp(x, axis=0)",
     lambda torch, x: torch.logsumexp(x, 0),
     lambda np, x: (lambda m: np.log(np.exp(x - m).sum(axis=0)) + m)(x.max(axis=0)),
     "4*N*C", "f32[C]")

case("nonzero_of_columns", dict(N=262144, C=999), dict(N=9, C=5), dict(p="b[N,C]"),
     "count_nonzero(p, axis=0)",
     lambda torch, p: torch.count_nonzero(p, 0),
     lambda np, p: np.count_nonzero(p, axis=0) if np.__name__ == "numpy" else p.sum(axis=0),
     "N*C", "i64[C]")

case("nanmean_rows", dict(N=50021, C=1000), dict(N=4, C=9), dict(x="f32[N,C]"),
     "nanmean(where(x > 1.9f, std::nanf(\"\"), x), axis=1)",
     lambda torch, x: torch.nanmean(torch.where(x > 1.9, float("nan"), x), 1),
     lambda np, x: (lambda p: np.where(p, x, 0).sum(axis=1) / p.sum(axis=1))(x <= 1.9),
     "3*N*C", "f32[N]")

case("entropy_of_rows", dict(N=32768, C=1500), dict(N=4, C=9), dict(p="f32[N,C] 0.5..1.5"),
     "auto q = p / sum(p, axis=1, keepdims); return -sum(q * log(q), axis=1);",
     lambda torch, p: (lambda q: -(q * torch.log(q)).sum(1))(p / p.sum(1, keepdim=True)),
     lambda np, p: (lambda q: -(q * np.log(q)).sum(axis=1))(p / p.sum(axis=1, keepdims=True)),
     "5*N*C", "f32[N]")

case("weighted_average_leading", dict(N=2000, C=50021), dict(N=6, C=5), dict(x="f32[N,C]", w="f32[N] 0.5..1.5"),
     "sum(x * w(all, newaxis), axis=0) / sum(w)",
     lambda torch, x, w: (x * w[:, None]).sum(0) / w.sum(),
     lambda np, x, w: (x * w[:, None]).sum(axis=0) / w.sum(),
     "2*N*C", "f32[C]")

case("sums_of_int32_leading", dict(N=100003, C=777), dict(N=9, C=5), dict(x="i32[N,C] -1000..1000"),
     "sum(x, axis=0)",
     lambda torch, x: x.sum(0),
     lambda np, x: x.sum(axis=0, dtype=np.int64),
     "N*C", "i64[C]")

case("covariance_of_pairs", dict(N=32749, C=2048), dict(N=4, C=9), dict(x="f32[N,C]", y="f32[N,C]"),
     "mean((x - mean(x, axis=1, keepdims)) * (y - mean(y, axis=1, keepdims)), axis=1)",
     lambda torch, x, y: ((x - x.mean(1, keepdim=True)) * (y - y.mean(1, keepdim=True))).mean(1),
     lambda np, x, y: ((x - x.mean(axis=1, keepdims=True)) * (y - y.mean(axis=1, keepdims=True))).mean(axis=1),
     "6*N*C", "f32[N]")

case("five_numbers_of_columns", dict(N=500009, C=128), dict(N=9, C=5), dict(x="f32[N,C]"),
     "pack(min(x, axis=0), max(x, axis=0), mean(x, axis=0), var(x, axis=0), sum(abs(x), axis=0))",
     lambda torch, x: (x.amin(0), x.amax(0), x.mean(0), x.var(0, correction=0), x.abs().sum(0)),
     lambda np, x: (x.min(axis=0), x.max(axis=0), x.mean(axis=0), x.var(axis=0), np.abs(x).sum(axis=0)),
     "10*N*C", ("f32[C]",) * 5)

case("mean_outer_and_middle_bf16", dict(A=128, B=512, C=1000), dict(A=3, B=4, C=5), dict(x="bf16[A,B,C]"),
     "mean(x, axis={0, 1})",
     lambda torch, x: x.mean((0, 1)),
     lambda np, x: x.mean(axis=(0, 1)),
     "A*B*C", "bf16[C]")


def moments(x, mean):
    d = x - mean(x, keepdims=True)
    v = mean(d * d)
    return v, mean(d * d * d) / (v * v ** 0.5), mean(d * d * d * d) / (v * v)
