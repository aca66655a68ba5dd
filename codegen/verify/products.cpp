// Walks the statements in order, loops twice: what is in flight at the end of an iteration is at the beginning of the
// next one.
#include <codegen/verify/products.hpp>

#include <codegen/verify/changes.hpp>
#include <codegen/verify/words.hpp>

#include <set>

namespace sinter::codegen::device_ir {
namespace {

class product_checker {
public:
    explicit product_checker(const program& of) : p(of) {}

    void check() {
        run(p.body);
        if (!now_.in_flight.empty()) refuse(p, statement{}, "products are in flight at the end of the kernel");
    }

private:
    struct state {
        std::set<id> in_flight;    ///< arrays of registers
        bool has_begun = false;    ///< since the latest write of registers
        bool is_committed = true;  ///< all products are
    };

    bool is_register(id at) const {
        return p.at(at).kind == expression_kind::element && p.array_at(p.at(at).of).where == space::registers;
    }

    void check_use(id at, const statement& s) const {
        if (at == none || now_.in_flight.empty()) return;
        const expression& e = p.at(at);
        if (is_register(at) && now_.in_flight.count(e.of) != 0)
            refuse(p, s, "it uses registers of products that are in flight");
        for (id in : e.in) check_use(in, s);
        for (id i : e.indices) check_use(i, s);
        for (id a : e.arguments) check_use(a, s);
        for (const term& t : e.terms) check_use(t.index, s);
    }

    void run(const std::vector<statement>& all) {
        for (const statement& s : all) run(s);
    }

    void run(const statement& s) {
        switch (s.kind) {
            case statement_kind::begin_products:
                for (id e : {s.target, s.value}) check_use(e, s);
                now_.has_begun = true;
                return;
            case statement_kind::multiply_warpgroup: return multiply(s);
            case statement_kind::commit_products: now_.is_committed = true; return;
            case statement_kind::wait_products:
                if (!now_.is_committed) refuse(p, s, "it waits for products that are not committed");
                if (s.count == 0) now_ = {};
                return;
            case statement_kind::declare:
                if (now_.in_flight.count(s.of) != 0) refuse(p, s, "its products are in flight");
                return;
            case statement_kind::loop:
                check_use(s.limit, s);
                run(s.body);
                return run(s.body);
            case statement_kind::branch: return branch(s);
            default: break;
        }
        for (id e : {s.target, s.value, s.limit, s.step})
            if (s.kind != statement_kind::carve || e != s.target) check_use(e, s);
        for_each_changed(p, s, [&](id changed) {
            if (is_register(changed)) now_.has_begun = false;
        });
        run(s.body);
    }

    void multiply(const statement& s) {
        if (!now_.has_begun) refuse(p, s, "no begin of products stands between it and the latest write of registers");
        now_.is_committed = false;
        for (id e : {s.target, s.value})
            if (is_register(e)) now_.in_flight.insert(p.at(e).of);
    }

    void branch(const statement& s) {
        check_use(s.value, s);
        const state before = now_;
        run(s.body);
        const state after = now_;
        now_ = before;
        run(s.otherwise);
        now_.in_flight.insert(after.in_flight.begin(), after.in_flight.end());
        now_.has_begun = now_.has_begun && after.has_begun;
        now_.is_committed = now_.is_committed && after.is_committed;
    }

    const program& p;
    state now_;
};

}  // namespace

void check_products(const program& p) { product_checker(p).check(); }

}  // namespace sinter::codegen::device_ir
