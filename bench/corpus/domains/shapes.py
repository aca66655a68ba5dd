"""Joining, padding, rolling, repeating and transposing arrays, with arithmetic."""
import table

case = table.domain(__name__)

case("concat_rows", dict(N=8192, C=4096), dict(N=3, C=5), dict(a="f32[N,C]", b="f32[N+1,C]"),
     "concat(a, b, axis=0)",
     lambda torch, a, b: torch.cat([a, b], 0),
     lambda np, a, b: np.concatenate([a, b], axis=0),
     "1", "f32[2*N+1,C]")

case("concat_columns_scaled", dict(N=100003, C=300), dict(N=3, C=5), dict(a="f32[N,C]", b="f32[N,2*C]", c="f32[N,7]"),
     "2.f * concat(a, b, c, axis=1)",
     lambda torch, a, b, c: 2 * torch.cat([a, b, c], 1),
     lambda np, a, b, c: 2 * np.concatenate([a, b, c], axis=1),
     "N*C", "f32[N,3*C+7]")

case("pad_images", dict(N=2048, H=127, W=129), dict(N=2, H=3, W=4), dict(x="f32[N,H,W]"),
     "pad(x, {{0, 0}, {1, 1}, {1, 1}})",
     lambda torch, x: torch.nn.functional.pad(x, (1, 1, 1, 1)),
     lambda np, x: np.pad(x, ((0, 0), (1, 1), (1, 1))),
     "1", "f32[N,H+2,W+2]")

case("pad_bytes_offset", dict(N=8192, C=8191), dict(N=3, C=5), dict(x="u8[N,C]"),
     "pad(x, {{2, 0}, {0, 9}}, 7)",
     lambda torch, x: torch.nn.functional.pad(x, (0, 9, 2, 0), value=7),
     lambda np, x: np.pad(x, ((2, 0), (0, 9)), constant_values=7),
     "1", "u8[N+2,C+9]")

case("roll_both_axes", dict(H=8191, W=8192), dict(H=3, W=5), dict(x="f32[H,W]"),
     "roll(x, {17, -5}, axis={0, 1})",
     lambda torch, x: torch.roll(x, (17, -5), (0, 1)),
     lambda np, x: np.roll(x, (17, -5), (0, 1)),
     "1", "f32[H,W]")

case("roll_windows_f16", dict(B=512, H=56, W=56, C=96), dict(B=2, H=4, W=5, C=3), dict(x="f16[B,H,W,C]"),
     "roll(x, {-3, -3}, axis={1, 2})",
     lambda torch, x: torch.roll(x, (-3, -3), (1, 2)),
     lambda np, x: np.roll(x, (-3, -3), (1, 2)),
     "1", "f16[B,H,W,C]")

case("repeat_heads", dict(B=16, K=8, S=2048, D=64), dict(B=2, K=2, S=3, D=4), dict(x="f16[B,K,S,D]"),
     "repeat(x, 4, axis=1)",
     lambda torch, x: x.repeat_interleave(4, 1),
     lambda np, x: np.repeat(x, 4, axis=1),
     "1", "f16[B,4*K,S,D]")

case("tile_pattern", dict(N=4096, H=64, W=48), dict(N=2, H=3, W=4), dict(x="f32[N,H*W]", p="f32[W]"),
     "reshape(x, {N, H, W}) * p",
     lambda torch, x, p, N, H, W: x.reshape(N, H, W) * p,
     lambda np, x, p, N, H, W: x.reshape(N, H, W) * p,
     "N*H*W", "f32[N,H,W]")

case("transpose_batches_f16", dict(B=512, M=500, N=508), dict(B=2, M=3, N=5), dict(x="f16[B,M,N]"),
     "array(permute(x, {0, 2, 1}))",
     lambda torch, x: x.transpose(1, 2).contiguous(),
     lambda np, x: np.transpose(x, (0, 2, 1)).copy(),
     "1", "f16[B,N,M]")

