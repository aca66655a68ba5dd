// Checks names. Statements refer to what they use by numbers, but C++ by names: of a name that is declared again in an
// inner scope, only the inner one can be used there.
#include <codegen/verify/well_formed.hpp>
#include <codegen/verify/words.hpp>

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sinter::codegen::device_ir {
namespace {

class name_checker {
public:
    explicit name_checker(const program& of) : p(of) {}

    void check() {
        for (const function& f : p.functions) {
            for (const function_parameter& one : f.parameters)
                declare(one.how == function_parameter::passed::pointer, one.of, statement{});
            check_scope(f.body);
            leave(0);
        }
        for (const kernel_parameter& one : p.parameters) declare(takes_array(one.what.what), one.of, statement{});
        check_scope(p.body);
    }

private:
    /// A declared name, the scope that it stands in, and the array or variable that it names.
    struct entry {
        int depth;
        bool is_array;
        id of;
    };

    std::string_view name_of(bool array, id of) const { return array ? p.array_at(of).name : p.variable_at(of).name; }

    void declare(bool array, id of, const statement& s) {
        const std::string_view name = name_of(array, of);
        std::vector<entry>& all = named_[name];
        if (!all.empty() && all.back().depth == depth_)
            refuse(p, s, fmt::format("the name {} is taken in its scope", name));
        all.push_back({depth_, array, of});
        declared_.push_back(name);
    }

    void leave(std::size_t mark) {
        for (; declared_.size() > mark; declared_.pop_back()) named_.at(declared_.back()).pop_back();
    }

    /// The statements of a function, a loop, whose counter is in the same scope, a branch or a scope.
    void check_scope(const std::vector<statement>& all) {
        const std::size_t mark = declared_.size();
        for (const statement& s : all) check(s);
        leave(mark);
    }

    void check(const statement& s) {
        // its target is an array, which is in shared memory: the names of all such arrays differ
        const bool is_part_of_array = s.kind == statement_kind::carve;
        for (const id e : {is_part_of_array ? none : s.target, s.value, s.limit, s.step})
            if (e != none && s.kind != statement_kind::loop) use(e, s);
        ++depth_;
        if (s.kind == statement_kind::loop) {
            const std::size_t mark = declared_.size();
            use(s.value, s);
            declare(false, s.of, s);
            for (const id e : {s.limit, s.step})
                if (e != none) use(e, s);
            check_scope(s.body);
            leave(mark);
        } else {
            check_scope(s.body);
            check_scope(s.otherwise);
        }
        --depth_;
        if (s.kind == statement_kind::let || (s.kind == statement_kind::ticket && s.of != none))
            declare(false, s.of, s);
        if (s.kind == statement_kind::declare || s.kind == statement_kind::view || s.kind == statement_kind::carve)
            declare(true, s.of, s);
    }

    void use(id at, const statement& s) {
        const expression& e = p.at(at);
        if (e.kind == expression_kind::variable) use_name(false, e.of, s);
        if (e.kind == expression_kind::element) use_name(true, e.of, s);
        for (const id in : e.in)
            if (in != none) use(in, s);
        for (const term& t : e.terms) {
            use(t.index, s);
            if (t.stride != none) use(t.stride, s);
        }
        for (const std::vector<id>* all : {&e.indices, &e.arguments})
            for (const id one : *all) use(one, s);
    }

    void use_name(bool array, id of, const statement& s) const {
        const std::string_view name = name_of(array, of);
        const auto found = named_.find(name);
        if (found == named_.end() || found->second.empty()) return;  // statement_types.cpp checks that
        const entry& visible = found->second.back();
        if (visible.is_array != array || visible.of != of)
            refuse(p, s, fmt::format("another {} hides the one that it uses", name));
    }

    const program& p;
    std::unordered_map<std::string_view, std::vector<entry>> named_;
    std::vector<std::string_view> declared_;  ///< in order; a scope removes its own at its end
    int depth_ = 0;
};

}  // namespace

void check_names(const program& p) { name_checker(p).check(); }

}  // namespace sinter::codegen::device_ir
