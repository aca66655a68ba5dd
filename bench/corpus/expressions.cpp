// Measures programs that are given as text, for the performance fuzzer. It answers the commands of commands.hpp, where
// a problem is an expression and its operands with their ranges of values, separated by tabs:
//
//     load SETS x * b<TAB>x:f32[1000,3] -2..2<TAB>b:f32[3] 0.5..1.5
#include <bench/corpus/commands.hpp>
#include <bench/measure/data.hpp>
#include <runtime/devices/device.hpp>
#include <sinter/evaluate.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/request.hpp>

#include <codegen/transforms/pass.hpp>

#include <cstdio>
#include <sstream>

namespace corpus {

namespace {

using sinter::dtype;
using sinter::detail::storage_ref;

/// Calls f with a value of the dtype's element type.
template <class F>
auto with_element(dtype type, F f) {
    switch (type) {
        case dtype::uint8: return f(std::uint8_t());
        case dtype::int8: return f(std::int8_t());
        case dtype::int16: return f(std::int16_t());
        case dtype::int32: return f(std::int32_t());
        case dtype::int64: return f(std::int64_t());
        case dtype::float16: return f(sinter::float16());
        case dtype::bfloat16: return f(sinter::bfloat16());
        case dtype::float32: return f(float());
        case dtype::float64: return f(double());
        case dtype::complex64: return f(std::complex<float>());
        default: throw sinter::error("the fuzzer's programs have no operands or results of this dtype");
    }
}

/// An operand of a program: a leaf without memory, and the range of its values.
struct operand {
    storage_ref leaf;
    double low = 0, high = 1;
};

/// The number of elements.
std::size_t size_of(const storage_ref& array) {
    std::size_t size = 1;
    for (int a = 0; a < array->rank; ++a) size *= static_cast<std::size_t>(array->extents[a]);
    return size;
}

/// An array on the device with the values that operands.py computes, too.
storage_ref filled(const operand& of, std::uint32_t seed) {
    const storage_ref made = sinter::detail::make_storage(of.leaf->type, of.leaf->rank, of.leaf->extents);
    with_element(made->type, [&](auto element) {
        const auto size = static_cast<std::int64_t>(size_of(made));
        sinter::detail::copy_from_host(made, made_numbers<decltype(element)>(seed, size, of.low, of.high).data());
    });
    return made;
}

/// Appends an element as doubles: both parts of a complex one.
template <class T>
void add_parts(std::vector<double>& to, T element) {
    if constexpr (sinter::is_complex(sinter::dtype_of<T>)) {
        to.push_back(element.real());
        to.push_back(element.imag());
    } else {
        to.push_back(static_cast<double>(element));
    }
}

sampled samples_of(const storage_ref& result) {
    sampled s;
    with_element(result->type, [&](auto element) {
        std::vector<decltype(element)> all(size_of(result));
        sinter::detail::copy_to_host(all.data(), result);
        s.unwritten = count_nan(all);
        for (const std::int64_t i : bench::sampled_indices(static_cast<std::int64_t>(all.size())))
            add_parts(s.values, all[static_cast<std::size_t>(i)]);
    });
    return s;
}

/// A program on several sets of operands, and the results of each set.
struct evaluated {
    sinter::spoken::lowered text;
    std::vector<sinter::spoken::lowered> sets;
    std::vector<std::vector<storage_ref>> results;
    sinter::codegen::graph bound;  ///< the results' shapes
    sinter::detail::plan_slot slot;

    void evaluate(std::size_t set) {
        std::vector<sinter::detail::evaluation_result> made;
        for (std::size_t r = 0; r < bound.roots.size(); ++r) {
            const auto& node = bound.nodes[static_cast<std::size_t>(bound.roots[r].node)];
            made.push_back({node.rank, node.shape.data(), results[set][r] ? &results[set][r] : nullptr});
        }
        sinter::detail::evaluate(text.program(), slot, sets[set].arguments(), made.data());
        for (std::size_t r = 0; r < made.size(); ++r) results[set][r] = std::move(made[r].made);
    }
};

operand read_operand(const std::string& text, std::uintptr_t place, sinter::spoken::operand_table& table) {
    const auto space = text.find(' ');
    const auto [name, argument] = sinter::spoken::read_operand(text.substr(0, space), place);
    operand o;
    o.leaf = std::get<sinter::spoken::node_ref>(argument)->array;
    if (space != std::string::npos) std::sscanf(text.c_str() + space, " %lf..%lf", &o.low, &o.high);
    table.emplace(name, argument);
    return o;
}

problem spoken(const std::string& line, std::size_t count) {
    std::istringstream parts(line);
    std::string expression;
    std::getline(parts, expression, '\t');
    sinter::spoken::operand_table table;
    std::vector<operand> operands;
    for (std::string text; std::getline(parts, text, '\t');)
        operands.push_back(read_operand(text, operands.size(), table));

    auto all = std::make_shared<evaluated>();
    all->text = sinter::spoken::lower(sinter::spoken::read_expression(expression, table));
    all->bound = sinter::codegen::bind(all->text.program(), all->text.arguments());
    all->results.assign(count, std::vector<storage_ref>(all->bound.roots.size()));
    for (std::size_t set = 0; set < count; ++set) {
        std::map<const void*, storage_ref> arrays;
        for (std::size_t k = 0; k < operands.size(); ++k)
            arrays[operands[k].leaf->data] = filled(operands[k], static_cast<std::uint32_t>(k));
        all->sets.push_back(all->text);
        for (storage_ref& leaf : all->sets.back().leaves) leaf = arrays.at(leaf->data);
    }

    problem p({}, count);
    p.evaluate = [all](std::size_t set) { all->evaluate(set); };
    p.samples = [all] {
        std::vector<sampled> found;
        for (const storage_ref& result : all->results[0]) found.push_back(samples_of(result));
        return found;
    };
    p.poison = [all] {
        for (const storage_ref& result : all->results[0]) {
            const std::vector<unsigned char> ones(static_cast<std::size_t>(result->bytes), 0xff);  // NaN
            sinter::detail::copy_from_host(result, ones.data());
        }
    };
    p.explain = [all] { return sinter::spoken::explain(all->text, sinter::spoken::properties_for("")); };
    return p;
}

}  // namespace

}  // namespace corpus

int main() try {
    corpus::answer_commands(corpus::spoken);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
