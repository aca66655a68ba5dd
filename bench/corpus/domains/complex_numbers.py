"""Complex arithmetic: products, phases, coherence, iterations."""
import table

case = table.domain(__name__)

case("complex_product", dict(N=33554467,), dict(N=29,), dict(x="c64[N]", y="c64[N]"),
     "x * y",
     lambda torch, x, y: x * y,
     lambda np, x, y: x * y,
     "6*N", "c64[N]")

case("magnitudes", dict(N=67108864,), dict(N=29,), dict(x="c64[N]"),
     "abs(x)",
     lambda torch, x: x.abs(),
     lambda np, x: np.abs(x),
     "10*N", "f32[N]")

case("phase_factors", dict(N=67108864,), dict(N=29,), dict(t="f32[N] -3..3"),
     "complex(cos(t), sin(t))",
     lambda torch, t: torch.complex(torch.cos(t), torch.sin(t)),
     lambda np, t: np.cos(t) + 1j * np.sin(t),
     "30*N", "c64[N]")

case("coherence_of_rows", dict(N=16384, C=2049), dict(N=5, C=7), dict(x="c64[N,C]", y="c64[N,C]"),
     "abs2(sum(x * conj(y), axis=1)) / (sum(abs2(x), axis=1) * sum(abs2(y), axis=1))",
     lambda torch, x, y: (lambda c: (c.real ** 2 + c.imag ** 2) / ((x.real ** 2 + x.imag ** 2).sum(1) * (y.real ** 2
         + y.imag ** 2).sum(1)))((x * y.conj()).sum(1)),
     lambda np, x, y: np.abs((x * np.conj(y)).sum(axis=1)) ** 2 / ((np.abs(x) ** 2).sum(axis=1) * (np.abs(y) **
         2).sum(axis=1)),
     "16*N*C", "f32[N]", tolerance=1e-4)

case("divide_complex", dict(N=33554432,), dict(N=29,), dict(x="c64[N]", y="c64[N] 0.5..1.5"),
     "x / y",
     lambda torch, x, y: x / y,
     lambda np, x, y: x / y,
     "15*N", "c64[N]")

case("quadratic_iterations", dict(N=16777216,), dict(N=29,), dict(c="c64[N] -0.5..0.5"),
     "auto a = c * c + c; auto b = a * a + c; auto d = b * b + c; return abs2(d * d + c);",
     lambda torch, c: (lambda f: (lambda z: z.real ** 2 + z.imag ** 2)(f(f(f(f(c))))))(lambda z: z * z + c),
     lambda np, c: (lambda f: np.abs(f(f(f(f(c))))) ** 2)(lambda z: z * z + c),
     "35*N", "f32[N]", tolerance=1e-4)

case("hadamard_gate", dict(N=16384, M=1024), dict(N=3, M=5), dict(x="c64[N,2,M]"),
     "0.70710678f * stack(x(all, 0) + x(all, 1), x(all, 0) - x(all, 1), axis=1)",
     lambda torch, x: 0.70710678 * torch.stack([x[:, 0] + x[:, 1], x[:, 0] - x[:, 1]], 1),
     lambda np, x: np.float32(0.70710678) * np.stack([x[:, 0] + x[:, 1], x[:, 0] - x[:, 1]], axis=1),
     "8*N*M", "c64[N,2,M]")

case("normalise_states", dict(N=32768, C=1024), dict(N=5, C=7), dict(x="c64[N,C]"),
     "x / sqrt(sum(abs2(x), axis=1, keepdims))",
     lambda torch, x: x / torch.sqrt((x.real ** 2 + x.imag ** 2).sum(1, keepdim=True)),
     lambda np, x: x / np.sqrt((np.abs(x) ** 2).sum(axis=1, keepdims=True)),
     "6*N*C", "c64[N,C]")

case("spectrum_filter", dict(B=4096, F=4097), dict(B=3, F=7), dict(z="c64[B,F]", h="c64[F]"),
     "z * h * 0.5f",
     lambda torch, z, h: z * h * 0.5,
     lambda np, z, h: z * h * 0.5,
     "8*B*F", "c64[B,F]")

case("schroedinger_step", dict(B=64, N=262145), dict(B=2, N=9), dict(u="c64[B,N]", v="f32[N]"),
     "auto c = u(all, range(1, -1)); auto l = u(all, range(0, -2)) - 2 * c + u(all, range(2, end)); "
     "auto h = v(range(1, -1)) * c - 0.5f * l; return c + complex(0.001f * imag(h), -0.001f * real(h));",
     lambda torch, u, v: (lambda c: c - 0.001j * (v[1:-1] * c - 0.5 * (u[:, :-2] - 2 * c + u[:, 2:])))(u[:, 1:-1]),
     lambda np, u, v: (lambda c: c - 0.001j * (v[1:-1] * c - 0.5 * (u[:, :-2] - 2 * c + u[:, 2:])))(u[:, 1:-1]),
     "14*B*N", "c64[B,N-2]")
