// Three kernels to one: the scores, their softmax and the product with it. What the first two store is as large as the
// scores are; the one kernel stores none of it.
#include <codegen/schedule/online.hpp>

#include <codegen/ir/verify.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/transforms/chain.hpp>
#include <codegen/transforms/pass.hpp>

#include <limits>
#include <utility>

namespace sinter::codegen {
namespace {

/// Arrays of their own are aligned: what other alignments cost is little, and the same for one kernel and for three.
std::vector<int> aligned(const loop_nest& k) { return std::vector<int>(k.inputs.size() + k.outputs.size(), 16); }

/// Of a product of halves, by a library or by a kernel.
double product_seconds(const loop_nest& k, const machine& m) {
    if (const std::optional<gemm> by_library = as_gemm(k)) return library_seconds(*by_library, m);
    const std::optional<schedule> by_kernel = schedule_tensor(k, m, aligned(k));
    return by_kernel ? tensor_seconds(k, *by_kernel, m) : std::numeric_limits<double>::infinity();
}

class chaining {
public:
    chaining(std::vector<loop_nest>& all, int leaf_count, const machine& on)
        : kernels(all), leaves(leaf_count), m(on) {}

    /// Whether it has made one of three.
    bool run() {
        for (int last = 0; last < count(); ++last) {
            if (!tensor_factors_of(at(last))) continue;
            for (int middle = 0; middle < last; ++middle) {
                if (reader_of(middle) != last || at(middle).loops.size() != 3) continue;
                for (int first = 0; first < middle; ++first)
                    if (reader_of(first) == middle && tensor_factors_of(at(first)) && join(first, middle, last))
                        return true;
            }
        }
        return false;
    }

private:
    int count() const { return static_cast<int>(kernels.size()); }
    const loop_nest& at(int k) const { return kernels[static_cast<std::size_t>(k)]; }
    int leaf_of(int k) const { return leaves + temporaries_before(kernels, k); }
    /// The only kernel that reads what another one stores for it alone; -1 where there is none.
    int reader_of(int k) const {
        return at(k).outputs.size() == 1 && at(k).results.empty() ? only_reader(kernels, leaf_of(k)) : -1;
    }

    bool join(int first, int middle, int last) {
        const std::optional<loop_nest> nested = nest(at(first), at(middle), leaf_of(first));
        std::optional<loop_nest> chained = nested ? chain(*nested, at(last), leaf_of(middle)) : std::nullopt;
        if (!chained) return false;
        verify(*chained, "chain");
        const std::optional<schedule> s = schedule_online(*chained, m, aligned(*chained));
        if (!s) return false;
        const double between = predicted_seconds(at(middle), choose_schedule(at(middle), m, aligned(at(middle))), m);
        const double apart = product_seconds(at(first), m) + between + product_seconds(at(last), m);
        if (online_seconds(*chained, *s, m) >= apart) return false;
        kernels[static_cast<std::size_t>(last)] = std::move(*chained);
        drop_kernel(kernels, leaves, middle, -1);
        drop_kernel(kernels, leaves, first, -1);
        return true;
    }

    std::vector<loop_nest>& kernels;
    const int leaves;
    const machine& m;
};

}  // namespace

void chain_kernels(std::vector<loop_nest>& kernels, int leaves, const machine& m) {
    while (chaining(kernels, leaves, m).run()) {
    }
}

}  // namespace sinter::codegen
