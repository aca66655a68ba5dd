"""Time series: differences, rolling windows by running sums, drawdowns, lags, calendars, long scans."""
import table

case = table.domain(__name__)

case("log_returns", dict(B=512, N=131073), dict(B=2, N=9), dict(p="f32[B,N] 0.5..1.5"),
     "log(p(all, range(1, end)) / p(all, range(0, -1)))",
     lambda torch, p: torch.log(p[:, 1:] / p[:, :-1]),
     lambda np, p: np.log(p[:, 1:] / p[:, :-1]),
     "2*B*N", "f32[B,N-1]")

case("moving_average_50", dict(B=1024, N=32768), dict(B=2, N=60), dict(x="f64[B,N]"),
     "auto c = cumsum(x, axis=1); return (c(all, range(50, end)) - c(all, range(0, -50))) * 0.02;",
     lambda torch, x: (lambda c: (c[:, 50:] - c[:, :-50]) * 0.02)(torch.cumsum(x, 1)),
     lambda np, x: (lambda c: (c[:, 50:] - c[:, :-50]) * 0.02)(np.cumsum(x, axis=1)),
     "3*B*N", "f64[B,N-50]", tolerance=1e-10)

case("drawdown", dict(B=4096, N=5040), dict(B=3, N=9), dict(p="f32[B,N] 0.5..1.5"),
     "min(p / cummax(p, axis=1) - 1.f, axis=1)",
     lambda torch, p: (p / torch.cummax(p, 1).values - 1).amin(1),
     lambda np, p: (p / running_max(np, p) - 1).min(axis=1),
     "3*B*N", "f32[B]")

case("autocovariance_lag", dict(B=2048, N=20011), dict(B=2, N=30), dict(x="f32[B,N]"),
     "auto d = x - mean(x, axis=1, keepdims); return mean(d(all, range(7, end)) * d(all, range(0, -7)), axis=1);",
     lambda torch, x: (lambda d: (d[:, 7:] * d[:, :-7]).mean(1))(x - x.mean(1, keepdim=True)),
     lambda np, x: (lambda d: (d[:, 7:] * d[:, :-7]).mean(axis=1))(x - x.mean(axis=1, keepdims=True)),
     "4*B*N", "f32[B]")

case("weekday_anomaly", dict(B=2000, W=521), dict(B=2, W=4), dict(x="f32[B,W,7]"),
     "x - mean(x, axis=1, keepdims)",
     lambda torch, x: x - x.mean(1, keepdim=True),
     lambda np, x: x - x.mean(axis=1, keepdims=True),
     "14*B*W", "f32[B,W,7]")

case("resample_hours_to_days", dict(D=36500, S=100), dict(D=3, S=4), dict(x="f32[24*D,S]"),
     "auto y = reshape(x, {D, 24, S}); return pack(mean(y, axis=1), min(y, axis=1), max(y, axis=1));",
     lambda torch, x, D, S: (lambda y: (y.mean(1), y.amin(1), y.amax(1)))(x.reshape(D, 24, S)),
     lambda np, x, D, S: (lambda y: (y.mean(axis=1), y.min(axis=1), y.max(axis=1)))(x.reshape(D, 24, S)),
     "72*D*S", ("f32[D,S]",) * 3)

case("long_running_sum_f64", dict(N=33554467,), dict(N=31,), dict(x="f64[N] 0..1"),
     "cumsum(x)",
     lambda torch, x: torch.cumsum(x, 0),
     lambda np, x: np.cumsum(x),
     "N", "f64[N]")

case("running_sum_down", dict(N=20011, C=4096), dict(N=6, C=5), dict(x="f32[N,C]"),
     "cumsum(x, axis=0)",
     lambda torch, x: torch.cumsum(x, 0),
     lambda np, x: np.cumsum(x, axis=0),
     "N*C", "f32[N,C]", tolerance=1e-4)

case("growth_of_returns", dict(B=8192, N=2520), dict(B=2, N=9), dict(r="f32[B,N] -0.02..0.02"),
     "cumprod(1.f + r, axis=1)",
     lambda torch, r: torch.cumprod(1 + r, 1),
     lambda np, r: np.cumprod(1 + r, axis=1),
     "2*B*N", "f32[B,N]", tolerance=1e-4)

case("gains_and_losses", dict(B=8192, N=4097), dict(B=2, N=9), dict(p="f32[B,N]"),
     "auto d = p(all, range(1, end)) - p(all, range(0, -1)); return sum(maximum(d, 0), axis=1) / sum(abs(d), axis=1);",
     lambda torch, p: (lambda d: torch.relu(d).sum(1) / d.abs().sum(1))(p[:, 1:] - p[:, :-1]),
     lambda np, p: (lambda d: np.maximum(d, 0).sum(axis=1) / np.abs(d).sum(axis=1))(p[:, 1:] - p[:, :-1]),
     "5*B*N", "f32[B]")

case("fill_with_mean", dict(B=30011, N=1000), dict(B=2, N=9), dict(x="f32[B,N]", m="b[B,N]"),
     "where(m, x, sum(where(m, x, 0.f), axis=1, keepdims) / sum(m, axis=1, keepdims))",
     lambda torch, x, m: torch.where(m, x, torch.where(m, x, 0.0).sum(1, keepdim=True) / m.sum(1, keepdim=True)),
     lambda np, x, m: np.where(m, x, np.where(m, x, 0).sum(axis=1, keepdims=True) / m.sum(axis=1, keepdims=True)),
     "4*B*N", "f32[B,N]")

case("cross_section_ranks_demeaned", dict(N=5040, C=3001), dict(N=3, C=7), dict(x="f32[N,C]", g="f32[C] 0.5..1.5"),
     "(x - mean(x, axis=1, keepdims)) * g / sqrt(mean(square(x), axis=1, keepdims))",
     lambda torch, x, g: (x - x.mean(1, keepdim=True)) * g / torch.sqrt((x * x).mean(1, keepdim=True)),
     lambda np, x, g: (x - x.mean(axis=1, keepdims=True)) * g / np.sqrt((x * x).mean(axis=1, keepdims=True)),
     "7*N*C", "f32[N,C]")


def running_max(np, x):
    if np.__name__ == "numpy":
        return np.maximum.accumulate(x, axis=1)
    import jax
    return jax.lax.cummax(x, axis=1)
