// Gives each use of a number that the shapes determine an argument of its own. Extents, strides and divisors are
// arguments, so equal ones would be one argument; but that they are equal is a coincidence of the shapes, as where an
// array has as many rows as columns, and each coincidence would be another kernel class. Uses by the same operand of
// the same op keep one argument: they are equal because one index expression made both.
#include <codegen/transforms/pass.hpp>

#include <map>
#include <tuple>
#include <utility>

namespace sinter::codegen {
namespace {

class number_separator {
public:
    explicit number_separator(loop_nest& k) : k_(k), from_(std::move(k.values)) {}

    void run() {
        for (const value& old : from_) {
            value v = old;
            for (std::size_t operand = 0; operand < v.in.size(); ++operand)
                if (v.in[operand] >= 0) v.in[operand] = operand_now(old, operand);
            now_.push_back(push(v));
        }
        for (kernel_store& s : k_.stores) s.value = now_[static_cast<std::size_t>(s.value)];
        for (inner_loop& l : k_.loops)
            for (int& r : l.reductions) r = now_[static_cast<std::size_t>(r)];
        drop_unused(k_);
    }

private:
    /// A value that uses a number, by which operand, and the number.
    using use = std::tuple<value_kind, const op_row*, std::size_t, dtype, std::int64_t>;

    int push(const value& v) {
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }

    int operand_now(const value& user, std::size_t operand) {
        const auto old = static_cast<std::size_t>(user.in[operand]);
        value number = from_[old];
        if (number.what != value_kind::scalar || k_.scalars[static_cast<std::size_t>(number.scalar)] >= 0)
            return now_[old];
        const auto n = static_cast<std::size_t>(-1 - k_.scalars[static_cast<std::size_t>(number.scalar)]);
        const auto [known, is_new] =
            arguments_.try_emplace({user.what, user.op, operand, number.type, k_.numbers[n]}, -1);
        if (!is_new) return known->second;
        number.scalar = static_cast<int>(k_.scalars.size());
        k_.numbers.push_back(k_.numbers[n]);
        k_.scalars.push_back(-static_cast<int>(k_.numbers.size()));
        k_.scalar_types.push_back(number.type);
        return known->second = push(number);
    }

    loop_nest& k_;
    const std::vector<value> from_;
    std::vector<int> now_;
    std::map<use, int> arguments_;
};

}  // namespace

void separate_numbers(loop_nest& k) {
    if (!k.numbers.empty()) number_separator(k).run();
}

}  // namespace sinter::codegen
