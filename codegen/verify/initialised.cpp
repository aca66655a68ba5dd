// Walks the statements in order. Values written in a loop count as written in its first iteration, even if guarded.
#include <codegen/verify/initialised.hpp>

#include <codegen/verify/changes.hpp>
#include <codegen/verify/words.hpp>

#include <fmt/format.h>

namespace sinter::codegen::device_ir {
namespace {

class initialisation_checker {
public:
    explicit initialisation_checker(const program& of)
        : p(of), variables_(of.variables.size(), 0), arrays_(of.arrays.size(), 0), effects_(of.functions.size()) {
        for (std::size_t a = 0; a < p.arrays.size(); ++a)
            arrays_[a] = static_cast<char>(p.arrays[a].where == space::global);
    }

    void check() {
        for (std::size_t f = 0; f < p.functions.size(); ++f) learn(p.functions[f], effects_[f]);
        for (const kernel_parameter& k : p.parameters)
            if (!takes_array(k.what.what)) of_variable(k.of) = 1;
        run(p.body);
    }

private:
    /// What a function does with each of its references.
    struct effect {
        std::vector<char> needs;  ///< reads it before writing it
    };

    char& of_variable(id v) { return variables_[static_cast<std::size_t>(v)]; }
    char& of_array(id a) { return arrays_[static_cast<std::size_t>(a)]; }

    void learn(const function& f, effect& e) {
        using passed = function_parameter::passed;
        for (const function_parameter& one : f.parameters)
            if (one.how == passed::value) of_variable(one.of) = 1;
        needed_.clear();
        in_function_ = true;
        run(f.body);
        statement value;
        value.kind = statement_kind::call;
        if (f.has_value) read(f.value, value);
        in_function_ = false;
        for (const function_parameter& one : f.parameters) {
            bool needs = false;
            for (id v : needed_) needs = needs || (one.how == passed::reference && v == one.of);
            e.needs.push_back(static_cast<char>(needs));
        }
    }

    void read(id at, const statement& s) {
        const expression& e = p.at(at);
        if (e.kind == expression_kind::variable && of_variable(e.of) == 0) {
            if (!in_function_) refuse(p, s, fmt::format("{} is read before it is written", words(p, at)));
            needed_.push_back(e.of);
        }
        if (e.kind == expression_kind::element && of_array(e.of) == 0)
            refuse(p, s, fmt::format("{} is read before it is written", words(p, at)));
        read_indices(e, s);
        for (id in : e.in)
            if (in != none) read(in, s);
        for (std::size_t i = 0; i < e.arguments.size(); ++i) {
            const function_parameter& taken = p.function_at(e.of).parameters[i];
            const std::vector<char>& needs = effects_[static_cast<std::size_t>(e.of)].needs;
            if (taken.how == function_parameter::passed::value || (i < needs.size() && needs[i] != 0))
                read(e.arguments[i], s);
            else
                read_indices(p.at(e.arguments[i]), s);
        }
        if (e.kind == expression_kind::call) for_each_reference(p, e, [this](id changed) { write(changed); });
    }

    void read_indices(const expression& e, const statement& s) {
        for (const term& t : e.terms) {
            read(t.index, s);
            if (t.stride != none) read(t.stride, s);
        }
        for (id i : e.indices) read(i, s);
    }

    void write(id at) {
        const expression& e = p.at(at);
        if (e.kind == expression_kind::variable) of_variable(e.of) = 1;
        if (e.kind == expression_kind::element) of_array(e.of) = 1;
        if (e.kind == expression_kind::peer) write(e.in[1]);
    }
    /// Marks everything that the statements may write.
    void gather(const std::vector<statement>& all) {
        for (const statement& s : all) {
            for_each_changed(p, s, [this](id changed) { write(changed); });
            gather(s.body);
            gather(s.otherwise);
        }
    }

    void run(const std::vector<statement>& all) {
        for (const statement& s : all) run(s);
    }

    void run(const statement& s) {
        switch (s.kind) {
            case statement_kind::let:
                if (s.value != none) read(s.value, s);
                of_variable(s.of) = static_cast<char>(s.value != none);
                return;
            case statement_kind::declare: of_array(s.of) = static_cast<char>(s.cleared); return;
            case statement_kind::view: return read_indices(p.at(s.target), s);
            case statement_kind::realign: read(s.limit, s); [[fallthrough]];
            case statement_kind::widen:
                if (s.limit != none) read(s.limit, s);
                [[fallthrough]];
            case statement_kind::assign:
                read(s.value, s);
                read_indices(p.at(s.target), s);
                return write(s.target);
            case statement_kind::loop:
                read(s.value, s);
                of_variable(s.of) = 1;
                gather(s.body);
                read(s.limit, s);
                if (s.step != none) read(s.step, s);
                return run(s.body);
            case statement_kind::ticket:
                read(s.value, s);
                if (s.of != none) of_variable(s.of) = 1;
                return;
            case statement_kind::await: return write(s.value);
            case statement_kind::multiply_accumulate:
                for (id e : {s.target, s.value, s.limit}) read(e, s);
                return;
            case statement_kind::multiply_warpgroup:
                if (s.step == none) read(s.target, s);
                for (id e : {s.value, s.limit}) read(e, s);
                if (s.step != none) read(s.step, s);
                read_indices(p.at(s.target), s);
                return write(s.target);
            case statement_kind::begin_products:
            case statement_kind::wait_products:
            case statement_kind::arrive:
            case statement_kind::wait_phase:
                for (id e : {s.target, s.value})
                    if (e != none) read(e, s);
                return;
            case statement_kind::init_barriers:
            case statement_kind::tensor_map:
            case statement_kind::copy_box:
            case statement_kind::load_matrix:
            case statement_kind::async_copy:
                for (id e : {s.value, s.limit, s.step})
                    if (e != none) read(e, s);
                read_indices(p.at(s.target), s);
                return write(s.target);
            default:
                if (s.value != none) read(s.value, s);
                run(s.body);
                return run(s.otherwise);
        }
    }

    const program& p;
    std::vector<char> variables_, arrays_;  ///< whether a statement may have written it
    std::vector<effect> effects_;
    std::vector<id> needed_;  ///< variables that a function reads before writing them
    bool in_function_ = false;
};

}  // namespace

void check_initialised(const program& p) { initialisation_checker(p).check(); }

}  // namespace sinter::codegen::device_ir
