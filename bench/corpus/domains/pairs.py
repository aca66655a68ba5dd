"""N-body and pair sums: every point with every other, reduced in the same kernel."""
import table

case = table.domain(__name__)

case("nbody_acceleration", dict(N=16384,), dict(N=13,), dict(x="f32[N]", y="f32[N]", z="f32[N]", m="f32[N] 0.5..1.5"),
     "auto dx = x - x(all, newaxis); auto dy = y - y(all, newaxis); auto dz = z - z(all, newaxis); "
     "auto r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f); auto w = m * (r * r * r); "
     "return pack(sum(dx * w, axis=1), sum(dy * w, axis=1), sum(dz * w, axis=1));",
     lambda torch, x, y, z, m: nbody(torch.sqrt, x, y, z, m),
     lambda np, x, y, z, m: nbody(np.sqrt, x, y, z, m),
     "20*N*N", ("f32[N]",) * 3, tolerance=1e-4)

case("gravity_potential", dict(N=20011,), dict(N=13,), dict(x="f32[N]", y="f32[N]", m="f32[N] 0.5..1.5"),
     "sum(m * rsqrt(square(x - x(all, newaxis)) + square(y - y(all, newaxis)) + 0.01f), axis=1)",
     lambda torch, x, y, m: (m * torch.rsqrt((x - x[:, None]) ** 2 + (y - y[:, None]) ** 2 + 0.01)).sum(1),
     lambda np, x, y, m: (m / np.sqrt((x - x[:, None]) ** 2 + (y - y[:, None]) ** 2 + 0.01)).sum(axis=1),
     "9*N*N", "f32[N]")

case("lennard_jones_energy", dict(N=12000,), dict(N=11,), dict(x="f32[N,3]"),
     "auto s = 0.01f / (sum(square(x(all, newaxis, all) - x), axis=2) + 0.01f); auto c = s * s * s; "
     "return sum(c * c - c, axis=1);",
     lambda torch, x: (lambda s: (s ** 6 - s ** 3).sum(1))(0.01 / (((x[:, None] - x[None]) ** 2).sum(2) + 0.01)),
     lambda np, x: (lambda s: (s ** 6 - s ** 3).sum(axis=1))(0.01 / (((x[:, None] - x[None]) ** 2).sum(axis=2) + 0.01)),
     "15*N*N", "f32[N]", tolerance=1e-4)

case("rbf_kernel_product", dict(N=8192, M=8191, D=16), dict(N=5, M=7, D=3),
     dict(x="f32[N,D]", y="f32[M,D]", w="f32[M]"),
     "sum(exp(-0.5f * sum(square(x(all, newaxis, all) - y), axis=2)) * w, axis=1)",
     lambda torch, x, y, w: torch.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(2)) @ w,
     lambda np, x, y, w: (np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2)) * w).sum(axis=1),
     "3*N*M*D + 4*N*M", "f32[N]")

case("chamfer_nearest", dict(N=20000, M=16383), dict(N=5, M=7), dict(x="f32[N,3]", y="f32[M,3]"),
     "min(sum(square(x(all, newaxis, all) - y), axis=2), axis=1)",
     lambda torch, x, y: ((x[:, None] - y[None]) ** 2).sum(2).amin(1),
     lambda np, x, y: ((x[:, None] - y[None]) ** 2).sum(axis=2).min(axis=1),
     "9*N*M", "f32[N]")

case("manhattan_distances", dict(N=4096, M=4095, D=32), dict(N=5, M=7, D=3), dict(x="f32[N,D]", y="f32[M,D]"),
     "sum(abs(x(all, newaxis, all) - y), axis=2)",
     lambda torch, x, y: (x[:, None] - y[None]).abs().sum(2),
     lambda np, x, y: np.abs(x[:, None] - y[None]).sum(axis=2),
     "3*N*M*D", "f32[N,M]")

case("density_estimate_1d", dict(N=131072, M=1001), dict(N=17, M=5), dict(x="f32[N]", g="f32[M]"),
     "mean(exp(-8.f * square(g(all, newaxis) - x)), axis=1)",
     lambda torch, x, g: torch.exp(-8 * (g[:, None] - x) ** 2).mean(1),
     lambda np, x, g: np.exp(-8 * (g[:, None] - x) ** 2).mean(axis=1),
     "5*N*M", "f32[M]")

case("additive_attention", dict(B=16, S=256, T=256, H=64), dict(B=2, S=3, T=4, H=5),
     dict(q="f32[B,S,H]", k="f32[B,T,H]", v="f32[H]"),
     "sum(tanh(q(all, all, newaxis, all) + k(all, newaxis, all, all)) * v, axis=3)",
     lambda torch, q, k, v: (torch.tanh(q[:, :, None] + k[:, None]) * v).sum(3),
     lambda np, q, k, v: (np.tanh(q[:, :, None] + k[:, None]) * v).sum(axis=3),
     "8*B*S*T*H", "f32[B,S,T]")

case("nearest_center_8d", dict(N=1000003, K=100, D=8), dict(N=9, K=5, D=3), dict(x="f32[N,D]", c="f32[K,D]"),
     "argmin(sum(square(x(all, newaxis, all) - c), axis=2), axis=1)",
     lambda torch, x, c: ((x[:, None] - c[None]) ** 2).sum(2).argmin(1),
     lambda np, x, c: ((x[:, None] - c[None]) ** 2).sum(axis=2).argmin(axis=1),
     "3*N*K*D", "i64[N]")

case("correlation_of_ranks", dict(N=30000,), dict(N=11,), dict(x="f32[N]", y="f32[N]"),
     "sum(sign(x - x(all, newaxis)) * sign(y - y(all, newaxis)), axis=1)",
     lambda torch, x, y: (torch.sign(x - x[:, None]) * torch.sign(y - y[:, None])).sum(1),
     lambda np, x, y: (np.sign(x - x[:, None]) * np.sign(y - y[:, None])).sum(axis=1),
     "6*N*N", "f32[N]")


def nbody(sqrt, x, y, z, m):
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    r = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.01)
    w = m * (r * r * r)
    return ((dx * w).sum(1), (dy * w).sum(1), (dz * w).sum(1))
