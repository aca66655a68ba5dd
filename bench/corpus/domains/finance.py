"""Finance and Monte Carlo: closed formulas, cash flows, paths of given and of generated normal random numbers."""
import table

case = table.domain(__name__)
ROOT_HALF = 0.7071067811865476


def black_scholes(log, sqrt, exp, erf, s, k, t):
    d = (log(s / k) + 0.065 * t) / (0.3 * sqrt(t))
    n1, n2 = 0.5 + 0.5 * erf(d * ROOT_HALF), 0.5 + 0.5 * erf((d - 0.3 * sqrt(t)) * ROOT_HALF)
    return s * n1 - k * exp(-0.02 * t) * n2, n1


def normals(torch, like, *shape):
    return torch.randn(*shape, device="cuda" if torch.cuda.is_available() else "cpu")

case("call_price_and_delta", dict(N=20000003,), dict(N=17,),
     dict(s="f32[N] 0.5..1.5", k="f32[N] 0.5..1.5", t="f32[N] 0.5..1.5"),
     "auto v = 0.3f * sqrt(t); auto d = (log(s / k) + 0.065f * t) / v; "
     "auto n = [](const auto& z) { return 0.5f + 0.5f * erf(z * 0.70710678f); }; "
     "return pack(s * n(d) - k * exp(-0.02f * t) * n(d - v), n(d));",
     lambda torch, s, k, t: black_scholes(torch.log, torch.sqrt, torch.exp, torch.erf, s, k, t),
     lambda np, s, k, t: black_scholes(np.log, np.sqrt, np.exp, lambda z: table.erf(np, z), s, k, t),
     "60*N", ("f32[N]", "f32[N]"))

case("call_price_f64", dict(N=8388617,), dict(N=17,),
     dict(s="f64[N] 0.5..1.5", k="f64[N] 0.5..1.5", t="f64[N] 0.5..1.5"),
     "auto v = 0.3 * sqrt(t); auto d = (log(s / k) + 0.065 * t) / v; "
     "auto n = [](const auto& z) { return 0.5 + 0.5 * erf(z * 0.7071067811865476); }; "
     "return s * n(d) - k * exp(-0.02 * t) * n(d - v);",
     lambda torch, s, k, t: black_scholes(torch.log, torch.sqrt, torch.exp, torch.erf, s, k, t)[0],
     lambda np, s, k, t: black_scholes(np.log, np.sqrt, np.exp, lambda z: table.erf(np, z), s, k, t)[0],
     "60*N", "f64[N]", tolerance=1e-11)

case("bond_values", dict(N=1000003, C=40), dict(N=7, C=5), dict(c="f32[N,C] 0..0.1", y="f32[N] 0.01..0.06"),
     "sum(c * exp(-y(all, newaxis) * (0.5f * astype<float>(arange(C) + 1))), axis=1)",
     lambda torch, c, y, C: (c * torch.exp(-y[:, None] * (0.5 * torch.arange(1, C + 1, device=y.device)))).sum(1),
     lambda np, c, y, C: (c * np.exp(-y[:, None] * (0.5 * np.arange(1, C + 1)))).sum(axis=1),
     "4*N*C", "f32[N]")

case("asian_option_paths", dict(N=131072, T=252), dict(N=5, T=9), dict(z="f32[N,T]"),
     "maximum(mean(exp(cumsum(0.0001f + 0.0126f * z, axis=1)), axis=1) - 1.f, 0)",
     lambda torch, z: torch.relu(torch.exp(torch.cumsum(0.0001 + 0.0126 * z, 1)).mean(1) - 1),
     lambda np, z: np.maximum(np.exp(np.cumsum(0.0001 + 0.0126 * z, axis=1)).mean(axis=1) - 1, 0),
     "6*N*T", "f32[N]", tolerance=1e-4)

