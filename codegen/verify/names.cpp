// Checks names, which statements do not need, since they refer to what they use by numbers, but C++ does.
#include <codegen/verify/well_formed.hpp>
#include <codegen/verify/words.hpp>

#include <fmt/format.h>

#include <set>
#include <string>

namespace sinter::codegen::device_ir {
namespace {

class name_checker {
public:
    explicit name_checker(const program& of) : p(of) {}

    void check() const {
        for (const function& f : p.functions) {
            scope names;
            for (const function_parameter& one : f.parameters)
                names.insert(one.how == function_parameter::passed::pointer ? p.array_at(one.of).name
                                                                            : p.variable_at(one.of).name);
            check_all(f.body, std::move(names));
        }
        scope names;
        for (const kernel_parameter& one : p.parameters) names.insert(name_of(one));
        check_all(p.body, std::move(names));
    }

private:
    using scope = std::set<std::string>;

    const std::string& name_of(const kernel_parameter& one) const {
        const bool points = one.what.what == parameter::kind::output || one.what.what == parameter::kind::input ||
                            one.what.what == parameter::kind::workspace;
        return points ? p.array_at(one.of).name : p.variable_at(one.of).name;
    }

    /// The statements of a scope, in which these names are declared already: parameters, or a loop's counter.
    void check_all(const std::vector<statement>& all, scope names) const {
        for (const statement& s : all) {
            if (s.kind == statement_kind::loop) {
                check_all(s.body, {p.variable_at(s.of).name});
                continue;
            }
            if (const std::string* name = declared_by(s); name != nullptr && !names.insert(*name).second)
                refuse(p, s, fmt::format("the name {} is taken in its scope", *name));
            check_all(s.body, {});
            check_all(s.otherwise, {});
        }
    }

    const std::string* declared_by(const statement& s) const {
        switch (s.kind) {
            case statement_kind::let: return &p.variable_at(s.of).name;
            case statement_kind::ticket: return s.of == none ? nullptr : &p.variable_at(s.of).name;
            case statement_kind::declare:
            case statement_kind::view:
            case statement_kind::carve: return &p.array_at(s.of).name;
            default: return nullptr;
        }
    }

    const program& p;
};

}  // namespace

void check_names(const program& p) { name_checker(p).check(); }

}  // namespace sinter::codegen::device_ir
