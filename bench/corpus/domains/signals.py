"""Signal processing: frames and windows, spectra, filters, interleaved channels, samples of 16 bits."""
import table

case = table.domain(__name__)

case("window_frames", dict(B=40000, N=1024), dict(B=3, N=9), dict(x="f32[B,N]", w="f32[N]"),
     "(x - mean(x, axis=1, keepdims)) * w",
     lambda torch, x, w: (x - x.mean(1, keepdim=True)) * w,
     lambda np, x, w: (x - x.mean(axis=1, keepdims=True)) * w,
     "3*B*N", "f32[B,N]")

case("power_in_decibels", dict(B=32768, F=513), dict(B=3, F=5), dict(z="c64[B,F]"),
     "10.f * log10(abs2(z) + 1e-10f)",
     lambda torch, z: 10 * torch.log10(z.real ** 2 + z.imag ** 2 + 1e-10),
     lambda np, z: 10 * np.log10(z.real ** 2 + z.imag ** 2 + 1e-10),
     "6*B*F", "f32[B,F]")

case("preemphasis", dict(B=64, N=1440001), dict(B=2, N=11), dict(x="f32[B,N]"),
     "x(all, range(1, end)) - 0.97f * x(all, range(0, -1))",
     lambda torch, x: x[:, 1:] - 0.97 * x[:, :-1],
     lambda np, x: x[:, 1:] - 0.97 * x[:, :-1],
     "2*B*N", "f32[B,N-1]")

case("stereo_to_mono_i16", dict(N=48000000,), dict(N=13,), dict(x="i16[N,2] -32768..32768"),
     "(astype<float>(x(all, 0)) + astype<float>(x(all, 1))) * (0.5f / 32768)",
     lambda torch, x: (x[:, 0].float() + x[:, 1].float()) * (0.5 / 32768),
     lambda np, x: (x[:, 0].astype(np.float32) + x[:, 1].astype(np.float32)) * (0.5 / 32768),
     "2*N", "f32[N]")

case("interleave_stereo", dict(N=40000001,), dict(N=13,), dict(l="f32[N]", r="f32[N]"),
     "stack(l, r, axis=1)",
     lambda torch, l, r: torch.stack([l, r], 1),
     lambda np, l, r: np.stack([l, r], axis=1),
     "1", "f32[N,2]")

case("mid_side_planes", dict(N=40000001,), dict(N=13,), dict(x="f32[N,2]"),
     "pack(0.5f * (x(all, 0) + x(all, 1)), 0.5f * (x(all, 0) - x(all, 1)))",
     lambda torch, x: (0.5 * (x[:, 0] + x[:, 1]), 0.5 * (x[:, 0] - x[:, 1])),
     lambda np, x: (0.5 * (x[:, 0] + x[:, 1]), 0.5 * (x[:, 0] - x[:, 1])),
     "4*N", ("f32[N]", "f32[N]"))

case("mu_law_encode", dict(N=67108867,), dict(N=29,), dict(x="f32[N] -1..1"),
     "astype<std::uint8_t>((sign(x) * log1p(255.f * abs(x)) * 0.18033688f + 1.f) * 127.5f)",
     lambda torch, x: ((torch.sign(x) * torch.log1p(255 * x.abs()) * 0.18033688 + 1) * 127.5).to(torch.uint8),
     lambda np, x: np.floor((np.sign(x) * np.log1p(255 * np.abs(x)) * 0.18033688 + 1) * 127.5),
     "30*N", "u8[N]", tolerance=1.01 / 255)

case("decimate_by_4", dict(B=64, N=500000), dict(B=2, N=5), dict(x="f32[B,4*N]"),
     "x(all, range(0, end, 4)) * 0.5f",
     lambda torch, x: x[:, ::4] * 0.5,
     lambda np, x: x[:, ::4] * 0.5,
     "B*N", "f32[B,N]", reads="16*B*N")

case("soft_clip_f16", dict(N=134217733,), dict(N=29,), dict(x="f16[N]"),
     "tanh(1.5f * x) * 0.9f",
     lambda torch, x: (torch.tanh(1.5 * x.float()) * 0.9).half(),
     lambda np, x: np.tanh(1.5 * x) * 0.9,
     "12*N", "f16[N]")

case("normalise_loudness", dict(B=512, N=160001), dict(B=2, N=11), dict(x="f32[B,N]"),
     "x * (0.1f / sqrt(mean(square(x), axis=1, keepdims) + 1e-9f))",
     lambda torch, x: x * (0.1 / torch.sqrt(x.square().mean(1, keepdim=True) + 1e-9)),
     lambda np, x: x * (0.1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-9)),
     "3*B*N", "f32[B,N]")

case("filter_bank_energies", dict(B=20000, F=257, M=40), dict(B=3, F=7, M=4),
     dict(p="f32[B,F] 0..1", w="f32[F,M] 0..1"),
     "log(matmul(p, w) + 1e-6f)",
     lambda torch, p, w: torch.log(p @ w + 1e-6),
     lambda np, p, w: np.log(p @ w + 1e-6),
     "2*B*F*M", "f32[B,M]")

case("oscillator_bank", dict(B=1000, N=48000), dict(B=3, N=11), dict(f="f32[B] 0.01..0.1", a="f32[B]"),
     "a(all, newaxis) * sin(f(all, newaxis) * astype<float>(arange(N)))",
     lambda torch, f, a, N: a[:, None] * torch.sin(f[:, None] * torch.arange(N, device=f.device).float()),
     lambda np, f, a, N: a[:, None] * np.sin(f[:, None] * np.arange(N)),
     "20*B*N", "f32[B,N]", tolerance=2e-3)
