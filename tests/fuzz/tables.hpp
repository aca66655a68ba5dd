// The tables of meanings: a file a kind of dtype.
#pragma once

#include <tests/fuzz/meaning.hpp>

#include <cstddef>
#include <cstring>

namespace sinter::fuzz {

struct meaning {
    const char* op;
    rule what;
};

template <std::size_t N>
rule find(const meaning (&rows)[N], const char* op) {
    for (const meaning& m : rows)
        if (std::strcmp(m.op, op) == 0) return m.what;
    return nullptr;
}

// The rules of an operation for operands of a kind; null where there is none.
rule floating_rule(const char* op);
rule stepwise_rule(const char* op);  ///< floating, too
rule integer_rule(const char* op);
rule complex_rule(const char* op);

/// What a complex product over these elements gives.
known complex_product(dtype type, const known* elements, std::size_t count);

}  // namespace sinter::fuzz
