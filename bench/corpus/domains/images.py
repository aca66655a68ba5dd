"""Images: bytes and floating numbers, channels first and last."""
import table

case = table.domain(__name__)
ONE_LEVEL = 1.01 / 255  # truncation near a whole number may go either way

case("gray_nhwc_u8", dict(B=64, H=719, W=1279), dict(B=2, H=3, W=5), dict(x="u8[B,H,W,3]"),
     "astype<std::uint8_t>(0.299f * x(ellipsis, 0) + 0.587f * x(ellipsis, 1) + 0.114f * x(ellipsis, 2))",
     lambda torch, x: (0.299 * x[..., 0] + 0.587 * x[..., 1] + 0.114 * x[..., 2]).to(torch.uint8),
     lambda np, x: np.floor(np.float32(0.299) * x[..., 0] + np.float32(0.587) * x[..., 1] + np.float32(0.114) * x[...,
         2]),
     "5*B*H*W", "u8[B,H,W]", tolerance=ONE_LEVEL)

case("gray_nchw_f32", dict(B=32, H=1024, W=1024), dict(B=2, H=3, W=5), dict(x="f32[B,3,H,W]"),
     "0.299f * x(all, 0) + 0.587f * x(all, 1) + 0.114f * x(all, 2)",
     lambda torch, x: 0.299 * x[:, 0] + 0.587 * x[:, 1] + 0.114 * x[:, 2],
     lambda np, x: 0.299 * x[:, 0] + 0.587 * x[:, 1] + 0.114 * x[:, 2],
     "5*B*H*W", "f32[B,H,W]")

case("normalise_to_nchw", dict(B=128, H=224, W=224), dict(B=2, H=3, W=5),
     dict(x="u8[B,H,W,3]", m="f32[3] 0.4..0.5", s="f32[3] 0.2..0.3"),
     "(permute(astype<float>(x), {0, 3, 1, 2}) * (1.f / 255) - m(all, newaxis, newaxis)) / s(all, newaxis, newaxis)",
     lambda torch, x, m, s: (x.permute(0, 3, 1, 2).float() * (1 / 255) - m[:, None, None]) / s[:, None, None],
     lambda np, x, m, s: (x.astype(np.float32).transpose(0, 3, 1, 2) * (1 / 255) - m[:, None, None]) / s[:, None, None],
     "3*B*H*W*3", "f32[B,3,H,W]")

case("normalise_nhwc_f16", dict(B=128, H=299, W=299), dict(B=2, H=3, W=5),
     dict(x="u8[B,H,W,3]", m="f32[3] 0.4..0.5", s="f32[3] 2..3"),
     "astype<sinter::float16>((x * (1.f / 255) - m) * s)",
     lambda torch, x, m, s: ((x * (1 / 255) - m) * s).half(),
     lambda np, x, m, s: (x * np.float32(1 / 255) - m) * s,
     "3*B*H*W*3", "f16[B,H,W,3]")

case("blend_u8", dict(N=100663296,), dict(N=45,), dict(x="u8[N]", y="u8[N]"),
     "astype<std::uint8_t>((astype<int>(x) * 77 + astype<int>(y) * 179) >> 8)",
     lambda torch, x, y: ((x.int() * 77 + y.int() * 179) >> 8).to(torch.uint8),
     lambda np, x, y: (x.astype(np.int32) * 77 + y.astype(np.int32) * 179) >> 8,
     "4*N", "u8[N]")

case("composite_rgba", dict(N=16777216,), dict(N=11,), dict(x="u8[N,4]", y="u8[N,3]"),
     "auto a = x(all, range(3, 4)) * (1.f / 255); "
     "return astype<std::uint8_t>(x(all, range(0, 3)) * a + y * (1.f - a));",
     lambda torch, x, y: (lambda a: (x[:, :3] * a + y * (1 - a)).to(torch.uint8))(x[:, 3:4] * (1 / 255)),
     lambda np, x, y: (lambda a: np.floor(x[:, :3] * a + y * (1 - a)))(x[:, 3:4] * np.float32(1 / 255)),
     "13*N", "u8[N,3]", tolerance=ONE_LEVEL)

case("threshold_u8", dict(H=16384, W=8191), dict(H=3, W=13), dict(x="u8[H,W]"),
     "astype<std::uint8_t>(where(x > 127, 255, 0))",
     lambda torch, x: torch.where(x > 127, 255, 0).to(torch.uint8),
     lambda np, x: np.where(x > 127, 255, 0),
     "2*H*W", "u8[H,W]")

case("gamma_u8_to_f32", dict(N=67108864,), dict(N=45,), dict(x="u8[N]"),
     "pow(x * (1.f / 255), 2.2f)",
     lambda torch, x: torch.pow(x * (1 / 255), 2.2),
     lambda np, x: np.power(x * np.float32(1 / 255), np.float32(2.2)),
     "20*N", "f32[N]")

