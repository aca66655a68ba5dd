// Functions of whole arrays as the compiler and the devices see them.
//
// A function is defined by two rows: one in include/sinter/call/table.def, which the templates read, and one in
// runtime/functions/table.cpp with its implementation. No other code names a function.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/ir/node.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::codegen {

struct device_properties;
struct call_launches;
class device;
namespace gradient {
struct term;
class builder;
}  // namespace gradient

using call_integers = std::array<std::int64_t, ir::max_call_integers>;

/// An array as a call sees it: contiguous, in row-major order.
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

/// One call: everything known about it before pointers are bound.
struct call_site {
    const ir::call_row* callee = nullptr;
    call_integers integers{};
    std::vector<call_array> operands;
    std::vector<call_array> results;  ///< all results of the function, wanted or not
    std::vector<int> outputs;         ///< indices of the wanted results, in the order in which they are stored
    /// Bit i: the kernels compute the elements of operand i, or pass on those of result i, instead of accessing an
    /// array (loop_nest::element_functions).
    std::uint32_t computed = 0, consumed = 0;
    bool operator==(const call_site&) const = default;

    bool wants(int result) const {
        for (const int o : outputs)
            if (o == result) return true;
        return false;
    }
};

/// A call prepared by a library of the device. Thread-safe.
class library_function {
public:
    virtual ~library_function() = default;
    /// Enqueues on the current stream without waiting. `results` is null for unwanted results.
    virtual void run(const void* const* operands, void* const* results) const = 0;
};

/// Which arrays of a call its kernels access one element at a time, so that element functions may stand for them.
struct element_access {
    std::uint32_t operands = 0;  ///< bit i: each element of operand i is read `reads` times, by all kernels together
    std::uint32_t results = 0;   ///< bit i: each element of result i is written once and not read
    double reads = 1;
};

/// Implements a function of whole arrays. Operands may be empty. A call without any result element is not run.
struct call_implementation {
    /// Infers dtype and shape of a result. Throws a one-line error if the function refuses the operands.
    call_array (*result)(const std::vector<call_array>& operands, const call_integers& integers, int result);
    /// Computes the results on the host; unwanted results are null. Arrays do not overlap. Allocates all its memory
    /// before its first write.
    void (*host)(const call_site& call, const void* const* operands, void* const* results);
    /// The kernels that compute the results on a device, in launch order.
    call_launches (*kernels)(const call_site& call, const device_properties& m);
    /// Derivative w.r.t. operand `operand`, given `g`, the derivative w.r.t. node `call`. Null: not differentiable.
    gradient::term (*gradient)(gradient::builder& b, int call, int operand, gradient::term g) = nullptr;
    /// Asks a library, opened at run time, to replace the kernels. Returns null for calls that it does not support.
    std::unique_ptr<const library_function> (*library)(device& where, const call_site& call) = nullptr;
    /// The arrays for which the kernels accept element functions. Null: none.
    element_access (*by_element)(const call_site& call) = nullptr;
};

/// Dtypes and shapes of all results of a call.
std::vector<call_array> results_of(const ir::call_row& callee, const std::vector<call_array>& operands,
                                   const call_integers& integers);

}  // namespace sinter::codegen
