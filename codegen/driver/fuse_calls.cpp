// Fuses calls with their elementwise neighbours.
#include <codegen/driver/fuse_calls.hpp>

#include <codegen/analysis/aliasing.hpp>
#include <codegen/analysis/op_traits.hpp>
#include <codegen/cost/call_cost.hpp>
#include <codegen/cost/traffic.hpp>
#include <codegen/driver/make_kernel.hpp>
#include <codegen/ir/element_functions.hpp>
#include <codegen/schedule/forms.hpp>
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

    /// The kernel that stores a leaf and nothing else, if only `reader` reads it; else -1.
    int only_maker(int leaf, int reader) {
        const std::vector<std::vector<int>> stored = stored_leaves(kernels_, leaves_);
        for (int k = 0; k < reader; ++k) {
            if (stored[static_cast<std::size_t>(k)] != std::vector<int>{leaf}) continue;
            const auto of_leaf = [leaf](const kernel_input& in) { return in.leaf == leaf; };
            const bool is_once = std::count_if(at(reader).inputs.begin(), at(reader).inputs.end(), of_leaf) == 1;
            return at(k).results.empty() && is_once && only_reader(kernels_, leaf) == reader ? k : -1;
        }
        return -1;
    }

    /// Returns the number of kernels before the call that are gone.
    int fuse_operand(int c, int operand) {
        const call_site& call = *at(c).call;
        const bool by_element = call.callee->body->by_element(call).operands >> operand & 1;
        if (!by_element || is_computed(call, operand)) return 0;
        const int leaf = at(c).inputs[static_cast<std::size_t>(array_input(call, operand))].leaf;
        const int maker = leaf < leaves_ ? -1 : only_maker(leaf, c);
        if (maker < 0) return 0;
        std::optional<loop_nest> both = with_computed_operand(at(c), operand, at(maker));
        if (!both || !pays(*both, at(c), at(maker))) return 0;
        take(c, std::move(*both), maker);
        return 1;
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
        if (!both || !pays(*both, at(c), at(reader))) return 0;
        take(reader, std::move(*both), c);
        return 1;
    }

    void take(int place, loop_nest both, int dropped) {
        at(place) = std::move(both);
        record(trace_, "fuse-call", at(place));
        drop_kernel(kernels_, leaves_, dropped, -1);
    }

    /// Whether a call with one more function takes less time than with the function as a kernel of its own.
    bool pays(const loop_nest& both, const loop_nest& call, loop_nest neighbour) const {
        if (function_calls(neighbour, group_level) > max_function_calls) return false;
        choose_precision(neighbour, fast_math_);
        if (neighbour.precision == arithmetic::fast || (neighbour.precision == arithmetic::half && rounds(neighbour)))
            return false;  // compiled with flags of its own
        const double apart = time_of(neighbour, choose_schedule(neighbour, to_.device, {}), to_.device).total();
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
