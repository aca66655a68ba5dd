// A case of the corpus in the C++ program: its operands, and a call that evaluates its expression. generate.py writes
// the cases' files from the rows in domains/.
#pragma once

#include <bench/measure/data.hpp>
#include <sinter.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace corpus {

/// A result at bench::sampled_indices, as doubles; both parts of a complex element.
struct sampled {
    std::vector<double> values;
    std::int64_t unwritten = 0;  ///< elements that still hold the NaN they were set to
};

/// Elements of operand `seed`, and the number of NaNs among some elements. program.cpp instantiates them for each T of
/// the rows: they process hundreds of megabytes, and are compiled only once.
template <class T>
std::vector<T> made_numbers(std::uint32_t seed, std::int64_t n, double low, double high);
template <class T>
std::int64_t count_nan(const std::vector<T>& elements);

/// One case on given extents. A case's function sets the calls. Without a set of operands it can only be explained.
class problem {
public:
    problem(std::map<std::string, std::int64_t> extents, std::size_t sets)
        : extents_(std::move(extents)), sets_(sets) {}

    /// The extent of that name. Throws if there is none.
    std::int64_t operator[](const std::string& name) const;
    std::size_t sets() const { return sets_; }

    /// Operand `seed`, uniform in [low, high): integers are rounded down, bools are true or false, halves are rounded
    /// from float, complex elements use two consecutive numbers. One array per set.
    template <class T, int Rank>
    std::vector<sinter::array<T, Rank>> operand(std::uint32_t seed, const sinter::shape<Rank>& extents, double low,
                                                double high) const {
        std::vector<sinter::array<T, Rank>> made;
        if (sets_ == 0) {
            made.emplace_back(extents);  // of any values
            return made;
        }
        if constexpr (std::is_same_v<T, bool>) {
            const auto bytes = made_numbers<std::uint8_t>(seed, extents.size(), low, high + 1);
            const auto all = sinter::from_host(std::span<const std::uint8_t>(bytes), extents);
            for (std::size_t i = 0; i < sets_; ++i) made.emplace_back(all != 0);
        } else {
            const auto values = made_numbers<T>(seed, extents.size(), low, high);
            for (std::size_t i = 0; i < sets_; ++i)
                made.push_back(sinter::from_host(std::span<const T>(values), extents));
        }
        return made;
    }

    /// The computation: expression(x, ...) of the operands of a set; one expression, or a pack of expressions.
    template <class F, class... Operands>
    void compute(F expression, std::vector<Operands>... operands) {
        using made = decltype(expression(operands[0]...));
        auto results = std::make_shared<std::vector<decltype(places(std::declval<made>()))>>(sets_);
        auto inputs = std::make_shared<std::tuple<std::vector<Operands>...>>(std::move(operands)...);
        const auto at = [inputs, expression](std::size_t i) {
            return std::apply([&](const auto&... x) { return expression(x[i]...); }, *inputs);
        };
        evaluate = [at, results](std::size_t i) { assign((*results)[i], at(i)); };
        samples = [results] {
            return std::apply([](const auto&... x) { return std::vector<sampled>{sample(x)...}; }, (*results)[0]);
        };
        poison = [results] { std::apply([](auto&... x) { (spoil(x), ...); }, (*results)[0]); };
        explain = [at] { return sinter::explain(at(0)); };
    }

    std::function<void(std::size_t set)> evaluate;
    std::function<std::vector<sampled>()> samples;  ///< of the results of set 0
    std::function<void()> poison;                   ///< sets these to NaN, as far as they have one
    std::function<sinter::explanation()> explain;

private:
    template <class Tree>
    static auto places(const sinter::expr<Tree>&) {
        return std::tuple<sinter::array<sinter::element_t<Tree::type>, Tree::rank>>();
    }
    template <class T, int Rank>
    static auto places(const sinter::array<T, Rank>&) {
        return std::tuple<sinter::array<T, Rank>>();
    }
    template <class... Trees>
    static auto places(const sinter::detail::packed<Trees...>&) {
        return std::tuple<sinter::array<sinter::element_t<Trees::type>, Trees::rank>...>();
    }

    template <class... Arrays, class E>
    static void assign(std::tuple<Arrays...>& to, E&& e) {
        if constexpr (sizeof...(Arrays) == 1)
            std::get<0>(to) = std::forward<E>(e);
        else
            std::apply([&](auto&... x) { sinter::tie(x...) = std::forward<E>(e); }, to);
    }

    template <class T, int Rank>
    static void spoil(sinter::array<T, Rank>& x) {
        if constexpr (!std::is_integral_v<T>) x = sinter::full(x.shape(), static_cast<T>(std::nanf("")));
    }

    template <class T, int Rank>
    static sampled sample(const sinter::array<T, Rank>& x) {
        sampled s;
        if (x.size() == 0) return s;
        const auto all = sinter::to_host(x);
        s.unwritten = count_nan(all);
        for (const std::int64_t i : bench::sampled_indices(x.size())) {
            const auto v = all[static_cast<std::size_t>(i)];
            if constexpr (sinter::is_complex(sinter::dtype_of<T>)) {
                s.values.push_back(static_cast<double>(v.real()));
                s.values.push_back(static_cast<double>(v.imag()));
            } else {
                s.values.push_back(static_cast<double>(v));
            }
        }
        return s;
    }

    std::map<std::string, std::int64_t> extents_;
    std::size_t sets_;
};

/// A row of the corpus.
struct row {
    const char* extents;  ///< those of the test, "N=7,C=5"
    double tolerance;     ///< of the largest |reference|
    void (*make)(problem&);
};

/// Registers a case with the program, under its name.
struct registration {
    registration(const char* name, const row& r);
};

}  // namespace corpus
