"""Losses and their gradients."""
import table

case = table.domain(__name__)


def log_softmax(np, x):
    m = x.max(axis=1, keepdims=True)
    return x - m - np.log(np.exp(x - m).sum(axis=1, keepdims=True))


def bce(np, x, y):
    return np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x)))

case("cross_entropy", dict(N=16384, C=10007), dict(N=5, C=7), dict(x="f32[N,C]", l="i64[N] 0..C"),
     "mean(logsumexp(x, axis=1) - sum(where(arange(C) == l(all, newaxis), x, 0.f), axis=1))",
     lambda torch, x, l: torch.nn.functional.cross_entropy(x, l),
     lambda np, x, l: -np.take_along_axis(log_softmax(np, x), l[:, None], axis=1).mean(),
     "4*N*C", "f32[]")

case("cross_entropy_gradient", dict(N=8192, C=32001), dict(N=5, C=7), dict(x="f32[N,C]", l="i64[N] 0..C"),
     "(softmax(x, axis=1) - astype<float>(arange(C) == l(all, newaxis))) * (1.f / static_cast<float>(N))",
     lambda torch, x, l, N, C: (torch.softmax(x, 1) - (torch.arange(C, device=x.device) == l[:, None]).float())
         * (1 / N),
     lambda np, x, l, N, C: (np.exp(log_softmax(np, x)) - (np.arange(C) == l[:, None])) * (1 / N),
     "7*N*C", "f32[N,C]")

case("label_smoothing", dict(N=32768, C=1000), dict(N=5, C=7), dict(x="f32[N,C]", l="i64[N] 0..C"),
     "auto p = log_softmax(x, axis=1); return -sum(p * (0.0001f + 0.9f * astype<float>(arange(C) == l(all, "
     "newaxis))), axis=1);",
     lambda torch, x, l, C: -(torch.log_softmax(x, 1) * (0.0001 + 0.9 * (torch.arange(C, device=x.device) == l[:,
         None]).float())).sum(1),
     lambda np, x, l, C: -(log_softmax(np, x) * (0.0001 + 0.9 * (np.arange(C) == l[:, None]))).sum(axis=1),
     "8*N*C", "f32[N]")

case("binary_cross_entropy", dict(N=100000007,), dict(N=29,), dict(x="f32[N]", y="f32[N] 0..1"),
     "mean(relu(x) - x * y + log1p(exp(-abs(x))))",
     lambda torch, x, y: torch.nn.functional.binary_cross_entropy_with_logits(x, y),
     lambda np, x, y: bce(np, x, y).mean(),
     "20*N", "f32[]")

case("huber_rows", dict(N=65536, C=999), dict(N=5, C=7), dict(x="f32[N,C]", y="f32[N,C]"),
     "auto d = abs(x - y); return mean(where(d < 1.f, 0.5f * d * d, d - 0.5f), axis=1);",
     lambda torch, x, y: torch.nn.functional.huber_loss(x, y, reduction="none").mean(1),
     lambda np, x, y: (lambda d: np.where(d < 1, 0.5 * d * d, d - 0.5).mean(axis=1))(np.abs(x - y)),
     "6*N*C", "f32[N]")

case("kl_of_logits", dict(N=16384, C=4099), dict(N=5, C=7), dict(x="f32[N,C]", y="f32[N,C]"),
     "auto p = log_softmax(x, axis=1); auto q = log_softmax(y, axis=1); return sum(exp(q) * (q - p), axis=1);",
     lambda torch, x, y: (lambda p, q: (torch.exp(q) * (q - p)).sum(1))(torch.log_softmax(x, 1), torch.log_softmax(y,
         1)),
     lambda np, x, y: (lambda p, q: (np.exp(q) * (q - p)).sum(axis=1))(log_softmax(np, x), log_softmax(np, y)),
     "16*N*C", "f32[N]")

