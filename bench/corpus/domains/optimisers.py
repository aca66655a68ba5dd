"""Steps of optimisers: several states in, several out."""
import table

case = table.domain(__name__)


def adam(sqrt, p, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 0.001 * (m / 0.271) / (sqrt(v / 0.002997) + 1e-8), m, v

case("adam_step", dict(N=33554467,), dict(N=29,), dict(p="f32[N]", g="f32[N]", m="f32[N]", v="f32[N] 0..1"),
     "auto a = 0.9f * m + 0.1f * g; auto b = 0.999f * v + 0.001f * g * g; "
     "return pack(p - 0.001f * (a / 0.271f) / (sqrt(b / 0.002997f) + 1e-8f), a, b);",
     lambda torch, p, g, m, v: adam(torch.sqrt, p, g, m, v),
     lambda np, p, g, m, v: adam(np.sqrt, p, g, m, v),
     "16*N", ("f32[N]",) * 3)

case("adamw_mixed_precision", dict(N=33554432,), dict(N=29,),
     dict(p="f32[N]", g="bf16[N]", m="f32[N]", v="f32[N] 0..1"),
     "auto h = astype<float>(g); auto a = 0.9f * m + 0.1f * h; auto b = 0.95f * v + 0.05f * h * h; "
     "auto q = p * 0.9999f - 0.001f * a / (sqrt(b) + 1e-8f); return pack(q, a, b, astype<sinter::bfloat16>(q));",
     lambda torch, p, g, m, v: (lambda h: (lambda a, b: (lambda q: (q, a, b, q.bfloat16()))(p * 0.9999 - 0.001 * a
         / (torch.sqrt(b) + 1e-8)))(0.9 * m + 0.1 * h, 0.95 * v + 0.05 * h * h))(g.float()),
     lambda np, p, g, m, v: (lambda a, b: (lambda q: (q, a, b, q))(p * 0.9999 - 0.001 * a / (np.sqrt(b) + 1e-8)))(0.9
         * m + 0.1 * g, 0.95 * v + 0.05 * g * g),
     "16*N", ("f32[N]", "f32[N]", "f32[N]", "bf16[N]"))

case("sgd_nesterov", dict(N=50000017,), dict(N=29,), dict(p="f32[N]", g="f32[N]", m="f32[N]"),
     "auto b = 0.9f * m + g; return pack(p - 0.01f * (g + 0.9f * b), b);",
     lambda torch, p, g, m: (lambda b: (p - 0.01 * (g + 0.9 * b), b))(0.9 * m + g),
     lambda np, p, g, m: (lambda b: (p - 0.01 * (g + 0.9 * b), b))(0.9 * m + g),
     "6*N", ("f32[N]", "f32[N]"))

case("lion_step_bf16", dict(N=67108864,), dict(N=29,), dict(p="bf16[N]", g="bf16[N]", m="bf16[N]"),
     "pack(astype<sinter::bfloat16>(p - 0.0078125f * sign(0.9f * m + 0.1f * g)), astype<sinter::bfloat16>(0.99f * m "
     "+ 0.01f * g))",
     lambda torch, p, g, m: ((p.float() - 0.0078125 * torch.sign(0.9 * m.float() + 0.1 * g.float())).bfloat16(),
         (0.99 * m.float() + 0.01 * g.float()).bfloat16()),
     lambda np, p, g, m: (p - 0.0078125 * np.sign(0.9 * m + 0.1 * g), 0.99 * m + 0.01 * g),
     "8*N", ("bf16[N]", "bf16[N]"))

case("clip_by_global_norm", dict(N=67108879,), dict(N=29,), dict(g="f32[N]"),
     "g * minimum(1.f, 1.f / norm(g))",
     lambda torch, g: g * torch.clamp(1 / torch.linalg.vector_norm(g), max=1),
     lambda np, g: g * np.minimum(1, 1 / np.sqrt((g * g).sum())),
     "3*N", "f32[N]")

case("weight_average_f16", dict(N=134217728,), dict(N=29,), dict(a="f32[N]", w="f16[N]"),
     "a + 0.001f * (w - a)",
     lambda torch, a, w: a + 0.001 * (w - a),
     lambda np, a, w: a + 0.001 * (w - a),
     "3*N", "f32[N]", tolerance=2e-5)

case("trust_ratio_rows", dict(N=16384, C=4097), dict(N=5, C=7), dict(p="f32[N,C]", u="f32[N,C]"),
     "p - 0.01f * (norm(p, axis=1, keepdims) / norm(u, axis=1, keepdims)) * u",
     lambda torch, p, u: p - 0.01 * (torch.linalg.vector_norm(p, dim=1, keepdim=True) / torch.linalg.vector_norm(u,
         dim=1, keepdim=True)) * u,
     lambda np, p, u: p - 0.01 * np.sqrt((p * p).sum(axis=1, keepdims=True) / (u * u).sum(axis=1, keepdims=True)) * u,
     "7*N*C", "f32[N,C]")

case("factored_second_moments", dict(N=8192, C=8190), dict(N=5, C=7), dict(g="f32[N,C]"),
     "pack(mean(square(g), axis=1), mean(square(g), axis=0))",
     lambda torch, g: ((g * g).mean(1), (g * g).mean(0)),
     lambda np, g: ((g * g).mean(axis=1), (g * g).mean(axis=0)),
     "4*N*C", ("f32[N]", "f32[C]"))

case("weight_standardisation", dict(O=4096, K=9 * 1024), dict(O=5, K=7), dict(w="f32[O,K]", s="f32[O]"),
     "layer_norm(w, axis=1) * s(all, newaxis)",
     lambda torch, w, s: torch.nn.functional.layer_norm(w, w.shape[1:], eps=1e-5) * s[:, None],
     lambda np, w, s: (w - w.mean(axis=1, keepdims=True)) / np.sqrt(w.var(axis=1, keepdims=True) + 1e-5) * s[:, None],
     "8*O*K", "f32[O,K]")
