"""Stencils in one to three dimensions: neighbours by slices, and by roll where the domain is periodic."""
import table

case = table.domain(__name__)


def dilated(np, x):
    m = np.maximum(np.maximum(x[:-2], x[1:-1]), x[2:])
    return np.maximum(np.maximum(m[:, :-2], m[:, 1:-1]), m[:, 2:])


def torch_dilated(torch, x):
    m = torch.maximum(torch.maximum(x[:-2], x[1:-1]), x[2:])
    return torch.maximum(torch.maximum(m[:, :-2], m[:, 1:-1]), m[:, 2:])

case("second_difference_f64", dict(N=50000001,), dict(N=23,), dict(u="f64[N]"),
     "u(range(2, end)) - 2 * u(range(1, -1)) + u(range(0, -2))",
     lambda torch, u: u[2:] - 2 * u[1:-1] + u[:-2],
     lambda np, u: u[2:] - 2 * u[1:-1] + u[:-2],
     "3*N", "f64[N-2]")

case("seven_taps", dict(N=67108867,), dict(N=29,), dict(u="f32[N]"),
     "0.05f * (u(range(0, -6)) + u(range(6, end))) + 0.1f * (u(range(1, -5)) + u(range(5, -1))) + 0.2f * (u(range(2, "
     "-4)) + u(range(4, -2))) + 0.3f * u(range(3, -3))",
     lambda torch, u: 0.05 * (u[:-6] + u[6:]) + 0.1 * (u[1:-5] + u[5:-1]) + 0.2 * (u[2:-4] + u[4:-2]) + 0.3 * u[3:-3],
     lambda np, u: 0.05 * (u[:-6] + u[6:]) + 0.1 * (u[1:-5] + u[5:-1]) + 0.2 * (u[2:-4] + u[4:-2]) + 0.3 * u[3:-3],
     "10*N", "f32[N-6]")

case("laplacian_odd_f64", dict(H=5003, W=4999), dict(H=6, W=7), dict(u="f64[H,W]"),
     "u(range(0, -2), range(1, -1)) + u(range(2, end), range(1, -1)) + u(range(1, -1), range(0, -2)) + u(range(1, "
     "-1), range(2, end)) - 4 * u(range(1, -1), range(1, -1))",
     lambda torch, u: u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1],
     lambda np, u: u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1],
     "5*H*W", "f64[H-2,W-2]")

case("sobel_magnitude", dict(H=8192, W=8192), dict(H=6, W=7), dict(u="f32[H,W]"),
     "auto a = u(range(0, -2), all) + 2 * u(range(1, -1), all) + u(range(2, end), all); "
     "auto b = u(all, range(0, -2)) + 2 * u(all, range(1, -1)) + u(all, range(2, end)); "
     "return sqrt(square(a(all, range(2, end)) - a(all, range(0, -2))) + square(b(range(2, end), all) - b(range(0, "
     "-2), all)));",
     lambda torch, u: (lambda a, b: torch.sqrt((a[:, 2:] - a[:, :-2]) ** 2 + (b[2:] - b[:-2]) ** 2))(u[:-2] + 2
         * u[1:-1] + u[2:], u[:, :-2] + 2 * u[:, 1:-1] + u[:, 2:]),
     lambda np, u: (lambda a, b: np.sqrt((a[:, 2:] - a[:, :-2]) ** 2 + (b[2:] - b[:-2]) ** 2))(u[:-2] + 2 * u[1:-1]
         + u[2:], u[:, :-2] + 2 * u[:, 1:-1] + u[:, 2:]),
     "14*H*W", "f32[H-2,W-2]")

case("box_3x3_u8", dict(H=10001, W=8003), dict(H=6, W=7), dict(x="u8[H,W]"),
     "auto u = astype<int>(x); auto r = u(all, range(0, -2)) + u(all, range(1, -1)) + u(all, range(2, end)); "
     "return astype<std::uint8_t>(((r(range(0, -2), all) + r(range(1, -1), all) + r(range(2, end), all)) "
     "* 7282) >> 16);",
     lambda torch, x: (lambda r: (((r[:-2] + r[1:-1] + r[2:]) * 7282) >> 16).to(torch.uint8))(x.int()[:, :-2]
         + x.int()[:, 1:-1] + x.int()[:, 2:]),
     lambda np, x: (lambda u: (lambda r: ((r[:-2] + r[1:-1] + r[2:]) * 7282) >> 16)(u[:, :-2] + u[:, 1:-1] + u[:,
         2:]))(x.astype(np.int32)),
     "6*H*W", "u8[H-2,W-2]")

case("dilate_3x3_u8", dict(H=8192, W=8192), dict(H=6, W=7), dict(x="u8[H,W]"),
     "auto m = maximum(maximum(x(range(0, -2), all), x(range(1, -1), all)), x(range(2, end), all)); "
     "return maximum(maximum(m(all, range(0, -2)), m(all, range(1, -1))), m(all, range(2, end)));",
     torch_dilated,
     dilated,
     "4*H*W", "u8[H-2,W-2]")

