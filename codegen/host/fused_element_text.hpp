// One element of a fused loop as C++ source: its loads, computation and stores, for given offsets.
#pragma once

#include <codegen/cuda/writer.hpp>
#include <codegen/host/fused_loop_text.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen::blocked {

/// A memory access or an index.
struct placed_access {
    const access* to = nullptr;
    std::string pointer;  ///< empty for an index
    dtype type{};
    std::int64_t start = 0;  ///< elements from the pointer to its first one; of an index, its first value
};

/// The position of one copy of an element's source: its index in a dense block, its group, and the offset of each
/// access. Accesses that do not vary along the loop are hoisted: loaded before it.
struct element_position {
    std::string element, group;
    std::vector<std::string> offsets;
    std::vector<std::int64_t> steps;    ///< by access: its stride along the loop
    std::vector<std::int64_t> further;  ///< by access: elements from the first copy's to this one's
    std::vector<std::string> hoisted;   ///< by access: the name of the hoisted value, or empty
    /// By access: the element of an array that holds its widened values, or empty. Empty: no access has one.
    std::vector<std::string> widened;
    /// By fold: what it folds into. Empty: a0, a1 ...
    std::vector<std::string> accumulators;
    bool only_assigns = false;  ///< its operands are assigned to the accumulators instead
};

class element_text {
public:
    element_text(const plan& p, const loop_nest& k, const fused_steps& what, std::set<inline_op>& ops);

    const std::vector<placed_access>& accesses() const { return accesses_; }  ///< stores last
    const std::vector<std::string>& declarations() const { return declarations_; }
    /// The loop's pointers, operands and results.
    fused_loop& loop() { return loop_; }

    /// Whether an access may be loaded before a loop along which it does not vary.
    bool may_hoist(std::size_t access) const;
    /// The type, short or int, that an access which loads bytes can be widened to at once, since they are only
    /// converted to such numbers or wider ones. Empty: none.
    std::string widened_type(std::size_t access) const;
    std::string load(std::size_t access, const std::string& offset) const;
    /// Declares the values that the elements of a row share.
    void print_group_values(writer& w, const std::string& group) const;
    void print(writer& w, const element_position& at);
    /// The initial values of the folds, and the stores of their results for one group.
    void print_fold_starts(writer& w) const;
    void print_fold_ends(writer& w, const std::string& group) const;
    /// By fold: the result of one group, where it lies.
    std::vector<std::string> fold_results(const std::string& group) const;
    /// Folds a row of `count` elements, which may be a part of the group's, in the order of fold_of (op/loops.hpp):
    /// lanes, then these in a tree.
    void print_long_folds(writer& w, element_position at, const std::string& count, const std::string& group);

private:
    const slot& slot_of(int id) const { return p_.slots[static_cast<std::size_t>(id)]; }
    int id_of(int id);
    std::string add_pointer(fused_pointer::kind what, int of, std::int64_t start, dtype type);
    int add_access(const access& a, std::string pointer, dtype type, std::int64_t start);
    int add_load(const access& a, dtype type);
    void add_operand(int id, bool of_group);
    std::string constant_text(int id) const;
    int expanded_from(int id) const;
    const fold_step& fold_of(std::size_t position) const;
    void print_step(writer& w, const step& s, const element_position& at);
    std::string folded_into(std::size_t fold, const std::string& accumulator, const std::string& value) const;
    bool folds_in_any_order() const;
    void print_folds_in_any_order(writer& w, element_position at, const std::string& count, const std::string& group);
    void print_lanes(writer& w, std::int64_t lanes, const std::string& from) const;

    const plan& p_;
    const loop_nest& k_;
    const fused_steps& what_;
    std::set<inline_op>& ops_;
    fused_loop loop_;
    std::vector<std::string> declarations_;
    std::vector<placed_access> accesses_;
    std::vector<std::string> folded_;                                     ///< by fold: its pointer
    std::map<int, int> placed_, ids_;                                     ///< by slot: access; number
    std::map<int, std::string> names_;                                    ///< by slot
    std::vector<std::pair<int, std::string>> dense_, of_rows_, written_;  ///< slots with their pointers
};

}  // namespace sinter::codegen::blocked
