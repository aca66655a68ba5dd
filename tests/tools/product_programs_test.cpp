// Random programs around products of halves and floats, on every device, against the same in double precision on the
// host: however they are cut into kernels, and whatever becomes of their products. SINTER_TEST_PROGRAMS and
// SINTER_TEST_SEED have more and others.
#include <tests/emulate/relative_error.hpp>
#include <tests/language/kept_slot.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/tools/product_programs.hpp>
#include <tools/explain/reader.hpp>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace sinter::spoken {
namespace {

using test::naive;

class programs_of_products : public test::on_devices {
protected:
    /// Elements of each operand, rounded to T.
    template <class T>
    static std::map<std::string, naive> operands(const test::product_programs& p, unsigned seed) {
        std::map<std::string, naive> made;
        for (const auto& [name, shape] : p.shapes()) {
            const test::index all(shape.begin(), shape.end());
            made[name] = test::map([](double v) { return static_cast<double>(static_cast<float>(T(float(v)))); },
                                   test::random(all, seed += 17, -1, 1));
        }
        return made;
    }

    template <class T>
    static sinter::detail::storage_ref stored(const naive& x) {
        std::vector<T> elements;
        for (const double v : x.values) elements.push_back(static_cast<T>(v));
        const sinter::detail::storage_ref array =
            sinter::detail::make_storage(dtype_of<T>, static_cast<int>(x.shape.size()), x.shape.data());
        sinter::detail::copy_from_host(array, elements.data());
        return array;
    }

    /// The results of a text whose operands are of T.
    template <class T>
    static std::vector<naive> evaluated(const std::string& text, const std::map<std::string, naive>& operands) {
        operand_table table;
        for (const auto& [name, x] : operands) table[name] = leaf_of(stored<T>(x));
        const std::vector<node_ref> roots = read_expression(text, table);
        const lowered program = lower(roots);
        std::vector<sinter::detail::evaluation_result> results;
        for (const node_ref& r : roots) results.push_back({.rank = r->rank, .extents = r->shape.data()});
        sinter::detail::evaluate(program.program(), test::kept_slot(), program.arguments(), results.data());
        std::vector<naive> found;
        for (std::size_t i = 0; i < roots.size(); ++i) {
            naive& x =
                found.emplace_back(test::index(roots[i]->shape.begin(), roots[i]->shape.begin() + roots[i]->rank));
            sinter::detail::with_dtype(roots[i]->type, [&]<dtype D>() {
                if constexpr (is_floating(D)) {
                    std::vector<element_t<D>> elements(x.values.size());
                    sinter::detail::copy_to_host(elements.data(), results[i].made);
                    for (std::size_t e = 0; e < elements.size(); ++e) x.values[e] = static_cast<double>(elements[e]);
                }
            });
        }
        return found;
    }

    template <class T>
    static void expect_right(int programs, double enough) {
        for (int n = 0; n < programs; ++n) {
            const auto seed = static_cast<std::uint32_t>(from_environment("SINTER_TEST_SEED", 1) + n);
            test::product_programs random(seed);
            const std::string text = random.text();
            SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
            const std::map<std::string, naive> operands = programs_of_products::operands<T>(random, seed);
            const std::vector<naive> found = evaluated<T>(text, operands);
            std::vector<naive> exact;
            {
                const device_scope on_host(host());
                exact = evaluated<double>(text, operands);
            }
            for (std::size_t r = 0; r < exact.size(); ++r)
                EXPECT_LT(test::relative_error(found[r], exact[r], least_mean), enough) << "result " << r;
        }
    }

    static constexpr double least_mean = 0.01;  ///< to which errors of smaller results are relative

    static long from_environment(const char* name, long otherwise) {
        const char* const given = std::getenv(name);
        return given != nullptr ? std::atol(given) : otherwise;
    }
    static int programs() {
        return static_cast<int>(from_environment("SINTER_TEST_PROGRAMS", test::emulated() ? 40 : 60));
    }
};

TEST_F(programs_of_products, of_float16) { expect_right<float16>(programs(), 0.04); }

TEST_F(programs_of_products, of_float32) { expect_right<float>(programs() / 2, 1e-4); }

TEST_F(programs_of_products, of_bfloat16) { expect_right<bfloat16>(programs() / 2, 0.3); }

}  // namespace
}  // namespace sinter::spoken
