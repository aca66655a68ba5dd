"""Layers of networks: normalisations, activations, attention's softmax, in float32 and the half types."""
import table

case = table.domain(__name__)


def softmax(np, x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def normalised(np, x, axis, eps=1e-5):
    m = x.mean(axis=axis, keepdims=True)
    v = ((x - m) ** 2).mean(axis=axis, keepdims=True)
    return (x - m) / np.sqrt(v + eps)


def sigmoid(np, x):
    return 1 / (1 + np.exp(-x))

case("softmax_logits_bf16", dict(N=4096, V=32003), dict(N=3, V=37), dict(x="bf16[N,V]"),
     "softmax(x, axis=1)",
     lambda torch, x: torch.softmax(x, 1),
     lambda np, x: softmax(np, x, 1),
     "5*N*V", "bf16[N,V]")

case("softmax_channels", dict(N=32, C=151, P=128 * 128), dict(N=2, C=5, P=12), dict(x="f32[N,C,P]"),
     "softmax(x, axis=1)",
     lambda torch, x: torch.softmax(x, 1),
     lambda np, x: softmax(np, x, 1),
     "5*N*C*P", "f32[N,C,P]")

case("softmax_heads_last", dict(B=16384, H=12, W=96), dict(B=3, H=4, W=5), dict(x="f32[B,H,W]"),
     "softmax(x, axis=1)",
     lambda torch, x: torch.softmax(x, 1),
     lambda np, x: softmax(np, x, 1),
     "5*B*H*W", "f32[B,H,W]")

case("masked_attention_f16", dict(B=16, H=16, S=515), dict(B=2, H=2, S=7), dict(x="f16[B,H,S,S]", m="b[B,S]"),
     "softmax(where(m(all, newaxis, newaxis, all), x * 0.125f, -60000.f), axis=3)",
     lambda torch, x, m: torch.softmax(torch.where(m[:, None, None, :], x * 0.125, -60000.0), 3),
     lambda np, x, m: softmax(np, np.where(m[:, None, None, :], x * 0.125, -60000.0), 3),
     "6*B*H*S*S", "f16[B,H,S,S]")

case("alibi_softmax", dict(B=8, H=16, S=1024), dict(B=2, H=3, S=6), dict(x="f32[B,H,S,S]", a="f32[H,S,S]"),
     "softmax(x * 0.125f + a, axis=3)",
     lambda torch, x, a: torch.softmax(x * 0.125 + a, 3),
     lambda np, x, a: softmax(np, x * 0.125 + a, 3),
     "7*B*H*S*S", "f32[B,H,S,S]")

case("causal_softmax", dict(B=128, S=1024), dict(B=2, S=7), dict(x="f32[B,S,S]"),
     "softmax(where(arange(S)(newaxis, newaxis, all) <= arange(S)(newaxis, all, newaxis), x, -1e30f), axis=2)",
     lambda torch, x, S: torch.softmax(torch.where(torch.arange(S, device=x.device)[None, :] <= torch.arange(S,
         device=x.device)[:, None], x, -1e30), 2),
     lambda np, x, S: softmax(np, np.where(np.arange(S)[None, :] <= np.arange(S)[:, None], x, -1e30), 2),
     "5*B*S*S/2", "f32[B,S,S]", reads="4*B*S*(S+1)//2")

case("layernorm_odd_bf16", dict(N=65536, C=1023), dict(N=3, C=9), dict(x="bf16[N,C]", w="bf16[C]", b="bf16[C]"),
     "layer_norm(x, axis=1) * w + b",
     lambda torch, x, w, b: torch.nn.functional.layer_norm(x, w.shape, w, b, 1e-5),
     lambda np, x, w, b: normalised(np, x, 1) * w + b,
     "9*N*C", "bf16[N,C]")

case("layernorm_narrow", dict(N=2000003, C=48), dict(N=5, C=6), dict(x="f32[N,C]", w="f32[C]", b="f32[C]"),
     "layer_norm(x, axis=1) * w + b",
     lambda torch, x, w, b: torch.nn.functional.layer_norm(x, w.shape, w, b, 1e-5),
     lambda np, x, w, b: normalised(np, x, 1) * w + b,
     "9*N*C", "f32[N,C]")

case("layernorm_nchw", dict(N=64, C=96, P=56 * 56), dict(N=2, C=6, P=9), dict(x="f32[N,C,P]", w="f32[C]", b="f32[C]"),
     "layer_norm(x, axis=1) * w(all, newaxis) + b(all, newaxis)",
     lambda torch, x, w, b: torch.nn.functional.layer_norm(x.transpose(1, 2), w.shape, w, b, 1e-5).transpose(1, 2),
     lambda np, x, w, b: normalised(np, x, 1) * w[:, None] + b[:, None],
     "9*N*C*P", "f32[N,C,P]")

case("residual_rmsnorm_f16", dict(N=16384, C=4096), dict(N=3, C=8), dict(x="f16[N,C]", r="f16[N,C]", w="f16[C]"),
     "auto h = astype<float>(x) + r; return pack(astype<sinter::float16>(h), astype<sinter::float16>(rms_norm(h, "
     "axis=1) * w));",
     lambda torch, x, r, w: (lambda h: (h.half(), (h * torch.rsqrt((h * h).mean(1, keepdim=True) + 1e-5)
         * w).half()))(x.float() + r),
     lambda np, x, r, w: (lambda h: (h, h / np.sqrt((h * h).mean(axis=1, keepdims=True) + 1e-5) * w))(x + r),
     "6*N*C", ("f16[N,C]", "f16[N,C]"))

case("groupnorm_silu", dict(N=32, G=32, K=10, P=64 * 64), dict(N=2, G=3, K=2, P=5),
     dict(x="f32[N,G,K,P]", w="f32[G,K]", b="f32[G,K]"),
     "silu(layer_norm(x, axis={2, 3}) * w(all, all, newaxis) + b(all, all, newaxis))",
     lambda torch, x, w, b, N, G, K, P: torch.nn.functional.silu(torch.nn.functional.group_norm(x.reshape(N, G * K, P),
         G, w.reshape(-1), b.reshape(-1), 1e-5)).reshape(N, G, K, P),
     lambda np, x, w, b: (lambda y: y * sigmoid(np, y))(normalised(np, x, (2, 3)) * w[:, :, None] + b[:, :, None]),
     "14*N*G*K*P", "f32[N,G,K,P]")

case("instancenorm_f16", dict(N=96, C=64, P=127 * 127), dict(N=2, C=3, P=10), dict(x="f16[N,C,P]"),
     "layer_norm(x, axis=2)",
     lambda torch, x: torch.nn.functional.instance_norm(x, eps=1e-5),
     lambda np, x: normalised(np, x, 2),
     "7*N*C*P", "f16[N,C,P]")

case("batchnorm_training", dict(N=128, C=96, P=56 * 56), dict(N=3, C=4, P=6),
     dict(x="f32[N,C,P]", w="f32[C]", b="f32[C]"),
     "layer_norm(x, axis={0, 2}) * w(all, newaxis) + b(all, newaxis)",
     lambda torch, x, w, b: torch.nn.functional.batch_norm(x, None, None, w, b, True, 0.1, 1e-5),
     lambda np, x, w, b: normalised(np, x, (0, 2)) * w[:, None] + b[:, None],
     "9*N*C*P", "f32[N,C,P]")

case("batchnorm_relu_inference_nhwc", dict(N=64, P=112 * 112, C=64), dict(N=2, P=6, C=5),
     dict(x="f16[N,P,C]", m="f32[C]", v="f32[C] 0.5..1.5", w="f32[C]", b="f32[C]"),
     "astype<sinter::float16>(relu((x - m) * rsqrt(v + 1e-5f) * w + b))",
     lambda torch, x, m, v, w, b: torch.relu((x - m) * torch.rsqrt(v + 1e-5) * w + b).half(),
     lambda np, x, m, v, w, b: np.maximum((x - m) / np.sqrt(v + 1e-5) * w + b, 0),
     "7*N*P*C", "f16[N,P,C]")

case("gated_silu_bf16", dict(N=16384, F=2816), dict(N=3, F=5), dict(x="bf16[N,2*F]"),
     "silu(x(all, range(0, F))) * x(all, range(F, end))",
     lambda torch, x, F: torch.nn.functional.silu(x[:, :F].float()).mul(x[:, F:]).bfloat16(),
     lambda np, x, F: x[:, :F] * sigmoid(np, x[:, :F]) * x[:, F:],
     "6*N*F", "bf16[N,F]")

case("gelu_dropout_scale", dict(N=33554432,), dict(N=33,), dict(x="f32[N]", m="b[N]"),
     "where(m, gelu(x) * 1.25f, 0.f)",
     lambda torch, x, m: torch.where(m, torch.nn.functional.gelu(x) * 1.25, 0.0),
     lambda np, x, m: np.where(m, x * 0.5 * (1 + table.erf(np, x * 0.7071067811865476)) * 1.25, 0.0),
     "8*N", "f32[N]")

case("rotary_f16", dict(B=8, S=2048, H=16, D=64), dict(B=2, S=3, H=2, D=4),
     dict(x="f16[B,S,H,2*D]", c="f32[S,D] -1..1", s="f32[S,D] -1..1"),
     "auto a = astype<float>(x(ellipsis, range(0, D))); auto b = astype<float>(x(ellipsis, range(D, end))); "
     "auto cs = c(newaxis, all, newaxis, all); auto sn = s(newaxis, all, newaxis, all); "
     "return astype<sinter::float16>(concat(a * cs - b * sn, b * cs + a * sn, axis=3));",
     lambda torch, x, c, s, D: (lambda a, b, cs, sn: torch.cat([a * cs - b * sn, b * cs + a * sn], 3).half())(x[...,
         :D].float(), x[..., D:].float(), c[None, :, None, :], s[None, :, None, :]),
     lambda np, x, c, s, D: (lambda a, b, cs, sn: np.concatenate([a * cs - b * sn, b * cs + a * sn], axis=3))(x[...,
         :D], x[..., D:], c[None, :, None, :], s[None, :, None, :]),
     "6*B*S*H*D", "f16[B,S,H,2*D]")

case("squeeze_excite", dict(N=128, C=256, P=28 * 28), dict(N=2, C=3, P=5), dict(x="f32[N,C,P]"),
     "x * sigmoid(mean(x, axis=2, keepdims))",
     lambda torch, x: x * torch.sigmoid(x.mean(2, keepdim=True)),
     lambda np, x: x * sigmoid(np, x.mean(axis=2, keepdims=True)),
     "2*N*C*P", "f32[N,C,P]")

case("mish_residual_f64", dict(N=16777259,), dict(N=19,), dict(x="f64[N]", r="f64[N]"),
     "mish(x) + r",
     lambda torch, x, r: torch.nn.functional.mish(x) + r,
     lambda np, x, r: x * np.tanh(np.log1p(np.exp(x))) + r,
     "5*N", "f64[N]")