case("nchw_to_nhwc_add", dict(N=64, C=65, P=64 * 64), dict(N=2, C=3, P=5), dict(x="f32[N,C,P]", y="f32[N,P,C]"),
     "permute(x, {0, 2, 1}) + y",
     lambda torch, x, y: x.permute(0, 2, 1) + y,
     lambda np, x, y: np.transpose(x, (0, 2, 1)) + y,
     "N*C*P", "f32[N,P,C]")

case("reverse_axes_f64", dict(A=400, B=300, C=200), dict(A=3, B=4, C=5), dict(x="f64[A,B,C]"),
     "permute(x, {2, 1, 0}) * 2.0",
     lambda torch, x: x.permute(2, 1, 0).contiguous() * 2.0,
     lambda np, x: np.transpose(x, (2, 1, 0)) * 2.0,
     "A*B*C", "f64[C,B,A]")

case("causal_mask_add", dict(B=64, S=1025), dict(B=2, S=5), dict(x="f32[B,S,S]"),
     "tril(x)",
     lambda torch, x: torch.tril(x),
     lambda np, x: np.tril(x),
     "B*S*S", "f32[B,S,S]", reads="2*B*S*(S+1)")

case("symmetrise", dict(N=8191,), dict(N=5,), dict(x="f32[N,N]"),
     "0.5f * (x + transpose(x))",
     lambda torch, x: 0.5 * (x + x.T),
     lambda np, x: 0.5 * (x + x.T),
     "2*N*N", "f32[N,N]")

case("pixel_shuffle", dict(N=32, C=16, H=127, W=127), dict(N=2, C=2, H=3, W=4), dict(x="f32[N,C,2,2,H,W]"),
     "reshape(permute(x, {0, 1, 4, 2, 5, 3}), {N, C, 2 * H, 2 * W})",
     lambda torch, x, N, C, H, W: x.permute(0, 1, 4, 2, 5, 3).reshape(N, C, 2 * H, 2 * W),
     lambda np, x, N, C, H, W: np.transpose(x, (0, 1, 4, 2, 5, 3)).reshape(N, C, 2 * H, 2 * W),
     "1", "f32[N,C,2*H,2*W]")

case("patches", dict(B=256, G=14, P=16), dict(B=2, G=2, P=3), dict(x="f32[B,G*P,G*P,3]"),
     "reshape(permute(reshape(x, {B, G, P, G, P, 3}), {0, 1, 3, 2, 4, 5}), {B, G * G, P * P * 3}) * 2.f - 1.f",
     lambda torch, x, B, G, P: x.reshape(B, G, P, G, P, 3).permute(0, 1, 3, 2, 4, 5).reshape(B, G * G, P * P * 3) * 2
         - 1,
     lambda np, x, B, G, P: np.transpose(x.reshape(B, G, P, G, P, 3), (0, 1, 3, 2, 4, 5)).reshape(B, G * G, P * P * 3)
         * 2 - 1,
     "2*B*(G*P)**2*3", "f32[B,G*G,P*P*3]")

case("misaligned_halves", dict(N=134217735,), dict(N=29,), dict(x="f16[N]", y="f16[N]"),
     "x(range(1, end)) * y(range(0, -1))",
     lambda torch, x, y: x[1:] * y[:-1],
     lambda np, x, y: x[1:] * y[:-1],
     "N", "f16[N-1]")

case("tiny_affine", dict(N=1000,), dict(N=1000,), dict(x="f32[N]", y="f32[N]"),
     "x * y + 1.f",
     lambda torch, x, y: x * y + 1,
     lambda np, x, y: x * y + 1,
     "2*N", "f32[N]")

case("tiny_softmax", dict(N=64, C=100), dict(N=4, C=10), dict(x="f32[N,C]"),
     "softmax(x, axis=1)",
     lambda torch, x: torch.softmax(x, 1),
     lambda np, x: (lambda e: e / e.sum(axis=1, keepdims=True))(np.exp(x)),
     "5*N*C", "f32[N,C]")