case("laplacian_3d", dict(D=512, H=511, W=509), dict(D=4, H=5, W=6), dict(u="f32[D,H,W]"),
     "auto i = range(1, -1); return u(range(0, -2), i, i) + u(range(2, end), i, i) + u(i, range(0, -2), i) + u(i, "
     "range(2, end), i) + u(i, i, range(0, -2)) + u(i, i, range(2, end)) - 6 * u(i, i, i);",
     lambda torch, u: u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1,
         :-2] + u[1:-1, 1:-1, 2:] - 6 * u[1:-1, 1:-1, 1:-1],
     lambda np, u: u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1, :-2]
         + u[1:-1, 1:-1, 2:] - 6 * u[1:-1, 1:-1, 1:-1],
     "7*D*H*W", "f32[D-2,H-2,W-2]")

case("heat_3d_periodic_f64", dict(D=256, H=256, W=256), dict(D=4, H=5, W=6), dict(u="f64[D,H,W]"),
     "u + 0.1 * (roll(u, 1, axis=0) + roll(u, -1, axis=0) + roll(u, 1, axis=1) + roll(u, -1, axis=1) + roll(u, 1, "
     "axis=2) + roll(u, -1, axis=2) - 6 * u)",
     lambda torch, u: u + 0.1 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) + u.roll(1, 2) + u.roll(-1,
         2) - 6 * u),
     lambda np, u: u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) + np.roll(u,
         1, 2) + np.roll(u, -1, 2) - 6 * u),
     "9*D*H*W", "f64[D,H,W]")

case("life_u8", dict(H=8192, W=8192), dict(H=6, W=7), dict(x="u8[H,W] 0..2"),
     "auto r = x + roll(x, 1, axis=1) + roll(x, -1, axis=1); auto n = r + roll(r, 1, axis=0) + roll(r, -1, axis=0); "
     "return astype<std::uint8_t>(n == 3 || (n == 4 && x == 1));",
     lambda torch, x: (lambda r: (lambda n: ((n == 3) | ((n == 4) & (x == 1))).to(torch.uint8))(r + r.roll(1, 0)
         + r.roll(-1, 0)))(x + x.roll(1, 1) + x.roll(-1, 1)),
     lambda np, x: (lambda r: (lambda n: ((n == 3) | ((n == 4) & (x == 1))).astype(np.uint8))(r + np.roll(r, 1, 0)
         + np.roll(r, -1, 0)))(x + np.roll(x, 1, 1) + np.roll(x, -1, 1)),
     "8*H*W", "u8[H,W]")

case("jacobi_with_residual", dict(H=6001, W=6001), dict(H=6, W=7), dict(u="f32[H,W]", f="f32[H,W]"),
     "auto i = range(1, -1); auto v = 0.25f * (u(range(0, -2), i) + u(range(2, end), i) + u(i, range(0, -2)) + u(i, "
     "range(2, end)) - f(i, i)); return pack(v, max(abs(v - u(i, i))));",
     lambda torch, u, f: (lambda v: (v, (v - u[1:-1, 1:-1]).abs().max()))(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1,
         :-2] + u[1:-1, 2:] - f[1:-1, 1:-1])),
     lambda np, u, f: (lambda v: (v, np.abs(v - u[1:-1, 1:-1]).max()))(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2]
         + u[1:-1, 2:] - f[1:-1, 1:-1])),
     "8*H*W", ("f32[H-2,W-2]", "f32[]"))

case("diffusion_variable", dict(H=4096, W=8190), dict(H=6, W=7), dict(u="f32[H,W]", k="f32[H,W] 0.5..1.5"),
     "auto i = range(1, -1); auto c = u(i, i); "
     "return c + 0.1f * (k(range(0, -2), i) * (u(range(0, -2), i) - c) + k(range(2, end), i) * (u(range(2, end), i) "
     "- c) + k(i, range(0, -2)) * (u(i, range(0, -2)) - c) + k(i, range(2, end)) * (u(i, range(2, end)) - c));",
     lambda torch, u, k: (lambda c: c + 0.1 * (k[:-2, 1:-1] * (u[:-2, 1:-1] - c) + k[2:, 1:-1] * (u[2:, 1:-1] - c)
         + k[1:-1, :-2] * (u[1:-1, :-2] - c) + k[1:-1, 2:] * (u[1:-1, 2:] - c)))(u[1:-1, 1:-1]),
     lambda np, u, k: (lambda c: c + 0.1 * (k[:-2, 1:-1] * (u[:-2, 1:-1] - c) + k[2:, 1:-1] * (u[2:, 1:-1] - c)
         + k[1:-1, :-2] * (u[1:-1, :-2] - c) + k[1:-1, 2:] * (u[1:-1, 2:] - c)))(u[1:-1, 1:-1]),
     "13*H*W", "f32[H-2,W-2]")

case("gradient_clamped_edges", dict(H=4097, W=8193), dict(H=6, W=7), dict(u="f32[H,W]"),
     "0.5f * (concat(u(all, range(1, end)), u(all, range(-1, end)), axis=1) - concat(u(all, range(0, 1)), u(all, "
     "range(0, -1)), axis=1))",
     lambda torch, u: 0.5 * (torch.cat([u[:, 1:], u[:, -1:]], 1) - torch.cat([u[:, :1], u[:, :-1]], 1)),
     lambda np, u: 0.5 * (np.concatenate([u[:, 1:], u[:, -1:]], axis=1) - np.concatenate([u[:, :1], u[:, :-1]],
         axis=1)),
     "2*H*W", "f32[H,W]")