case("focal_loss_planes", dict(B=32, K=20, P=128 * 128), dict(B=2, K=3, P=5), dict(x="f32[B,K,P]", y="b[B,K,P]"),
     "auto z = where(y, x, -x); return sum(square(sigmoid(-z)) * log1p(exp(-z)), axis={1, 2});",
     lambda torch, x, y: (lambda z: (torch.sigmoid(-z).square() * torch.log1p(torch.exp(-z))).sum((1,
         2)))(torch.where(y, x, -x)),
     lambda np, x, y: (lambda z: (1 / (1 + np.exp(z)) ** 2 * np.log1p(np.exp(-z))).sum(axis=(1, 2)))(np.where(y, x,
         -x)),
     "30*B*K*P", "f32[B]")

case("cosine_similarity", dict(N=131072, C=384), dict(N=5, C=7), dict(x="f32[N,C]", y="f32[N,C]"),
     "sum(x * y, axis=1) / (norm(x, axis=1) * norm(y, axis=1))",
     lambda torch, x, y: torch.nn.functional.cosine_similarity(x, y, dim=1),
     lambda np, x, y: (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)),
     "6*N*C", "f32[N]")

case("triplet_margin", dict(N=65536, C=512), dict(N=5, C=7), dict(a="f32[N,C]", p="f32[N,C]", n="f32[N,C]"),
     "mean(relu(norm(a - p, axis=1) - norm(a - n, axis=1) + 1.f))",
     lambda torch, a, p, n: torch.relu(torch.linalg.vector_norm(a - p, dim=1) - torch.linalg.vector_norm(a - n, dim=1)
         + 1).mean(),
     lambda np, a, p, n: np.maximum(np.sqrt(((a - p) ** 2).sum(axis=1)) - np.sqrt(((a - n) ** 2).sum(axis=1)) + 1,
         0).mean(),
     "6*N*C", "f32[]")

case("dice_loss", dict(B=64, P=512 * 512), dict(B=3, P=9), dict(x="f32[B,P]", y="b[B,P]"),
     "auto p = sigmoid(x); return 1.f - 2.f * sum(where(y, p, 0.f), axis=1) / (sum(p, axis=1) + astype<float>(sum(y, "
     "axis=1)));",
     lambda torch, x, y: (lambda p: 1 - 2 * torch.where(y, p, 0.0).sum(1) / (p.sum(1) + y.sum(1)))(torch.sigmoid(x)),
     lambda np, x, y: (lambda p: 1 - 2 * np.where(y, p, 0).sum(axis=1) / (p.sum(axis=1) + y.sum(axis=1)))(1
         / (1 + np.exp(-x))),
     "14*B*P", "f32[B]")

case("mean_squared_gradient", dict(N=20011, C=2048), dict(N=5, C=7), dict(x="f32[N,C]", y="f32[N,C]"),
     "grad(mean(square(x - y)), x)",
     lambda torch, x, y: 2 * (x - y) / x.numel(),
     lambda np, x, y: 2 * (x - y) / x.size,
     "2*N*C", "f32[N,C]")

case("logistic_gradient", dict(N=1000003, C=64), dict(N=7, C=5),
     dict(x="f32[N,C]", w="f32[C] -0.1..0.1", y="f32[N] 0..1"),
     "sum(x * (sigmoid(sum(x * w, axis=1)) - y)(all, newaxis), axis=0)",
     lambda torch, x, w, y: (torch.sigmoid(x @ w) - y) @ x,
     lambda np, x, w, y: (x * (1 / (1 + np.exp(-(x * w).sum(axis=1))) - y)[:, None]).sum(axis=0),
     "4*N*C", "f32[C]", tolerance=1e-4)

case("contrastive_logits", dict(N=4096, M=8192), dict(N=5, M=7), dict(x="f16[N,M]"),
     "pack(mean(logsumexp(astype<float>(x) * 14.f, axis=1)), mean(logsumexp(astype<float>(x) * 14.f, axis=0)))",
     lambda torch, x: (torch.logsumexp(x.float() * 14, 1).mean(), torch.logsumexp(x.float() * 14, 0).mean()),
     lambda np, x: tuple((lambda m: (np.log(np.exp(14 * x - m).sum(axis=a, keepdims=True)) + m).mean())((14
         * x).max(axis=a, keepdims=True)) for a in (1, 0)),
     "12*N*M", ("f32[]", "f32[]"))
