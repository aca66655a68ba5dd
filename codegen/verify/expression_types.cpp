// Checks each expression: its operands precede it and have the required dtypes.
#include <codegen/verify/well_formed.hpp>
#include <codegen/verify/words.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::device_ir {
namespace {

bool is_whole(dtype t) { return is_integer(t) || t == dtype::bool_; }
bool is_condition(arithmetic_kind how) {
    return (how >= arithmetic_kind::less && how <= arithmetic_kind::both) || how == arithmetic_kind::negation;
}

class checker {
public:
    explicit checker(const program& of) : p(of) {}

    /// The fault of expression `own`, or null.
    const char* fault(id own) const {
        const expression& e = p.at(own);
        const auto before = [own](id operand) { return operand >= 0 && operand < own; };
        int operands = 0;
        for (id in : e.in) {
            if (in == none) continue;
            if (!before(in)) return "an operand does not stand before it";
            ++operands;
        }
        for (const term& t : e.terms)
            if (!before(t.index) || (t.stride != none && !before(t.stride))) return "a term does not stand before it";
        for (const std::vector<id>* all : {&e.indices, &e.arguments})
            if (!std::all_of(all->begin(), all->end(), before)) return "an index or argument does not stand before it";
        if (operands != operands_of(e)) return "wrong number of operands";
        if (e.count != 1 && e.kind != expression_kind::element) return "several elements of what is no memory";
        for (id in : e.in)
            if (in != none && p.at(in).count != 1) return "it computes with several elements at once";
        return kind_fault(e);
    }

private:
    static int operands_of(const expression& e) {
        switch (e.kind) {
            case expression_kind::arithmetic:
                return e.how == arithmetic_kind::select ? 3 : e.how == arithmetic_kind::negation ? 1 : 2;
            case expression_kind::quotient: return 3;
            case expression_kind::operation: return e.op == nullptr ? -1 : e.op->arity;
            case expression_kind::cast: return 1;
            case expression_kind::peer:
            case expression_kind::exchange: return 2;
            default: return 0;
        }
    }

    dtype type(id e) const { return p.at(e).type; }
    bool whole(id e) const { return is_whole(type(e)); }

    const char* kind_fault(const expression& e) const {
        switch (e.kind) {
            case expression_kind::identity:
                return e.op != nullptr && e.op->is_reduction ? nullptr : "an identity of no reduction";
            case expression_kind::variable: {
                if (e.of < 0 || e.of >= static_cast<id>(p.variables.size())) return "no such variable";
                return p.variable_at(e.of).type == e.type ? nullptr : "a variable of another dtype";
            }
            case expression_kind::arithmetic: return arithmetic_fault(e);
            case expression_kind::quotient:
                return whole(e.in[0]) && type(e.in[1]) == e.type && whole(e.in[2]) ? nullptr
                                                                                   : "a quotient of no positions";
            case expression_kind::operation: return operation_fault(e);
            case expression_kind::element: return element_fault(e);
            case expression_kind::peer: return peer_fault(e);
            case expression_kind::call: return call_fault(e);
            case expression_kind::exchange:
                if (type(e.in[0]) != e.type || !whole(e.in[1])) return "an exchange of another dtype";
                return e.width >= 2 && e.width <= 32 && (e.width & (e.width - 1)) == 0 ? nullptr
                                                                                       : "an exchange of no such width";
            default: return nullptr;
        }
    }

    const char* arithmetic_fault(const expression& e) const {
        if (e.how == arithmetic_kind::select) {
            if (type(e.in[0]) != dtype::bool_) return "it selects by what is no condition";
            if (whole(e.in[1]) && whole(e.in[2]) && e.is_index) return nullptr;
            return type(e.in[1]) == e.type && type(e.in[2]) == e.type ? nullptr : "operands of different dtypes";
        }
        if (e.how == arithmetic_kind::negation)
            return type(e.in[0]) == dtype::bool_ && e.type == dtype::bool_ ? nullptr
                                                                           : "it negates what is no condition";
        if (!whole(e.in[0]) || !whole(e.in[1])) return "index arithmetic with what is no integer";
        if (e.how == arithmetic_kind::both && (type(e.in[0]) != dtype::bool_ || type(e.in[1]) != dtype::bool_))
            return "it joins what is no condition";
        return is_condition(e.how) == (e.type == dtype::bool_) ? nullptr : "a condition is a bool, and nothing else";
    }

