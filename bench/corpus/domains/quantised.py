"""Quantised inference: integers of 4, 8 and 32 bits to and from floating numbers, by scales of rows and groups."""
import table

case = table.domain(__name__)
ONE_STEP = 1.01 / 127  # rounding of a quotient at a tie may go either way

case("dequantise_rows", dict(N=16384, C=4096), dict(N=3, C=7), dict(x="i8[N,C]", s="f32[N] 0.01..0.02"),
     "astype<sinter::float16>(x * s(all, newaxis))",
     lambda torch, x, s: (x * s[:, None]).half(),
     lambda np, x, s: x * s[:, None],
     "N*C", "f16[N,C]")

case("dequantise_groups", dict(N=11008, G=32, K=128), dict(N=3, G=2, K=5),
     dict(x="u8[N,G,K]", s="f16[N,G] 0.01..0.02", z="u8[N,G] 100..150"),
     "astype<sinter::float16>((astype<float>(x) - z(ellipsis, newaxis)) * s(ellipsis, newaxis))",
     lambda torch, x, s, z: ((x.float() - z[..., None]) * s[..., None]).half(),
     lambda np, x, s, z: (x.astype(np.float32) - z[..., None]) * s[..., None],
     "2*N*G*K", "f16[N,G,K]")

case("unpack_int4", dict(N=8192, C=2048), dict(N=3, C=5), dict(x="u8[N,C]", s="f32[N] 0.01..0.02"),
     "reshape(stack(astype<float>(x & 15) - 8.f, astype<float>(x >> 4) - 8.f, axis=2), {N, 2 * C}) * s(all, newaxis)",
     lambda torch, x, s, N, C: torch.stack([(x & 15).float() - 8, (x >> 4).float() - 8], 2).reshape(N, 2 * C) * s[:,
         None],
     lambda np, x, s, N, C: np.stack([(x & 15).astype(np.float32) - 8, (x >> 4).astype(np.float32) - 8],
         axis=2).reshape(N, 2 * C) * s[:, None],
     "4*N*C", "f32[N,2*C]")

case("quantise_rows", dict(N=32768, C=2048), dict(N=3, C=9), dict(x="f32[N,C]"),
     "auto s = max(abs(x), axis=1, keepdims) * (1.f / 127); "
     "return pack(astype<std::int8_t>(clip(round(x / s), -127.f, 127.f)), max(abs(x), axis=1) * (1.f / 127));",
     lambda torch, x: (lambda s: (torch.clamp(torch.round(x / s), -127, 127).to(torch.int8), s[:, 0]))(x.abs().amax(1,
         keepdim=True) * (1 / 127)),
     lambda np, x: (lambda s: (np.clip(np.round(x / s), -127, 127), s[:, 0]))(np.abs(x).max(axis=1, keepdims=True)
         * (1 / 127)),
     "4*N*C", ("i8[N,C]", "f32[N]"), tolerance=ONE_STEP)

case("quantise_columns_bf16", dict(N=40960, C=1536), dict(N=5, C=6), dict(x="bf16[N,C]"),
     "astype<std::int8_t>(clip(round(x / (max(abs(x), axis=0) * (1.f / 127))), -127.f, 127.f))",
     lambda torch, x: torch.clamp(torch.round(x.float() / (x.float().abs().amax(0) * (1 / 127))), -127,
         127).to(torch.int8),
     lambda np, x: np.clip(np.round(x / (np.abs(x).max(axis=0) * (1 / 127))), -127, 127),
     "4*N*C", "i8[N,C]", tolerance=2 * ONE_STEP)

case("requantise_int32", dict(N=65536, C=1000), dict(N=3, C=7),
     dict(x="i32[N,C] -100000..100000", s="f32[C] 0.001..0.002", b="i32[C] -1000..1000"),
     "astype<std::int8_t>(clip(round((x + b) * s) + 3.f, -128.f, 127.f))",
     lambda torch, x, s, b: torch.clamp(torch.round((x + b) * s) + 3, -128, 127).to(torch.int8),
     lambda np, x, s, b: np.clip(np.round((x + b) * s) + 3, -128, 127),
     "5*N*C", "i8[N,C]", tolerance=ONE_STEP)

case("fake_quantise_channels", dict(N=64, C=256, P=31 * 31), dict(N=2, C=3, P=5),
     dict(x="f32[N,C,P]", s="f32[C] 0.011..0.021"),
     "clip(round(x / s(all, newaxis)), -128.f, 127.f) * s(all, newaxis)",
     lambda torch, x, s: torch.clamp(torch.round(x / s[:, None]), -128, 127) * s[:, None],
     lambda np, x, s: np.clip(np.round(x / s[:, None]), -128, 127) * s[:, None],
     "4*N*C*P", "f32[N,C,P]", tolerance=0.0108)

case("int8_row_products", dict(N=65536, C=1024), dict(N=4, C=9), dict(x="i8[N,C]", y="i8[N,C]"),
     "sum(astype<int>(x) * astype<int>(y), axis=1)",
     lambda torch, x, y: (x.int() * y.int()).sum(1),
     lambda np, x, y: (x.astype(np.int32) * y.astype(np.int32)).sum(axis=1),
     "2*N*C", "i64[N]")

case("int8_matrix_vector", dict(N=16384, K=4096), dict(N=4, K=9), dict(w="i8[N,K]", s="f32[N] 0.01..0.02", x="f32[K]"),
     "s * sum(w * x, axis=1)",
     lambda torch, w, s, x: s * (w * x).sum(1),
     lambda np, w, s, x: s * (w * x).sum(axis=1),
     "2*N*K", "f32[N]")

case("int8_gelu", dict(N=100000007,), dict(N=37,), dict(x="i8[N]"),
     "astype<std::int8_t>(clip(round(gelu(x * 0.05f) * 32.f), -128.f, 127.f))",
     lambda torch, x: torch.clamp(torch.round(torch.nn.functional.gelu(x * 0.05) * 32), -128, 127).to(torch.int8),
     lambda np, x: (lambda y: np.clip(np.round(y * 0.5 * (1 + table.erf(np, y * 0.7071067811865476)) * 32), -128,
         127))(x * np.float32(0.05)),
     "12*N", "i8[N]", tolerance=ONE_STEP)

case("int8_column_sums", dict(N=131072, C=1000), dict(N=7, C=5), dict(x="i8[N,C]"),
     "sum(x, axis=0)",
     lambda torch, x: x.sum(0),
     lambda np, x: x.sum(axis=0, dtype=np.int64),
     "N*C", "i64[C]")

case("residual_add_int8", dict(N=67108864,), dict(N=41,), dict(x="i8[N]", y="i8[N]"),
     "astype<std::int8_t>(clip(round(x * 0.7f + y * 0.4f), -128.f, 127.f))",
     lambda torch, x, y: torch.clamp(torch.round(x * 0.7 + y * 0.4), -128, 127).to(torch.int8),
     lambda np, x, y: np.clip(np.round(x * np.float32(0.7) + y * np.float32(0.4)), -128, 127),
     "5*N", "i8[N]", tolerance=ONE_STEP)