case("saturation_nhwc", dict(B=64, H=512, W=512), dict(B=2, H=3, W=4), dict(x="f32[B,H,W,3] 0.1..1"),
     "(max(x, axis=3) - min(x, axis=3)) / max(x, axis=3)",
     lambda torch, x: (x.amax(3) - x.amin(3)) / x.amax(3),
     lambda np, x: (x.max(axis=3) - x.min(axis=3)) / x.max(axis=3),
     "6*B*H*W", "f32[B,H,W]")

case("channel_means_u8", dict(B=256, H=256, W=256), dict(B=2, H=3, W=4), dict(x="u8[B,H,W,3]"),
     "mean(astype<float>(x), axis={1, 2})",
     lambda torch, x: x.float().mean((1, 2)),
     lambda np, x: x.astype(np.float32).mean(axis=(1, 2)),
     "3*B*H*W", "f32[B,3]")

case("downsample_2x2_u8", dict(B=64, H=540, W=960), dict(B=2, H=3, W=4), dict(x="u8[B,2*H,2*W]"),
     "astype<std::uint8_t>(floor_divide(sum(astype<int>(reshape(x, {B, H, 2, W, 2})), axis={2, 4}) + 2, 4))",
     lambda torch, x, B, H, W: ((x.reshape(B, H, 2, W, 2).int().sum((2, 4)) + 2) // 4).to(torch.uint8),
     lambda np, x, B, H, W: (x.reshape(B, H, 2, W, 2).astype(np.int32).sum(axis=(2, 4)) + 2) // 4,
     "5*B*H*W", "u8[B,H,W]")

case("average_pool_2x2", dict(N=64, C=64, H=112, W=112), dict(N=2, C=2, H=2, W=3), dict(x="f32[N,C,2*H,2*W]"),
     "mean(reshape(x, {N, C, H, 2, W, 2}), axis={3, 5})",
     lambda torch, x: torch.nn.functional.avg_pool2d(x, 2),
     lambda np, x, N, C, H, W: x.reshape(N, C, H, 2, W, 2).mean(axis=(3, 5)),
     "4*N*C*H*W", "f32[N,C,H,W]")

case("upsample_nearest", dict(N=32, C=64, H=97, W=97), dict(N=2, C=2, H=2, W=3), dict(x="f32[N,C,H,W]"),
     "repeat(repeat(x, 2, axis=2), 2, axis=3)",
     lambda torch, x: x.repeat_interleave(2, 2).repeat_interleave(2, 3),
     lambda np, x: np.repeat(np.repeat(x, 2, axis=2), 2, axis=3),
     "1", "f32[N,C,2*H,2*W]")

case("segment_argmax_nhwc", dict(B=32, H=384, W=384, K=21), dict(B=2, H=3, W=2, K=5), dict(x="f32[B,H,W,K]"),
     "argmax(x, axis=3)",
     lambda torch, x: torch.argmax(x, 3),
     lambda np, x: np.argmax(x, axis=3),
     "B*H*W*K", "i64[B,H,W]")

case("yuv_planes_to_rgb", dict(N=33554432,), dict(N=13,), dict(y="u8[N]", u="u8[N]", v="u8[N]"),
     "auto c = u - 128.f; auto d = v - 128.f; "
     "return astype<std::uint8_t>(clip(stack(y + 1.402f * d, y - 0.344f * c - 0.714f * d, y + 1.772f * c, axis=1), "
     "0.f, 255.f));",
     lambda torch, y, u, v: (lambda c, d: torch.clamp(torch.stack([y + 1.402 * d, y - 0.344 * c - 0.714 * d,
         y + 1.772 * c], 1), 0, 255).to(torch.uint8))(u - 128.0, v - 128.0),
     lambda np, y, u, v: (lambda c, d: np.floor(np.clip(np.stack([y + 1.402 * d, y - 0.344 * c - 0.714 * d,
         y + 1.772 * c], axis=1), 0, 255)))(u - np.float32(128), v - np.float32(128)),
     "14*N", "u8[N,3]", tolerance=ONE_LEVEL)

case("image_errors_u8", dict(B=512, H=256, W=255), dict(B=2, H=3, W=4), dict(x="u8[B,H,W]", y="u8[B,H,W]"),
     "mean(square(astype<float>(x) - astype<float>(y)), axis={1, 2})",
     lambda torch, x, y: (x.float() - y.float()).square().mean((1, 2)),
     lambda np, x, y: ((x.astype(np.float32) - y.astype(np.float32)) ** 2).mean(axis=(1, 2)),
     "3*B*H*W", "f32[B]")

case("mirror_and_scale", dict(B=64, H=257, W=1021), dict(B=2, H=3, W=7), dict(x="f32[B,H,W]"),
     "flip(x, axis=2) * 1.1f + 0.02f",
     lambda torch, x: x.flip(2) * 1.1 + 0.02,
     lambda np, x: np.flip(x, axis=2) * 1.1 + 0.02,
     "2*B*H*W", "f32[B,H,W]")
