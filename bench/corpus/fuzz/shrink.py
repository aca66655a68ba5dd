"""Smaller programs than a given one: an operand in place of a value, or a value's input in place of the value."""
import dataclasses

from values import ROWS, Value, all_values


def operand(extents, dtype, number):
    return Value("operand", (), (number,), extents, dtype)


def replaced(value, old, new):
    """The value with `new` in place of `old`, wherever it is used."""
    if value == old:
        return new
    if not value.inputs:
        return value
    return dataclasses.replace(value, inputs=tuple(replaced(v, old, new) for v in value.inputs))


def names(results):
    """Names for the operands of a program."""
    operands = [v for v in all_values(results) if v.row == "operand"]
    return dict(zip(operands, "xyzuvwpqrstabcdefgh"))


def computes(result):
    """Whether anything is computed: PyTorch's views alone take no time."""
    return any(v.inputs and ROWS[v.row].cost > 0 for v in all_values([result]))


def candidates(results):
    """Programs that are smaller, the smallest first."""
    found = {}
    if len(results) > 1:
        for r in results:
            found[(r,)] = True
    values = [v for v in all_values(results) if v.inputs]
    fresh = 1 + max((v.integers[0] for v in all_values(results) if v.row == "operand"), default=0)
    for v in values:
        others = [u for u in v.inputs if u.extents == v.extents and u.dtype == v.dtype]
        if v not in results and v.dtype not in ("i64",):
            others.append(operand(v.extents, v.dtype, fresh))
        for other in others:
            smaller = tuple(replaced(r, v, other) for r in results)
            if all(map(computes, smaller)):
                found[smaller] = True
    size = sum(r.size for r in results)
    smaller = [list(c) for c in found if sum(r.size for r in c) < size]
    return sorted(smaller, key=lambda c: sum(r.size for r in c))
