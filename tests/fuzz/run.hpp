// A case on a device: its arrays, its program, its result, and what is wrong with that.
#pragma once

#include <runtime/devices/device.hpp>
#include <sinter/evaluate.hpp>
#include <tests/fuzz/case.hpp>
#include <tests/fuzz/coverage.hpp>
#include <tests/fuzz/reference.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sinter::fuzz {

/// What came of a case.
enum class verdict : std::uint8_t {
    right,
    refused,   ///< with an error that the library documents for graphs like this one
    mismatch,  ///< a value that the reference does not admit, or memory that was written and must not be
    failure,   ///< an error that ought not to be
};

struct outcome {
    verdict what = verdict::right;
    std::string why;
    std::int64_t decided = 0, elements = 0;  ///< elements of the result of which the reference knows something
};

/// A case's arguments in a device's memory, ready to be evaluated. `c` and `expected`, the values
/// of its roots, must outlive it.
class placed_case {
public:
    placed_case(const fuzz_case& c, const std::vector<node_values>& expected, codegen::device& where);

    /// The program after each of the library's passes, as text.
    std::string passes() const;
    /// Evaluates and throws the result away: for devices that collect kernels first.
    outcome prepare();
    /// Evaluates and compares with the reference; where nothing is written in place, twice, to the same bits.
    outcome check();
    /// Counts the kernels that it runs.
    void count(coverage& into);

private:
    outcome guarded(const std::function<outcome()>& work);
    detail::arguments_view arguments() const {
        return {arguments_.data(), lowered_.scalars.data(), lowered_.integers.data()};
    }
    std::vector<detail::evaluation_result> places();
    std::vector<detail::evaluation_result> evaluate();
    std::vector<word> elements_of(const detail::storage& s, std::int64_t count) const;
    std::vector<word> elements_of(const detail::evaluation_result& r, const node_values& expected) const;
    outcome compare(const detail::evaluation_result& result, const node_values& expected) const;
    std::string spoiled_buffer(const detail::evaluation_result& last) const;

    const fuzz_case& c_;
    const std::vector<node_values>& expected_;
    codegen::device& where_;
    lowered_case lowered_;
    ir::program program_;
    detail::plan_slot slot_;
    std::vector<detail::storage_ref> buffers_;  ///< of each buffer: all of it
    std::vector<detail::storage_ref> leaves_;   ///< of each leaf of the case
    std::vector<detail::storage_ref> arguments_;
    detail::storage_ref target_;
    detail::region into_;
};

}  // namespace sinter::fuzz
