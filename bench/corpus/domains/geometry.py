"""Geometry: points, vectors and matrices of three and four components, interleaved and as planes."""
import table

case = table.domain(__name__)


def sphere(sqrt, where, o, d):
    b = (o * d).sum(1)
    h = b * b - (o * o).sum(1) + 9
    return where(h > 0, -b - sqrt(where(h > 0, h, 0 * h)), 0 * h - 1)


def haversine(np, a, b, c, d):
    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return 12742 * (np.arcsin if hasattr(np, "arcsin") else np.asin)(np.sqrt(h))


def crossed(stack, a, b):
    return stack([a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1], a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
                  a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]], 1)

case("normalise_vectors", dict(N=33554432,), dict(N=9,), dict(v="f32[N,3] 0.1..1"),
     "v / norm(v, axis=1, keepdims)",
     lambda torch, v: v / torch.linalg.vector_norm(v, dim=1, keepdim=True),
     lambda np, v: v / np.sqrt((v * v).sum(axis=1, keepdims=True)),
     "9*N", "f32[N,3]")

case("cross_products", dict(N=20000003,), dict(N=9,), dict(a="f32[N,3]", b="f32[N,3]"),
     "stack(a(all, 1) * b(all, 2) - a(all, 2) * b(all, 1), a(all, 2) * b(all, 0) - a(all, 0) * b(all, 2), a(all, 0) "
     "* b(all, 1) - a(all, 1) * b(all, 0), axis=1)",
     lambda torch, a, b: crossed(torch.stack, a, b),
     lambda np, a, b: crossed(np.stack, a, b),
     "9*N", "f32[N,3]")

case("transform_points", dict(N=20000003,), dict(N=9,), dict(p="f32[N,3]", m="f32[3,3]", t="f32[3]"),
     "sum(p(all, newaxis, all) * m, axis=2) + t",
     lambda torch, p, m, t: p @ m.T + t,
     lambda np, p, m, t: p @ m.T + t,
     "18*N", "f32[N,3]")

case("transform_batches_4x4", dict(B=2000003,), dict(B=5,), dict(m="f32[B,4,4]", v="f32[B,4]"),
     "sum(m * v(all, newaxis, all), axis=2)",
     lambda torch, m, v: (m * v[:, None, :]).sum(2),
     lambda np, m, v: (m * v[:, None, :]).sum(axis=2),
     "32*B", "f32[B,4]")

case("multiply_3x3_batches", dict(B=4000037,), dict(B=5,), dict(a="f32[B,3,3]", b="f32[B,3,3]"),
     "matmul(a, b)",
     lambda torch, a, b: a @ b,
     lambda np, a, b: a @ b,
     "45*B", "f32[B,3,3]")

case("sphere_hits", dict(N=16777216,), dict(N=9,), dict(o="f32[N,3]", d="f32[N,3] -1..1"),
     "auto b = sum(o * d, axis=1); auto h = b * b - sum(o * o, axis=1) + 9.f; "
     "return where(h > 0, -b - sqrt(maximum(h, 0)), -1.f);",
     lambda torch, o, d: sphere(torch.sqrt, torch.where, o, d),
     lambda np, o, d: sphere(np.sqrt, np.where, o, d),
     "16*N", "f32[N]")

case("bounding_box", dict(N=50000017,), dict(N=9,), dict(p="f32[N,3]"),
     "pack(min(p, axis=0), max(p, axis=0))",
     lambda torch, p: (p.amin(0), p.amax(0)),
     lambda np, p: (p.min(axis=0), p.max(axis=0)),
     "6*N", ("f32[3]", "f32[3]"))

case("rotate_by_quaternions", dict(N=16777216,), dict(N=9,),
     dict(w="f32[N]", x="f32[N]", y="f32[N]", z="f32[N]", a="f32[N]", b="f32[N]", c="f32[N]"),
     "auto p = 2 * (y * c - z * b); auto q = 2 * (z * a - x * c); auto r = 2 * (x * b - y * a); "
     "return pack(a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p);",
     lambda torch, w, x, y, z, a, b, c: rotated(w, x, y, z, a, b, c),
     lambda np, w, x, y, z, a, b, c: rotated(w, x, y, z, a, b, c),
     "30*N", ("f32[N]",) * 3)

case("great_circle_distances", dict(N=20000003,), dict(N=9,),
     dict(a="f32[N] -1.5..1.5", b="f32[N] -3..3", c="f32[N] -1.5..1.5", d="f32[N] -3..3"),
     "12742.f * asin(sqrt(square(sin((c - a) * 0.5f)) + cos(a) * cos(c) * square(sin((d - b) * 0.5f))))",
     lambda torch, a, b, c, d: haversine(torch, a, b, c, d),
     lambda np, a, b, c, d: haversine(np, a, b, c, d),
     "90*N", "f32[N]", tolerance=1e-4)

case("triangle_areas", dict(F=8388608, V=4000037), dict(F=9, V=7),
     dict(p="f32[V,3]", i="i32[F] 0..V", j="i32[F] 0..V", k="i32[F] 0..V"),
     "auto a = take(p, j, axis=0) - take(p, i, axis=0); auto b = take(p, k, axis=0) - take(p, i, axis=0); "
     "auto x = [](const auto& v, int c) { return v(all, c); }; "
     "return 0.5f * sqrt(square(x(a, 1) * x(b, 2) - x(a, 2) * x(b, 1)) + square(x(a, 2) * x(b, 0) - x(a, 0) * x(b, "
     "2)) + square(x(a, 0) * x(b, 1) - x(a, 1) * x(b, 0)));",
     lambda torch, p, i, j, k: 0.5 * torch.sqrt((crossed(torch.stack, p[j] - p[i], p[k] - p[i]) ** 2).sum(1)),
     lambda np, p, i, j, k: 0.5 * np.sqrt((crossed(np.stack, p[j] - p[i], p[k] - p[i]) ** 2).sum(axis=1)),
     "20*F", "f32[F]")

case("centroid_and_spread", dict(B=8192, N=1024), dict(B=3, N=5), dict(p="f32[B,N,3]"),
     "auto c = mean(p, axis=1, keepdims); return pack(mean(p, axis=1), mean(sum(square(p - c), axis=2), axis=1));",
     lambda torch, p: (p.mean(1), ((p - p.mean(1, keepdim=True)) ** 2).sum(2).mean(1)),
     lambda np, p: (p.mean(axis=1), ((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=2).mean(axis=1)),
     "12*B*N", ("f32[B,3]", "f32[B]"))


def rotated(w, x, y, z, a, b, c):
    p, q, r = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p
