"""Lattice Boltzmann and finite differences of physics: several fields in, several fields out."""
import table

case = table.domain(__name__)

D2Q9 = [(0, 0, 4 / 9), (1, 0, 1 / 9), (0, 1, 1 / 9), (-1, 0, 1 / 9), (0, -1, 1 / 9),
        (1, 1, 1 / 36), (-1, 1, 1 / 36), (-1, -1, 1 / 36), (1, -1, 1 / 36)]


def d2q9_collide(f, stack):
    r = sum(f[k] for k in range(9))
    u = sum(x * f[k] for k, (x, y, w) in enumerate(D2Q9) if x) / r
    v = sum(y * f[k] for k, (x, y, w) in enumerate(D2Q9) if y) / r
    s = 1.5 * (u * u + v * v)
    out = []
    for k, (x, y, w) in enumerate(D2Q9):
        e = 3 * (x * u + y * v)
        out.append(f[k] + 0.6 * (w * r * (1 + e + 0.5 * e * e - s) - f[k]))
    return stack(out)


def d2q9_cpp():
    def terms(axis):
        return " + ".join(f"{c[axis]}.f * f({k})" for k, c in enumerate(D2Q9) if c[axis])
    parts = ", ".join(f"relaxed({k}, {x}.f * u + {y}.f * v, {w:.9g}f)" for k, (x, y, w) in enumerate(D2Q9))
    return ("return let(sum(f, axis=0), [&](const auto& r) { return let((" + terms(0) + ") / r, [&](const auto& u) { "
            "return let((" + terms(1) + ") / r, [&](const auto& v) { "
            "return let(1.5f * (u * u + v * v), [&](const auto& s) { "
            "auto relaxed = [&](int k, const auto& c, float w) { return let(3.f * c, [&](const auto& e) { "
            "return f(k) + 0.6f * (w * r * (1.f + e + 0.5f * e * e - s) - f(k)); }); }; "
            "return stack(" + parts + "); }); }); }); });")

case("lbm_d2q9_collide", dict(H=2048, W=2048), dict(H=3, W=5), dict(f="f32[9,H,W] 0.5..1.5"),
     d2q9_cpp(),
     lambda torch, f: d2q9_collide(f, torch.stack),
     lambda np, f: d2q9_collide(f, np.stack),
     "130*H*W", "f32[9,H,W]")

case("lbm_d2q9_moments", dict(H=2500, W=2500), dict(H=3, W=5), dict(f="f32[9,H,W] 0.5..1.5"),
     "auto r = sum(f, axis=0); return pack(r, (f(1) + f(5) + f(8) - f(3) - f(6) - f(7)) / r, (f(2) + f(5) + f(6) "
     "- f(4) - f(7) - f(8)) / r);",
     lambda torch, f: (lambda r: (r, (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / r, (f[2] + f[5] + f[6] - f[4] - f[7]
         - f[8]) / r))(f.sum(0)),
     lambda np, f: (lambda r: (r, (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / r, (f[2] + f[5] + f[6] - f[4] - f[7]
         - f[8]) / r))(f.sum(axis=0)),
     "20*H*W", ("f32[H,W]",) * 3)

case("lbm_d1q3_stream", dict(N=16777216,), dict(N=11,), dict(f="f32[3,N]"),
     "stack(f(0), roll(f(1), 1), roll(f(2), -1))",
     lambda torch, f: torch.stack([f[0], f[1].roll(1), f[2].roll(-1)]),
     lambda np, f: np.stack([f[0], np.roll(f[1], 1), np.roll(f[2], -1)]),
     "1", "f32[3,N]")

case("wave_leapfrog", dict(H=8192, W=4096), dict(H=6, W=7), dict(u="f32[H,W]", p="f32[H,W]", c="f32[H,W] 0.1..0.3"),
     "2 * u - p + c * (roll(u, 1, axis=0) + roll(u, -1, axis=0) + roll(u, 1, axis=1) + roll(u, -1, axis=1) - 4 * u)",
     lambda torch, u, p, c: 2 * u - p + c * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) - 4 * u),
     lambda np, u, p, c: 2 * u - p + c * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
         - 4 * u),
     "9*H*W", "f32[H,W]")

case("gray_scott", dict(H=4096, W=4096), dict(H=6, W=7), dict(u="f32[H,W] 0..1", v="f32[H,W] 0..1"),
     "auto lap = [](const auto& w) { return roll(w, 1, axis=0) + roll(w, -1, axis=0) + roll(w, 1, axis=1) + roll(w, "
     "-1, axis=1) - 4 * w; }; auto r = u * v * v; "
     "return pack(u + 0.16f * lap(u) - r + 0.06f * (1 - u), v + 0.08f * lap(v) + r - 0.122f * v);",
     lambda torch, u, v: (lambda lap, r: (u + 0.16 * lap(u) - r + 0.06 * (1 - u), v + 0.08 * lap(v) + r - 0.122
         * v))(lambda w: w.roll(1, 0) + w.roll(-1, 0) + w.roll(1, 1) + w.roll(-1, 1) - 4 * w, u * v * v),
     lambda np, u, v: (lambda lap, r: (u + 0.16 * lap(u) - r + 0.06 * (1 - u), v + 0.08 * lap(v) + r - 0.122
         * v))(lambda w: np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1) - 4 * w,
         u * v * v),
     "24*H*W", ("f32[H,W]", "f32[H,W]"))

