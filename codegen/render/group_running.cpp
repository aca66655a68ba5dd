// Loops that carry running values. All threads of a group make the same steps, since they meet in each; what is beyond
// the end of the group counts as the identity and is not stored.
#include <codegen/render/group.hpp>

#include <algorithm>

namespace sinter::codegen {

void group_renderer::running_steps(int l, const element_function& f, const std::string& begin,
                                   const std::string& stop) {
    const bool in_shared = c.s.form == schedule_form::columns && c.s.split > 1;  // what stands before a tile
    for (int v : in_shared ? std::vector<int>() : scans_of(c.k, l)) {
        if (!c.has_neighbours()) {
            c.out.line("{} {} = {};", c.type(c.at(v).type), c.name(v), c.identity(v));
            continue;
        }
        c.out.line("{} {}{};", c.type(c.at(v).type), c.name(v), c.neighbours());
        c.open_neighbours();
        c.out.line("{}[e] = {};", c.name(v), c.identity(v));
        c.close_neighbours();
    }
    if (c.s.resident || !begin.empty()) {
        if (kept.empty()) c.out.line("const {} k = {};", c.index_type(), start(begin));
        return running_step(l, f, stop, false);
    }
    c.out.line("#pragma unroll 1");
    c.out.open("for ({} step = {}; step < {}; step += {})", c.index_type(), begin.empty() ? "0" : begin, stop,
               walk.step);
    c.out.line("const {} k = {};", c.index_type(), walk.first == "0" ? "step" : "step + " + walk.first);
    running_step(l, f, stop, true);
    c.out.close();
}

void group_renderer::running_step(int l, const element_function& f, const std::string& stop, bool again) {
    const access_plan plan = plan_of(l, walk.vectored);
    std::vector<int> loads = fresh_loads(f);
    const auto scans = scans_of(c.k, l);
    const auto of_loop = [&](const element_function& g) {
        return std::find(scans.begin(), scans.end(), g.scanned) != scans.end();
    };
    for (const element_function& g : scanned)
        for (int v : of_loop(g) ? fresh_loads(g) : std::vector<int>())
            if (std::find(loads.begin(), loads.end(), v) == loads.end()) loads.push_back(v);
    if (!loads.empty()) {
        std::vector<int> loaded;
        for (int v : loads) loaded.push_back(c.at(v).at);
        declare_registers(c, plan, loads);
        open_access(l, loaded, stop);
        load_lines(c, plan, loads);
        close_access(stop);
    }
    for (const element_function& g : scanned) {
        if (!of_loop(g)) continue;
        scanned_lines(l, g, plan, stop);
        const bool beside_others = scans.size() > 1 || c.s.resident;  // in one scope
        if (beside_others) c.out.open("{}", "");
        walk.run_along(g.scanned, again);
        if (beside_others) c.out.close();
    }
    std::vector<int> placed;
    for (int v : f.places) placed.push_back(c.at(v).at);
    for (int st : f.stores) placed.push_back(c.k.stores[static_cast<std::size_t>(st)].at);
    const bool guarded = !f.stores.empty() && !walk.in_range.empty();
    const std::string guard = guarded ? stop + " && " + walk.in_range : stop;
    open_access(l, placed, guard);
    compute_lines(c, plan, f, [this](int r) { return c.name(r) + part(); });
    close_access(guard);
}

// The elements that a scan runs along.
void group_renderer::scanned_lines(int l, const element_function& f, const access_plan& plan, const std::string& stop) {
    const int v = f.scanned;
    const std::string dimensions = (c.s.unroll > 1 ? fmt::format("[{}]", c.s.unroll) : "") +
                                   (walk.vectored ? fmt::format("[{}]", c.s.vector) : "");
    std::vector<int> placed;
    for (int p : f.places) placed.push_back(c.at(p).at);
    const auto each = [&](const std::string& line) {
        if (walk.vectored) {
            c.out.line("#pragma unroll");
            c.out.line("for (int e = 0; e < {}; ++e) {}", c.s.vector, line);
        } else {
            c.out.line("{}", line);
        }
    };
    c.out.line("{} {}_at{};", c.type(c.at(v).type), c.name(v), dimensions);
    open_access(l, placed, stop);
    const auto element = [&](int load) { return element_text(c, plan, load); };
    const auto place = [&](int p) { return place_text(c, plan, p, walk.vectored ? "e" : ""); };
    each(call(c, f, {element, place, nullptr, plan.running, plan.running}));
    c.out.close();
    c.out.open("else");
    each(fmt::format("{} = {};", plan.running(v), c.identity(v)));
    close_access(stop);
}

}  // namespace sinter::codegen