case("basket_payoff", dict(N=2000003, D=16), dict(N=7, D=5),
     dict(z="f32[N,D]", w="f32[D] 0.05..0.1", v="f32[D] 0.1..0.3"),
     "maximum(sum(w * exp(v * z - 0.5f * v * v), axis=1) - 1.f, 0)",
     lambda torch, z, w, v: torch.relu((w * torch.exp(v * z - 0.5 * v * v)).sum(1) - 1),
     lambda np, z, w, v: np.maximum((w * np.exp(v * z - 0.5 * v * v)).sum(axis=1) - 1, 0),
     "6*N*D", "f32[N]")

case("monte_carlo_call", dict(N=67108864,), dict(N=1000003,), dict(s="f32[1] 1..1.0001"),
     "mean(maximum(s * exp(0.3f * normal<float>(random_key(7), {N}) - 0.045f) - 1.f, 0))",
     lambda torch, s, N: torch.relu(s * torch.exp(0.3 * normals(torch, s, N) - 0.045) - 1).mean(),
     lambda np, s: s.reshape(()) * 0 + 0.11923538474048499,
     "30*N", "f32[]", tolerance=2e-2, jax=False)

case("noise_added", dict(N=67108864,), dict(N=1000003,), dict(x="f32[N] 0..0.0001"),
     "mean(square(x + 2.f * uniform<float>(random_key(11), {N}) - 1.f))",
     lambda torch, x: (x + 2 * torch.rand_like(x) - 1).square().mean(),
     lambda np, x: x[0] * 0 + 1 / 3,
     "16*N", "f32[]", tolerance=1e-2, jax=False)

case("value_at_risk_losses", dict(N=65536, D=500), dict(N=5, D=9), dict(r="f32[N,D] -0.1..0.1", w="f32[D] 0..1"),
     "auto l = -sum(r * w, axis=1); return pack(mean(l), mean(square(l)), max(l), sum(l > 1.f));",
     lambda torch, r, w: (lambda l: (l.mean(), l.square().mean(), l.max(), (l > 1).sum()))(-(r * w).sum(1)),
     lambda np, r, w: (lambda l: (l.mean(), (l * l).mean(), l.max(), (l > 1).sum()))(-(r * w).sum(axis=1)),
     "2*N*D", ("f32[]", "f32[]", "f32[]", "i64[]"), tolerance=2e-3)

case("heston_step", dict(N=16777216,), dict(N=17,), dict(s="f32[N]", v="f32[N] 0.01..0.1", a="f32[N]", b="f32[N]"),
     "auto r = sqrt(maximum(v, 0) * 0.004f); return pack(s + (0.02f - 0.5f * v) * 0.004f + r * a, v + 1.5f * (0.04f "
     "- v) * 0.004f + 0.3f * r * (-0.7f * a + 0.714143f * b));",
     lambda torch, s, v, a, b: (lambda r: (s + (0.02 - 0.5 * v) * 0.004 + r * a, v + 1.5 * (0.04 - v) * 0.004 + 0.3 * r
         * (-0.7 * a + 0.714143 * b)))(torch.sqrt(torch.relu(v) * 0.004)),
     lambda np, s, v, a, b: (lambda r: (s + (0.02 - 0.5 * v) * 0.004 + r * a, v + 1.5 * (0.04 - v) * 0.004 + 0.3 * r
         * (-0.7 * a + 0.714143 * b)))(np.sqrt(np.maximum(v, 0) * 0.004)),
     "18*N", ("f32[N]", "f32[N]"))

case("exposure_profiles", dict(T=120, N=500009), dict(T=16, N=7), dict(v="f32[T,N]"),
     "pack(mean(maximum(v, 0), axis=1), mean(minimum(v, 0), axis=1), max(v, axis=1))",
     lambda torch, v: (torch.relu(v).mean(1), v.clamp(max=0).mean(1), v.amax(1)),
     lambda np, v: (np.maximum(v, 0).mean(axis=1), np.minimum(v, 0).mean(axis=1), v.max(axis=1)),
     "5*T*N", ("f32[T]",) * 3)
