// The rules of include/sinter/op/derivatives.def: every floating-point row of the op table is differentiated with
// respect to each floating operand, and compared with finite differences. Points near discontinuities or infinite
// values are left out.
#include <tests/language/kept_slot.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/language/program_of_rows.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace sinter::test {
namespace {

/// A row and the operand that it is differentiated by.
struct rule {
    const op_row* row;
    int by;
};

/// What has a real derivative: rows of floating operands and results.
std::vector<rule> all_rules() {
    std::vector<rule> rules;
    for (const op_row* row : all_rows) {
        if (!computes_in(row->rule, dtype::float64) || result_of(row->rule, dtype::float64) != dtype::float64) continue;
        for (int by = row->rule == dtype_rule::select ? 1 : 0; by < row->arity; ++by) rules.push_back({row, by});
    }
    return rules;
}

constexpr std::int64_t points = 60;
using values = std::vector<double>;

/// Numbers from all the places where rows are of interest: below -1, about 0, between 0 and 1, above 1.
values draw(std::mt19937& engine) {
    constexpr double ranges[][2] = {{-3, 3}, {-0.9, 0.9}, {0.1, 0.9}, {1.1, 4}};
    values x;
    for (std::size_t i = 0; i < points; ++i) {
        const auto& r = ranges[engine() % 4];
        x.push_back(std::uniform_real_distribution(r[0], r[1])(engine));
    }
    return x;
}

/// A few rows as one program: each row's values; or, of the sum of c times them all, the derivatives.
class program_of_rules {
public:
    program_of_rules(std::span<const rule> rules, bool differentiated) : slot_(kept_slot()) {
        const int coefficients = leaf(dtype::float64), condition = leaf(dtype::bool_);
        std::vector<int> results, by;
        for (const rule& r : rules) {
            std::vector<int> operands = {leaf(dtype::float64), leaf(dtype::float64), leaf(dtype::float64)};
            by.push_back(operands[static_cast<std::size_t>(r.by)]);
            if (r.row->rule == dtype_rule::select) operands[0] = condition;
            operands.resize(r.row->arity);
            results.push_back(apply(*r.row, operands));
        }
        if (!differentiated) {
            roots_ = results;
            return;
        }
        int sum = results[0];
        for (std::size_t r = 1; r < results.size(); ++r) sum = apply(op::add::row, {sum, results[r]});
        const int product = apply(op::multiply::row, {sum, coefficients});
        const int loss = nodes_.add({.what = ir::kind::reduction,
                                     .type = dtype::float64,
                                     .in = {node_list::as_in(product), -1, -1},
                                     .axes = 1,
                                     .op = &op::sum::row});
        for (int operand : by)
            roots_.push_back(nodes_.add({.what = ir::kind::gradient,
                                         .type = dtype::float64,
                                         .rank = 1,
                                         .in = {node_list::as_in(loss), node_list::as_in(operand), -1}}));
        gradients_ = true;
    }

    /// Of each rule a line of values. `operands` has three lines for each.
    std::vector<values> run(const values& coefficients, const std::unique_ptr<bool[]>& condition,
                            const std::vector<values>& operands) {
        std::vector<detail::storage_ref> leaves;
        const auto upload = [&](dtype type, const void* elements) {
            leaves.push_back(detail::make_storage(type, 1, &points));
            detail::copy_from_host(leaves.back(), elements);
        };
        upload(dtype::float64, coefficients.data());
        upload(dtype::bool_, condition.get());
        for (const values& x : operands) upload(dtype::float64, x.data());
        std::vector<detail::evaluation_result> results(roots_.size(), {.rank = 1, .extents = &points});
        detail::evaluate(nodes_.program(roots_, 0, gradients_), slot_, {leaves.data(), nullptr, nullptr},
                         results.data());
        std::vector<values> all(roots_.size(), values(points));
        for (std::size_t r = 0; r < all.size(); ++r) detail::copy_to_host(all[r].data(), results[r].made);
        return all;
    }

private:
    int leaf(dtype type) { return nodes_.leaf(type, 1); }
    int apply(const op_row& row, const std::vector<int>& in) { return nodes_.elementwise(row, dtype::float64, 1, in); }

    detail::plan_slot& slot_;
    node_list nodes_;
    std::vector<int> roots_;
    bool gradients_ = false;
};

class derivatives : public on_devices {};

TEST_F(derivatives, of_every_row_are_its_slopes) {
    const std::vector<rule> rules = all_rules();
    EXPECT_GT(rules.size(), 90u);
    std::mt19937 engine(1);
    for (std::size_t first = 0; first < rules.size(); first += ir::max_roots) {
        const std::span<const rule> some(&rules[first], std::min<std::size_t>(ir::max_roots, rules.size() - first));
        const values coefficients = draw(engine);
        const std::unique_ptr<bool[]> condition(new bool[points]);
        for (std::int64_t i = 0; i < points; ++i) condition[static_cast<std::size_t>(i)] = engine() % 2;
        std::vector<values> operands;
        for (std::size_t i = 0; i < 3 * some.size(); ++i) operands.push_back(draw(engine));

        program_of_rules plain(some, false);
        const auto slopes = [&](double step) {
            const auto moved = [&](double by) {
                std::vector<values> x = operands;
                for (std::size_t r = 0; r < some.size(); ++r)
                    for (double& v : x[3 * r + static_cast<std::size_t>(some[r].by)]) v += by;
                return plain.run(coefficients, condition, x);
            };
            std::vector<values> up = moved(step);
            const std::vector<values> down = moved(-step);
            for (std::size_t r = 0; r < up.size(); ++r)
                for (std::size_t i = 0; i < points; ++i) up[r][i] = (up[r][i] - down[r][i]) / (2 * step);
            return up;
        };
        const std::vector<values> near = slopes(1e-4), far = slopes(2e-4);
        const std::vector<values> at = plain.run(coefficients, condition, operands);
        const std::vector<values> by = program_of_rules(some, true).run(coefficients, condition, operands);
        for (std::size_t r = 0; r < some.size(); ++r) {
            SCOPED_TRACE(std::string(some[r].row->name) + " by operand " + std::to_string(some[r].by));
            int compared = 0;
            for (std::size_t i = 0; i < points; ++i) {
                const double slope = (4 * near[r][i] - far[r][i]) / 3, scale = 1 + std::abs(slope) + std::abs(at[r][i]);
                if (!std::isfinite(slope) || std::abs(near[r][i] - far[r][i]) > 1e-4 * scale) continue;
                ++compared;
                EXPECT_NEAR(by[r][i], coefficients[i] * slope, 1e-7 * std::abs(coefficients[i]) * scale)
                    << "at " << operands[3 * r][i] << ", " << operands[3 * r + 1][i] << ", " << operands[3 * r + 2][i];
            }
            EXPECT_GE(compared, 10);
        }
    }
}

}  // namespace
}  // namespace sinter::test