    const char* operation_fault(const expression& e) const {
        const op_row& op = *e.op;
        if (op.is_reduction) {
            const bool folds = type(e.in[0]) == e.computes && e.type == e.computes &&
                               (type(e.in[1]) == e.computes || accumulator_of(op.rule, type(e.in[1])) == e.computes);
            return folds ? nullptr : "operands of different dtypes";
        }
        if (op.rule == dtype_rule::chosen)
            return type(e.in[0]) == dtype::bool_ && moments_of(type(e.in[1])) == e.type ? nullptr
                                                                                        : "no moments of the operand";
        for (int i = 0; i < op.arity; ++i)
            if (type(e.in[static_cast<std::size_t>(i)]) != detail::operand_of(op.rule, e.computes, i))
                return "operands of different dtypes";
        const dtype result = op.rule == dtype_rule::moment ? computed_in(e.type) : e.type;
        return result == result_of(op.rule, e.computes) ? nullptr
                                                        : "the result's dtype does not follow from the row's rule";
    }

    const char* element_fault(const expression& e) const {
        if (e.of < 0 || e.of >= static_cast<id>(p.arrays.size())) return "no such array";
        const array& a = p.array_at(e.of);
        if (e.type != a.type) return "an element of another dtype";
        if (e.count < 1) return "no elements";
        for (const term& t : e.terms)
            if (!whole(t.index) || (t.stride != none && !whole(t.stride))) return "an index that is no integer";
        if (!std::all_of(e.indices.begin(), e.indices.end(), [this](id i) { return whole(i); }))
            return "an index that is no integer";
        if (a.where == space::global) {
            return e.indices.empty() ? nullptr : "an array of global memory has terms";
        }
        if (!e.terms.empty() || e.shift != 0) return "an array outside global memory has indices";
        if (e.indices.empty() && a.where == space::registers) return nullptr;  // a whole array: see check_statements
        const bool inner = a.packed > 1 && e.indices.size() == a.extents.size() + 1;
        if (e.indices.size() != a.extents.size() && !inner) return "an index for each axis is needed";
        if (e.hint != cache_hint::usual) return "a hint to the caches outside global memory";
        if (inner) return e.count == 1 ? nullptr : "several elements of one";
        return e.count == a.packed || (a.where == space::shared && a.packed == 1) ? nullptr
                                                                                  : "another count of elements";
    }

    const char* peer_fault(const expression& e) const {
        if (!whole(e.in[0])) return "a block that is no integer";
        const expression& own = p.at(e.in[1]);
        return own.kind == expression_kind::element && own.type == e.type && p.array_at(own.of).where == space::shared
                   ? nullptr
                   : "blocks of a cluster share nothing but shared memory";
    }

    const char* call_fault(const expression& e) const {
        if (e.of < 0 || e.of >= static_cast<id>(p.functions.size())) return "no such function";
        const function& f = p.function_at(e.of);
        if (e.arguments.size() != f.parameters.size()) return "wrong number of arguments";
        if (f.has_value && f.type != e.type) return "a function's value has another dtype";
        for (std::size_t i = 0; i < e.arguments.size(); ++i)
            if (const char* what = argument_fault(p.at(e.arguments[i]), f.parameters[i])) return what;
        return nullptr;
    }

    const char* argument_fault(const expression& given, const function_parameter& taken) const {
        using passed = function_parameter::passed;
        if (given.count != 1) return "an argument is one element";
        if (taken.how == passed::pointer) {
            if (taken.of < 0 || taken.of >= static_cast<id>(p.arrays.size())) return "no such parameter";
            if (given.kind != expression_kind::element) return "a pointer to what is no element";
            return p.array_at(given.of).where == space::global && given.type == p.array_at(taken.of).type
                       ? nullptr
                       : "a pointer to other elements";
        }
        if (taken.of < 0 || taken.of >= static_cast<id>(p.variables.size())) return "no such parameter";
        const variable& v = p.variable_at(taken.of);
        if (taken.how == passed::value)
            return given.type == v.type || (given.is_index && is_integer(v.type)) ? nullptr
                                                                                  : "an argument of another dtype";
        if (given.kind != expression_kind::element && given.kind != expression_kind::variable)
            return "a reference to what is no memory";
        return given.type == v.type ? nullptr : "an argument of another dtype";
    }

    const program& p;
};

/// An expression whose operands stand before it in words, and others, which may be their own operands, by number.
std::string described(const program& p, id e) {
    for (id in : p.at(e).in)
        if (in >= e) return fmt::format("expression {}", e);
    return fmt::format("'{}'", words(p, e));
}

}  // namespace

void check_expressions(const program& p) {
    const checker c(p);
    for (id e = 0; e < static_cast<id>(p.expressions.size()); ++e)
        if (const char* what = c.fault(e))
            throw error(
                fmt::format("internal error, please report it: the device program's {}: {}", described(p, e), what));
}

}  // namespace sinter::codegen::device_ir
