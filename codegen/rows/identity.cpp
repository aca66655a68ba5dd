// Reads the identity of a reduction from the row's loops.
#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/identity.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>

#include <cstring>

namespace sinter::codegen {

ir::scalar_bits identity_of(const op_row& row, dtype type) {
    const detail::host_loops loops = loops_of(row, type);
    if (loops.identity == nullptr)
        throw error(
            fmt::format("'{}' is not a reduction and has no identity: use a row of the REDUCTION kind", row.name));
    ir::scalar_bits bits;
    if (size_of(type) > sizeof bits)
        throw error(fmt::format("internal error, please report it: the identity of '{}' in {} is not a scalar",
                                row.name, name(type)));
    std::memcpy(&bits, loops.identity, size_of(type));
    return bits;
}

}  // namespace sinter::codegen
