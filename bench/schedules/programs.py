#!/usr/bin/env python3
"""Writes programs for `planning FILE`, a line for each: the corpus with its measured extents, gradients, and random
programs of the performance fuzzer: programs.py [--random 300] [--seed 1] > FILE."""
import argparse
import pathlib
import sys

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "corpus"
sys.path[:0] = [str(CORPUS), str(CORPUS / "fuzz")]
import rows
import table

MLP = "relu(matmul(x, u) + b)"
GRADIENTS = [
    ("squares", "grad(mean(square(matmul(x, w) - y)), w)", "x:f32[512,64]", "w:f32[64]", "y:f32[512]"),
    ("logistic", "grad(mean(log1p(exp(-sum(x * w, axis=1)))), w)", "x:f32[100003,64]", "w:f32[64]"),
    ("softmax", "grad(sum(softmax(x * w, axis=1) * y), w)", "x:f32[8192,1000]", "w:f32[1000]", "y:f32[8192,1000]"),
    ("layer_norm", "value_and_grad(mean(square(layer_norm(x, axis=1) * w + b - y)), x, w, b)", "x:f32[4096,1024]",
     "w:f32[1024]", "b:f32[1024]", "y:f32[4096,1024]"),
    ("two_layers", f"value_and_grad(mean(square(matmul({MLP}, v) - y)), u, b, v)", "x:f32[4096,256]", "u:f32[256,512]",
     "b:f32[512]", "v:f32[512,32]", "y:f32[4096,32]"),
    ("classifier", f"value_and_grad(mean(logsumexp(matmul({MLP}, v), axis=1) - sum(matmul({MLP}, v) * y, axis=1)), "
     "u, b, v)", "x:f32[4096,256]", "u:f32[256,512]", "b:f32[512]", "v:f32[512,32]", "y:f32[4096,32]"),
    ("halves", f"value_and_grad(mean(square(matmul({MLP}, v) - y)), u, b, v)", "x:f16[4096,256]", "u:f16[256,512]",
     "b:f16[512]", "v:f16[512,32]", "y:f16[4096,32]"),
    ("attention", "value_and_grad(sum(matmul(softmax(matmul(q, transpose(k)) * 0.125, axis=1), v) * y), q, k, v)",
     "q:f16[2048,64]", "k:f16[2048,64]", "v:f16[2048,64]", "y:f16[2048,64]"),
]


def line(name, text):
    """A row's text as sinter-explain reads it, without its operands' ranges of values."""
    expression, *operands = text.split("\t")
    expression = expression.replace("sinter::", "").replace("static_cast<float>", "")
    return "\t".join([name, expression, *(o.split(" ")[0].replace(":b[", ":bool[") for o in operands)])


def random_programs(seed, count):
    """The performance fuzzer's programs, as cases of the corpus."""
    texts = [rows.of_seed(n) for n in range(seed, seed + count)]
    table.ALL.clear()
    exec(rows.file_of(texts, "Random programs."), {"__name__": "random"})
    return list(table.ALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cases = list(table.load(table.DOMAINS)) + random_programs(options.seed, options.random)
    for case in cases:
        print(line(case.name, case.as_text("1/1")))
    for name, expression, *operands in GRADIENTS:
        print("\t".join([f"gradient_{name}", expression, *operands]))


if __name__ == "__main__":
    main()
