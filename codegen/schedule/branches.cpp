// Finds what only one side of a choice needs, from the users down to the operands.
#include <codegen/schedule/branches.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// Instructions of a side that are worth a branch.
constexpr double worth_branch = 24;

class branch_finder {
public:
    branch_finder(const loop_nest& of, const std::vector<char>& computed) : k(of), computed_(computed) {
        found_.of.resize(k.values.size());
        found_.chooses.assign(k.values.size(), 0);
    }

    branches run() {
        for (int v = 0; v < count(); ++v) found_.chooses[at(v)] = static_cast<char>(may_choose(v));
        if (std::find(found_.chooses.begin(), found_.chooses.end(), 1) == found_.chooses.end())
            return std::move(found_);
        for (int v = count(); v-- > 0;)
            if (computed_[at(v)] != 0) found_.of[at(v)] = side_of(v);
        for (int v = count(); v-- > 0;)  // outer choices first, so that their sides are those of what is given up
            if (found_.chooses[at(v)] != 0 && !is_worthwhile(v)) give_up(v);
        return std::move(found_);
    }

private:
    static std::size_t at(int v) { return static_cast<std::size_t>(v); }
    int count() const { return static_cast<int>(k.values.size()); }

    bool may_choose(int v) const {
        return computed_[at(v)] != 0 && k.values[at(v)].op == &op::where::row && is_known(k.values[at(v)].in[0]);
    }

    /// Whether a value is known before anything is loaded.
    bool is_known(int v) const {
        const value& self = k.values[at(v)];
        if (self.what == value_kind::elementwise || self.what == value_kind::cast)
            return std::all_of(self.in.begin(), self.in.end(), [&](int in) { return in < 0 || is_known(in); });
        return self.what == value_kind::index || self.what == value_kind::scalar || self.what == value_kind::constant;
    }

    /// Where all users of a value are on one side of a choice, that one.
    branch_side side_of(int v) const {
        const value& self = k.values[at(v)];
        if (self.what != value_kind::elementwise && self.what != value_kind::cast) return {};
        branch_side all;
        bool used = false;
        for (int u = v + 1; u < count(); ++u) {
            const value& user = k.values[at(u)];
            for (int operand = 0; operand < 3; ++operand) {
                if (user.in[at(operand)] != v) continue;
                if (computed_[at(u)] == 0) return {};
                const bool chooses = found_.chooses[at(u)] != 0 && operand > 0;
                const branch_side own = chooses ? branch_side{u, operand} : found_.of[at(u)];
                if (own == branch_side{} || (used && own != all)) return {};
                all = own;
                used = true;
            }
        }
        const auto stores = [&](const kernel_store& st) { return st.value == v; };
        return std::any_of(k.stores.begin(), k.stores.end(), stores) ? branch_side{} : all;
    }

    bool is_within(branch_side side, int choice, int operand) const {
        for (; side.choice >= 0; side = found_.of[at(side.choice)])
            if (side == branch_side{choice, operand}) return true;
        return false;
    }

    bool is_worthwhile(int choice) const {
        for (int operand : {1, 2}) {
            double all = 0;
            for (int v = 0; v < choice; ++v) {
                const value& self = k.values[at(v)];
                if (self.what == value_kind::elementwise && is_within(found_.of[at(v)], choice, operand))
                    all += instructions_of(*self.op, self.type, k.precision).all;
            }
            if (all >= worth_branch) return true;
        }
        return false;
    }

    void give_up(int choice) {
        found_.chooses[at(choice)] = 0;
        for (branch_side& side : found_.of)
            if (side.choice == choice) side = found_.of[at(choice)];
    }

    const loop_nest& k;
    const std::vector<char>& computed_;
    branches found_;
};

}  // namespace

branches branches_of(const loop_nest& k, const std::vector<char>& computed) { return branch_finder(k, computed).run(); }

}  // namespace sinter::codegen
