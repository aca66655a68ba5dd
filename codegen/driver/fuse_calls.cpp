// Fuses calls with their elementwise neighbours.
#include <codegen/driver/fuse_calls.hpp>

#include <codegen/analysis/aliasing.hpp>
#include <codegen/analysis/op_traits.hpp>
#include <codegen/cost/call_cost.hpp>
#include <codegen/cost/traffic.hpp>
#include <codegen/driver/make_kernel.hpp>
#include <codegen/ir/element_functions.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Functions that an element function may call. A call's kernel has a copy of it for each element of a thread, which
/// costs compile time and registers.
constexpr int max_function_calls = 4;

/// Whether results that are rounded to float16 depend on the flags for these: sums and products do not.
bool rounds(const loop_nest& k) {
    return std::any_of(k.values.begin(), k.values.end(), [](const value& v) {
        return v.op != nullptr && (traits_of(*v.op).functions > 0 || traits_of(*v.op).divisions > 0);
    });
}

/// About the bytes of a function's parameters: a kernel may have 4096.
constexpr std::size_t max_parameter_bytes = 3072;
std::size_t parameter_bytes(const loop_nest& call) {
    std::size_t count = 0;
    for (const loop_nest& k : call.element_functions)
        count += k.inputs.size() + k.outputs.size() + 2 * k.scalars.size() + (k.layouts.size() + 3) * k.outer.size();
    return 8 * count;
}

class call_fuser {
public:
    call_fuser(std::vector<loop_nest>& all, int leaf_count, const target& for_device, bool fast_math,
               std::string* trace)
        : kernels_(all), leaves_(leaf_count), to_(for_device), fast_math_(fast_math), trace_(trace) {}

    void run() {
        for (int c = 0; c < count(); ++c) {
            if (!accepts_functions(at(c))) continue;
            for (int o = 0; o < static_cast<int>(at(c).call->operands.size()); ++o) c -= fuse_operand(c, o);
            c -= fuse_result(c);
        }
    }

private:
    int count() const { return static_cast<int>(kernels_.size()); }
    loop_nest& at(int k) { return kernels_[static_cast<std::size_t>(k)]; }

    /// Whether our own kernels compute a call, by elements.
    bool accepts_functions(const loop_nest& k) const {
        if (!k.call || k.call->callee->body->by_element == nullptr || stores_nothing(k)) return false;
        call_site plain = *k.call;
        plain.computed = plain.consumed = 0;
        return !to_.library_function || !to_.library_function(plain);
    }

    /// The elementwise kernel that stores a leaf, and which of its outputs that is.
    struct maker {
        int kernel = -1;
        std::size_t output = 0;
    };

    /// The maker of a leaf that only `reader` reads, once; none if it is a result, too.
    std::optional<maker> only_maker(int leaf, int reader) {
        const auto of_leaf = [leaf](const kernel_input& in) { return in.leaf == leaf; };
        if (std::count_if(at(reader).inputs.begin(), at(reader).inputs.end(), of_leaf) != 1) return std::nullopt;
        if (only_reader(kernels_, leaf) != reader) return std::nullopt;
        const std::vector<std::vector<int>> stored = stored_leaves(kernels_, leaves_);
        for (int k = 0; k < reader; ++k) {
            const std::vector<int>& of_kernel = stored[static_cast<std::size_t>(k)];
            const auto found = std::find(of_kernel.begin(), of_kernel.end(), leaf);
            if (found == of_kernel.end()) continue;
            const auto output = static_cast<std::size_t>(found - of_kernel.begin());
            const bool is_result = !at(k).results.empty() && at(k).results[output] >= 0;
            if (is_result || !is_elementwise(at(k))) return std::nullopt;
            return maker{k, output};
        }
        return std::nullopt;
    }

