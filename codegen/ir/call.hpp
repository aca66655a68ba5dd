// Functions of whole arrays as the compiler and the devices know them.
//
// A function is a row: of include/sinter/call/table.def, which the templates read, and of runtime/functions/table.cpp,
// which has one of these implementations for it. Nothing else names a function.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/ir/node.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::codegen {

struct machine;
struct call_launches;
class device;
namespace gradient {
struct term;
class builder;
}  // namespace gradient

using call_integers = std::array<std::int64_t, ir::max_call_integers>;

/// An array as a call sees it: in row-major order, without gaps.
struct call_array {
    dtype type{};
    int rank = 0;
    std::array<std::int64_t, ir::max_rank> shape{};
    bool operator==(const call_array&) const = default;

    std::int64_t elements() const {
        std::int64_t n = 1;
        for (int a = 0; a < rank; ++a) n *= shape[static_cast<std::size_t>(a)];
        return n;
    }
    std::int64_t bytes() const { return elements() * static_cast<std::int64_t>(size_of(type)); }
};

/// One call: all that is known of it before there are pointers.
struct call_site {
    const ir::call_row* callee = nullptr;
    call_integers integers{};
    std::vector<call_array> operands;
    std::vector<call_array> results;  ///< of the function, whether they are wanted or not
    std::vector<int> outputs;         ///< the results that are wanted, in the order in which they are stored
    bool operator==(const call_site&) const = default;

    bool wants(int result) const {
        for (const int o : outputs)
            if (o == result) return true;
        return false;
    }
};

/// A call that a library of the device is ready to run. Used by any thread.
class library_function {
public:
    virtual ~library_function() = default;
    /// Runs on the present stream, and does not wait. `results` has null for those that are not wanted.
    virtual void run(const void* const* operands, void* const* results) const = 0;
};

/// A function of whole arrays. Its operands may be empty; a call none of whose results has elements does not run.
struct call_implementation {
    /// Dtype and shape of a result. Throws, in one line, for operands that the function refuses.
    call_array (*result)(const std::vector<call_array>& operands, const call_integers& integers, int result);
    /// Computes the results; null stands for one that is not wanted. No two arrays overlap. What it allocates it does
    /// before it writes.
    void (*host)(const call_site& call, const void* const* operands, void* const* results);
    /// The kernels that compute the results on a device, in order.
    call_launches (*kernels)(const call_site& call, const machine& m);
    /// The derivative by operand `operand`, given `g`, that by the result that node `call` is. Null: there is none.
    gradient::term (*gradient)(gradient::builder& b, int call, int operand, gradient::term g) = nullptr;
    /// Asks a library, opened at run time, for a call in place of the kernels; it gives null where it does not take it.
    std::unique_ptr<const library_function> (*library)(device& where, const call_site& call) = nullptr;
};

/// The arrays of a call's results.
std::vector<call_array> results_of(const ir::call_row& callee, const std::vector<call_array>& operands,
                                   const call_integers& integers);

}  // namespace sinter::codegen
