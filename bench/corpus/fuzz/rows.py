"""Random programs as rows of the corpus: the text of bench/corpus/domains/*.py."""
import pathlib
import tempfile

import grow
import table
import values

HEADING = '''"""{title}"""
import table

case = table.domain(__name__)
'''


def operand_text(value):
    if value.dtype == "i64":
        return f"i64[{','.join(value.extents)}] 0..V"
    return f"{value.dtype}[{','.join(value.extents)}]"


def reads(used):
    """What must be read, if it is not every operand once: a gather reads the rows that it selects, at most all."""
    tables = {v.inputs[0] for v in used if v.row == "take"}
    if not tables:
        return None
    terms = []
    for v in used:
        if v.row == "operand":
            size = {"f64": 8, "i64": 8, "f32": 4, "f16": 2, "bf16": 2, "i16": 2, "u8": 1, "i8": 1}[v.dtype]
            elements = values.count(v.extents)
            if v in tables:
                selected = next(t for t in used if t.row == "take" and t.inputs[0] == v)
                elements = f"min({elements}, {values.count(selected.extents)})"
            terms.append(f"{size}*{elements}")
    return " + ".join(terms)


def small(dims):
    """Extents for a test of the row's counterparts."""
    return {name: size for name, size in zip(dims, (5, 7, 3, 4, 6))}


def row(name, results, operands, dims):
    """The text of one row. Operands that the results do not need are left out."""
    used = values.all_values(results)
    names = {v: n for v, n in operands.items() if v in used}
    axes = [a for a in dims if any(a in "".join(v.extents) for v in used)]
    dims = {a: dims[a] for a in axes}

    def text(language):
        """The results, with names for the values that are used more than once."""
        own, parts = dict(names), []
        for k, v in enumerate(values.shared(used)):
            parts.append((f"v{k}", values.written(v, own, language)))
            own[v] = f"v{k}"
        texts = [values.written(r, own, language) for r in results]
        whole = texts[0] if len(texts) == 1 else f"{'pack' if language == 'sinter' else ''}({', '.join(texts)})"
        if language == "sinter":
            return "".join(f"auto {n} = {t}; " for n, t in parts) + ("return " + whole + ";" if parts else whole)
        for n, t in reversed(parts):
            whole = f"(lambda {n}: {whole})({t})"
        return whole

    parameters = ", ".join(names.values())
    told = ", ".join(f'"{r.dtype}[{",".join(r.extents)}]"' for r in results)
    more = f", reads={reads(used)!r}" if reads(used) else ""
    if any(r.dtype == "i64" for r in results):
        more += ", tolerance=1e-9"
    columns = ", ".join(f'{n}="{operand_text(v)}"' for v, n in names.items())
    return (f'case("{name}", dict({", ".join(f"{a}={n}" for a, n in dims.items())}), '
            f'dict({", ".join(f"{a}={n}" for a, n in small(dims).items())}),\n'
            f"     dict({columns}),\n"
            f'     "{text("sinter")}",\n'
            f"     lambda torch, {parameters}: {text('torch')},\n"
            f"     lambda np, {parameters}: {text('numpy')},\n"
            f'     "{values.operations(used)}", ({told},){more})\n')


def of_seed(seed):
    return row(f"random_{seed}", *grow.program(seed))


def file_of(rows, title):
    return HEADING.format(title=title) + "\n" + "\n".join(rows)


def cases(seeds):
    """The programs of the seeds as cases of the corpus, by name."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "random_programs.py"
        file.write_text(file_of(map(of_seed, seeds), "Random programs."), encoding="utf-8")
        return {case.name: case for case in table.load(rows=file)}