    /// Returns the number of kernels before the call that are gone.
    int fuse_operand(int c, int operand) {
        const call_site& call = *at(c).call;
        const bool by_element = call.callee->body->by_element(call).operands >> operand & 1;
        if (!by_element || is_computed(call, operand)) return 0;
        const int leaf = at(c).inputs[static_cast<std::size_t>(array_input(call, operand))].leaf;
        const std::optional<maker> made_by = leaf < leaves_ ? std::nullopt : only_maker(leaf, c);
        if (!made_by) return 0;
        const loop_nest& whole = at(made_by->kernel);
        std::vector<char> own(whole.outputs.size(), 0), others(whole.outputs.size(), 1);
        own[made_by->output] = 1;
        others[made_by->output] = 0;
        const bool is_alone = whole.outputs.size() == 1;
        const loop_nest part = is_alone ? whole : with_outputs(whole, own);
        std::optional<loop_nest> both = with_computed_operand(at(c), operand, part);
        if (!both) return 0;
        std::optional<loop_nest> rest;
        if (!is_alone) rest = with_outputs(whole, others);
        if (!pays(*both, at(c), part, seconds_of(whole) - (rest ? seconds_of(*rest) : 0))) return 0;
        if (is_alone) {
            take(c, std::move(*both), made_by->kernel);
            return 1;
        }
        std::vector<std::vector<int>> before = stored_leaves(kernels_, leaves_);
        std::vector<int>& of_maker = before[static_cast<std::size_t>(made_by->kernel)];
        of_maker.erase(of_maker.begin() + static_cast<std::ptrdiff_t>(made_by->output));
        at(made_by->kernel) = std::move(*rest);
        at(c) = std::move(*both);
        record(trace_, "fuse-call", at(c));
        renumber_leaves(kernels_, leaves_, before);
        return 0;
    }

    /// Returns 1 if another kernel is now at the call's place.
    int fuse_result(int c) {
        const call_site& call = *at(c).call;
        if (call.outputs.size() != 1 || !at(c).results.empty()) return 0;
        if ((call.callee->body->by_element(call).results >> call.outputs[0] & 1) == 0) return 0;
        const int leaf = stored_leaves(kernels_, leaves_)[static_cast<std::size_t>(c)][0];
        const int reader = only_reader(kernels_, leaf);
        if (reader < 0 || at(reader).call) return 0;
        std::optional<loop_nest> both = with_consumed_result(at(c), at(reader), leaf);
        if (!both || !pays(*both, at(c), at(reader), seconds_of(at(reader)))) return 0;
        take(reader, std::move(*both), c);
        return 1;
    }

    void take(int place, loop_nest both, int dropped) {
        at(place) = std::move(both);
        record(trace_, "fuse-call", at(place));
        drop_kernel(kernels_, leaves_, dropped, -1);
    }

    double seconds_of(const loop_nest& k) const {
        return time_of(k, choose_schedule(k, to_.device, {}), to_.device).total();
    }

    /// Whether a call with one more function takes less time than the kernels that then do without that function's
    /// work, `apart`.
    bool pays(const loop_nest& both, const loop_nest& call, loop_nest neighbour, double apart) const {
        if (function_calls(neighbour, group_level) > max_function_calls) return false;
        if (parameter_bytes(both) > max_parameter_bytes) return false;
        choose_precision(neighbour, fast_math_);
        if (neighbour.precision == arithmetic::fast || (rounds_to_halves(neighbour.precision) && rounds(neighbour)))
            return false;  // compiled with flags of its own
        return seconds_of_functions(both, to_.device) < seconds_of_functions(call, to_.device) + apart;
    }

    std::vector<loop_nest>& kernels_;
    const int leaves_;
    const target& to_;
    const bool fast_math_;
    std::string* const trace_;
};

}  // namespace

void fuse_calls(std::vector<loop_nest>& kernels, int leaves, const target& to, bool fast_math, std::string* trace) {
    call_fuser(kernels, leaves, to, fast_math, trace).run();
}

}  // namespace sinter::codegen