case("advection_upwind_f64", dict(B=1024, N=16385), dict(B=3, N=9), dict(q="f64[B,N]", a="f64[B,N]"),
     "q(all, range(1, -1)) - 0.1 * where(a(all, range(1, -1)) > 0, a(all, range(1, -1)) * (q(all, range(1, -1)) "
     "- q(all, range(0, -2))), a(all, range(1, -1)) * (q(all, range(2, end)) - q(all, range(1, -1))))",
     lambda torch, q, a: (lambda c, s: c - 0.1 * torch.where(s > 0, s * (c - q[:, :-2]), s * (q[:, 2:] - c)))(q[:,
         1:-1], a[:, 1:-1]),
     lambda np, q, a: (lambda c, s: c - 0.1 * np.where(s > 0, s * (c - q[:, :-2]), s * (q[:, 2:] - c)))(q[:, 1:-1],
         a[:, 1:-1]),
     "8*B*N", "f64[B,N-2]")

case("ising_energy_i8", dict(B=256, L=511), dict(B=2, L=5), dict(s="i8[B,L,L] 0..2"),
     "auto t = astype<int>(s) * 2 - 1; return sum(t * (roll(t, 1, axis=1) + roll(t, 1, axis=2)), axis={1, 2});",
     lambda torch, s: (lambda t: (t * (t.roll(1, 1) + t.roll(1, 2))).sum((1, 2)))(s.int() * 2 - 1),
     lambda np, s: (lambda t: (t * (np.roll(t, 1, 1) + np.roll(t, 1, 2))).sum(axis=(1, 2)))(s.astype(np.int32) * 2 - 1),
     "4*B*L*L", "i64[B]")

case("maxwell_magnetic", dict(D=256, H=257, W=255), dict(D=4, H=5, W=6),
     dict(x="f32[D,H,W]", y="f32[D,H,W]", z="f32[D,H,W]"),
     "auto a = range(0, -1); auto b = range(1, end); "
     "return pack((z(a, b, a) - z(a, a, a)) - (y(b, a, a) - y(a, a, a)), (x(b, a, a) - x(a, a, a)) - (z(a, a, b) "
     "- z(a, a, a)), (y(a, a, b) - y(a, a, a)) - (x(a, b, a) - x(a, a, a)));",
     lambda torch, x, y, z: (lambda f, c, s: (s(z, 1) - c(z) - (s(y, 0) - c(y)), s(x, 0) - c(x) - (s(z, 2) - c(z)),
         s(y, 2) - c(y) - (s(x, 1) - c(x))))(None, inner, shifted),
     lambda np, x, y, z: (lambda f, c, s: (s(z, 1) - c(z) - (s(y, 0) - c(y)), s(x, 0) - c(x) - (s(z, 2) - c(z)),
         s(y, 2) - c(y) - (s(x, 1) - c(x))))(None, inner, shifted),
     "9*D*H*W", ("f32[D-1,H-1,W-1]",) * 3)

case("shallow_water_flux", dict(N=20000001,), dict(N=17,), dict(h="f32[N] 0.5..1.5", m="f32[N]"),
     "auto f = m * m / h + 4.905f * h * h; auto l = range(0, -1); auto r = range(1, end); "
     "auto s = maximum(abs(m(l) / h(l)) + sqrt(9.81f * h(l)), abs(m(r) / h(r)) + sqrt(9.81f * h(r))); "
     "return pack(0.5f * (m(l) + m(r)) - 0.5f * s * (h(r) - h(l)), 0.5f * (f(l) + f(r)) - 0.5f * s * (m(r) - m(l)));",
     lambda torch, h, m: rusanov(torch.sqrt, torch.maximum, torch.abs, h, m),
     lambda np, h, m: rusanov(np.sqrt, np.maximum, np.abs, h, m),
     "32*N", ("f32[N-1]", "f32[N-1]"))


def inner(x):
    return x[:-1, :-1, :-1]


def shifted(x, axis):
    return x[tuple(slice(1, None) if a == axis else slice(None, -1) for a in range(3))]


def rusanov(sqrt, maximum, absolute, h, m):
    f = m * m / h + 4.905 * h * h
    c = absolute(m / h) + sqrt(9.81 * h)
    s = maximum(c[:-1], c[1:])
    return (0.5 * (m[:-1] + m[1:]) - 0.5 * s * (h[1:] - h[:-1]), 0.5 * (f[:-1] + f[1:]) - 0.5 * s * (m[1:] - m[:-1]))
