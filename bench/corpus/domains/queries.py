"""Database-like work: filters, aggregates, groups, joins on columns of several dtypes."""
import table

case = table.domain(__name__)

case("filtered_revenue", dict(N=60000017,), dict(N=29,),
     dict(q="i32[N] 1..51", d="f32[N] 0..0.1", p="f32[N] 1..1000", s="i32[N] 0..2556"),
     "sum(where(s >= 366 && s < 731 && d >= 0.05f && d <= 0.07f && q < 24, p * d, 0.f))",
     lambda torch, q, d, p, s: torch.where((s >= 366) & (s < 731) & (d >= 0.05) & (d <= 0.07) & (q < 24), p * d,
         0.0).sum(),
     lambda np, q, d, p, s: np.where((s >= 366) & (s < 731) & (d >= np.float32(0.05)) & (d <= np.float32(0.07)) &
         (q < 24), p * d, 0).sum(),
     "9*N", "f32[]", tolerance=1e-4)

case("count_matches_u8", dict(N=400000009,), dict(N=29,), dict(c="u8[N]"),
     "sum(c == 65 || c == 90)",
     lambda torch, c: ((c == 65) | (c == 90)).sum(),
     lambda np, c: ((c == 65) | (c == 90)).sum(),
     "4*N", "i64[]")

case("group_sums_16", dict(N=20000003,), dict(N=37,), dict(k="i32[N] 0..16", v="f32[N] 0..1"),
     "sum(where(k == arange(16)(all, newaxis), v, 0.f), axis=1)",
     lambda torch, k, v: torch.zeros(16, device=v.device, dtype=v.dtype).index_add(0, k, v),
     lambda np, k, v: np.where(k == np.arange(16)[:, None], v, 0).sum(axis=1),
     "32*N", "f32[16]", tolerance=1e-4)

case("six_aggregates", dict(N=60000017,), dict(N=29,),
     dict(q="f32[N] 1..50", p="f32[N] 1..1000", d="f32[N] 0..0.1", t="f32[N] 0..0.08", f="b[N]"),
     "auto g = p * (1.f - d); return pack(sum(where(f, q, 0.f)), sum(where(f, p, 0.f)), sum(where(f, g, 0.f)), "
     "sum(where(f, g * (1.f + t), 0.f)), sum(where(f, d, 0.f)), sum(f));",
     lambda torch, q, p, d, t, f: tuple(torch.where(f, e, 0.0).sum() for e in (q, p, p * (1 - d), p * (1 - d) * (1 + t),
         d)) + (f.sum(),),
     lambda np, q, p, d, t, f: tuple(np.where(f, e, 0).sum() for e in (q, p, p * (1 - d), p * (1 - d) * (1 + t), d))
         + (f.sum(),),
     "14*N", ("f32[]",) * 5 + ("i64[]",), tolerance=1e-4)

case("latest_of_groups", dict(G=100003, N=300), dict(G=3, N=7), dict(t="i64[G,N] 0..1000000", v="f32[G,N]", f="b[G,N]"),
     "pack(max(t, axis=1, where=f, initial=-1), sum(v, axis=1, where=f))",
     lambda torch, t, v, f: (torch.where(f, t, -1).amax(1), torch.where(f, v, 0.0).sum(1)),
     lambda np, t, v, f: (np.where(f, t, -1).max(axis=1), np.where(f, v, 0).sum(axis=1)),
     "4*G*N", ("i64[G]", "f32[G]"))

case("join_by_lookup", dict(N=40000003, K=100003), dict(N=29, K=7),
     dict(k="i32[N] 0..K", q="i32[N] 1..10", p="f32[K] 1..100"),
     "sum(q * take(p, k))",
     lambda torch, k, q, p: (q * p[k]).sum(),
     lambda np, k, q, p: (q * p[k]).sum(),
     "2*N", "f32[]", tolerance=1e-4)

case("bucket_days_to_weeks", dict(N=67108879,), dict(N=29,), dict(d="i32[N] -100000..100000"),
     "floor_divide(d + 3, 7)",
     lambda torch, d: torch.div(d + 3, 7, rounding_mode="floor"),
     lambda np, d: (d + 3) // 7,
     "3*N", "i32[N]")

case("flag_bits", dict(N=100000007,), dict(N=29,), dict(f="i32[N] 0..65536"),
     "pack(sum((f & 5) == 5), sum(popcount(f)))",
     lambda torch, f: (((f & 5) == 5).sum(), sum((f >> b) & 1 for b in range(16)).sum()),
     lambda np, f: (((f & 5) == 5).sum(), sum((f >> b) & 1 for b in range(16)).sum()),
     "4*N", ("i64[]", "i64[]"))

case("checksum_i64", dict(N=50000017,), dict(N=29,), dict(x="i64[N] 0..1000000", y="i64[N] 0..1000000"),
     "sum((x * 31 + y) ^ (x >> 3))",
     lambda torch, x, y: ((x * 31 + y) ^ (x >> 3)).sum(),
     lambda np, x, y: ((x * 31 + y) ^ (x >> 3)).sum(),
     "5*N", "i64[]")

case("distinct_flags", dict(N=16384, C=8191), dict(N=5, C=7), dict(x="i32[N,C] 0..1000"),
     "any(x == 500, axis=1)",
     lambda torch, x: (x == 500).any(1),
     lambda np, x: (x == 500).any(axis=1),
     "N*C", "b[N]")

case("masked_update", dict(N=67108879,), dict(N=29,), dict(m="b[N]", k="b[N]", x="f32[N]", y="f32[N]"),
     "where(m && !k, y, x)",
     lambda torch, m, k, x, y: torch.where(m & ~k, y, x),
     lambda np, m, k, x, y: np.where(m & ~k, y, x),
     "3*N", "f32[N]")

case("share_of_group", dict(G=1000003, N=24), dict(G=4, N=5), dict(v="f32[G,N] 0..1"),
     "100.f * v / sum(v, axis=1, keepdims)",
     lambda torch, v: 100 * v / v.sum(1, keepdim=True),
     lambda np, v: 100 * v / v.sum(axis=1, keepdims=True),
     "3*G*N", "f32[G,N]")

case("histogram_64", dict(N=10000019,), dict(N=61,), dict(x="u8[N] 0..64"),
     "bincount(x, 64)",
     lambda torch, x: torch.bincount(x.int(), minlength=64),
     lambda np, x: np.bincount(x, minlength=64) if np.__name__ == "numpy" else np.bincount(x, length=64),
     "64*N", "i64[64]")

case("priority_rule", dict(N=80000023,), dict(N=29,), dict(a="u8[N]", b="i16[N] -1000..1000", c="f32[N]"),
     "astype<std::uint8_t>(where(a > 200, 3, where(b < 0 && c > 0.5f, 2, where(c < -1.f, 1, 0))))",
     lambda torch, a, b, c: torch.where(a > 200, 3, torch.where((b < 0) & (c > 0.5), 2, torch.where(c < -1, 1,
         0))).to(torch.uint8),
     lambda np, a, b, c: np.where(a > 200, 3, np.where((b < 0) & (c > 0.5), 2, np.where(c < -1, 1, 0))),
     "8*N", "u8[N]")
