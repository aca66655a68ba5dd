"""Embeddings and gathers: rows, columns and elements at indices, tables, edges of graphs."""
import table

case = table.domain(__name__)

case("embedding_rows", dict(N=131072, V=50257, D=256), dict(N=9, V=11, D=6), dict(w="f32[V,D]", i="i32[N] 0..V"),
     "take(w, i, axis=0)",
     lambda torch, w, i: w[i],
     lambda np, w, i: w[i],
     "1", "f32[N,D]", reads="4*N + 4*min(N*D, V*D)")

case("embedding_scaled_positions_f16", dict(B=64, S=1024, V=32000, D=512), dict(B=2, S=5, V=11, D=6),
     dict(w="f16[V,D]", p="f16[S,D]", i="i64[B,S] 0..V"),
     "astype<sinter::float16>(take(w, i, axis=0) * 22.6f + p)",
     lambda torch, w, p, i: (w[i].float() * 22.6 + p).half(),
     lambda np, w, p, i: w[i] * 22.6 + p,
     "2*B*S*D", "f16[B,S,D]", reads="8*B*S + 2*S*D + 2*min(V*D, B*S*D)")

case("bag_of_embeddings", dict(N=65536, K=20, V=1000003, D=64), dict(N=5, K=3, V=11, D=6),
     dict(w="f32[V,D]", i="i32[N,K] 0..V"),
     "sum(take(w, i, axis=0), axis=1)",
     lambda torch, w, i: torch.nn.functional.embedding_bag(i, w, mode="sum"),
     lambda np, w, i: w[i].sum(axis=1),
     "N*K*D", "f32[N,D]", reads="4*N*K + 4*min(N*K*D, V*D)")

case("pick_label_score", dict(N=32768, C=10007), dict(N=5, C=7), dict(x="f32[N,C]", l="i64[N] 0..C"),
     "sum(where(arange(C) == l(all, newaxis), x, 0.f), axis=1)",
     lambda torch, x, l: x.gather(1, l[:, None])[:, 0],
     lambda np, x, l: np.take_along_axis(x, l[:, None], axis=1)[:, 0],
     "1", "f32[N]", reads="40*N")

case("gather_columns", dict(N=100003, C=1000, K=100), dict(N=5, C=9, K=4), dict(x="f32[N,C]", i="i32[K] 0..C"),
     "take(x, i, axis=1)",
     lambda torch, x, i: x[:, i],
     lambda np, x, i: x[:, i],
     "1", "f32[N,K]", reads="32*N*K")

case("byte_lookup_table", dict(N=134217728,), dict(N=29,), dict(x="u8[N]", t="f32[256]"),
     "take(t, x)",
     lambda torch, x, t: t[x.int()],
     lambda np, x, t: t[x],
     "1", "f32[N]")

case("interpolate_table", dict(N=50000017,), dict(N=29,), dict(x="f32[N] 0..1022", t="f32[1024]"),
     "auto k = astype<int>(floor(x)); return let(x - floor(x), [&](const auto& f) { return take(t, k) * (1.f - f) "
     "+ take(t, k + 1) * f; });",
     lambda torch, x, t: (lambda k, f: t[k] * (1 - f) + t[k + 1] * f)(x.floor().int(), x - x.floor()),
     lambda np, x, t: (lambda k, f: t[k] * (1 - f) + t[k + 1] * f)(np.floor(x).astype(np.int32), x - np.floor(x)),
     "6*N", "f32[N]")

case("edge_lengths", dict(E=16777216, V=1000003), dict(E=13, V=7), dict(p="f32[V,3]", s="i32[E] 0..V", d="i32[E] 0..V"),
     "sqrt(sum(square(take(p, s, axis=0) - take(p, d, axis=0)), axis=1))",
     lambda torch, p, s, d: torch.sqrt(((p[s] - p[d]) ** 2).sum(1)),
     lambda np, p, s, d: np.sqrt(((p[s] - p[d]) ** 2).sum(axis=1)),
     "9*E", "f32[E]")

case("edge_messages", dict(E=500009, V=50000, D=128), dict(E=9, V=7, D=5),
     dict(h="f32[V,D]", s="i32[E] 0..V", d="i32[E] 0..V", w="f32[E]"),
     "relu(take(h, s, axis=0) - take(h, d, axis=0)) * w(all, newaxis)",
     lambda torch, h, s, d, w: torch.relu(h[s] - h[d]) * w[:, None],
     lambda np, h, s, d, w: np.maximum(h[s] - h[d], 0) * w[:, None],
     "3*E*D", "f32[E,D]")

case("permute_rows_f64", dict(N=1000003, D=17), dict(N=7, D=5), dict(x="f64[N,D]", i="i64[N] 0..N"),
     "x(i)",
     lambda torch, x, i: x[i],
     lambda np, x, i: x[i],
     "1", "f64[N,D]")

case("dot_of_gathered_rows", dict(N=262144, V=100003, D=64), dict(N=7, V=9, D=5),
     dict(u="f32[V,D]", v="f32[V,D]", i="i32[N] 0..V", j="i32[N] 0..V"),
     "sum(take(u, i, axis=0) * take(v, j, axis=0), axis=1)",
     lambda torch, u, v, i, j: (u[i] * v[j]).sum(1),
     lambda np, u, v, i, j: (u[i] * v[j]).sum(axis=1),
     "2*N*D", "f32[N]", reads="8*N + 8*min(N*D, V*D)")

case("expert_scales", dict(N=32768, C=1024, E=8), dict(N=7, C=5, E=3),
     dict(x="bf16[N,C]", s="bf16[E,C]", e="i32[N] 0..E"),
     "x * take(s, e, axis=0)",
     lambda torch, x, s, e: x * s[e],
     lambda np, x, s, e: x * s[e],
     "N*C", "bf16[N,C]")
