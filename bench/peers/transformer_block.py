"""The transformer block of examples/transformer_block.cpp beside PyTorch's, in one run.

    python3 bench/peers/transformer_block.py --program build/release/examples/transformer_block

Both compute the forward pass, and the loss with the derivatives by the weights, in float16. PyTorch runs the block as
torch.compile makes it, with its own attention, which is cuDNN's or FlashAttention's. Milliseconds, medians.
"""

import argparse
import re
import statistics
import subprocess


def sinter(program, size):
    out = subprocess.run(
        [program, *(f"--{name}={n}" for name, n in size.items())], check=True, capture_output=True, text=True
    ).stdout
    print(out, end="")
    return [float(us) / 1000 for us in re.findall(r"^time +([0-9.]+) us", out, re.M)]


def torch_block(size):
    import torch
    from torch.nn import functional

    torch.manual_seed(1)
    batch, positions, features, heads = size.values()

    def normal(*shape, scale=1.0):
        return (torch.randn(*shape, device="cuda") * scale).half()

    square = [normal(features, features, scale=features**-0.5) for _ in range(4)]
    up = normal(features, 4 * features, scale=features**-0.5)
    down = normal(4 * features, features, scale=(4 * features) ** -0.5)
    gains = [normal(features) * 0.1 + 1 for _ in range(2)]
    weights = [gains[0], *square, up, down]
    x, target = normal(batch, positions, features), normal(batch, positions, features)

    def normalised(x, gain):
        return functional.rms_norm(x, (features,), gain, 1e-5)

    def heads_of(x):
        return x.view(batch, positions, heads, features // heads).transpose(1, 2)

    def block(x):
        query, key, value, output = square
        h = normalised(x, gains[0])
        mixed = functional.scaled_dot_product_attention(
            heads_of(h @ query), heads_of(h @ key), heads_of(h @ value), is_causal=True
        )
        y = x + mixed.transpose(1, 2).reshape(batch, positions, features) @ output
        return y + functional.gelu(normalised(y, gains[1]) @ up) @ down

    def loss():
        return (block(x).float() - target).square().mean()

    forward, compiled_loss = torch.compile(block), torch.compile(loss)

    def step():
        for w in weights:
            w.grad = None
        compiled_loss().backward()

    def median(f):
        for _ in range(5):
            f()
        times = []
        for _ in range(30):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            f()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)

    with torch.no_grad():
        of_forward = median(lambda: forward(x))
    for w in weights:
        w.requires_grad_(True)
    return [of_forward, median(step)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="examples/transformer_block")
    for name, n in {"batch": 4, "positions": 2048, "features": 1024, "heads": 16}.items():
        parser.add_argument(f"--{name}", type=int, default=n)
    args = parser.parse_args()
    size = {name: getattr(args, name) for name in ("batch", "positions", "features", "heads")}
    ours, theirs = sinter(args.program, size), torch_block(size)
    for what, own, other in zip(("forward", "loss and derivatives"), ours, theirs):
        print(f"{what:21} Sinter {own:.3f} ms, torch.compile {other:.3f} ms, ratio {other / own:.2f}")


if __name__ == "__main__":
    main()
