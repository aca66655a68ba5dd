// Tickets and partial results. Partial results are folded in the order of their parts, whichever block comes last, so
// that the result does not depend on the order in which blocks run.
#include <codegen/render/split.hpp>

#include <codegen/render/forms.hpp>

namespace sinter::codegen {

namespace {

/// Partial results that a thread reads at once, where it folds those that are `distance` apart. They come from the
/// second-level cache: a thread that folds many of them one by one waits for it as often.
constexpr int parts_under_way(int distance) { return distance <= 32 ? 4 : 1; }

}  // namespace

void split_range(context& c, const std::string& group, const std::string& parts, const std::string& trips, int step) {
    c.out.line("const int parts = {};", parts);
    if (group.empty()) {
        c.out.line("const int part = blockIdx.x;");
    } else {
        c.out.line("const int {} = blockIdx.x / parts;", group);
        c.out.line("const int part = blockIdx.x % parts;");
    }
    part_range(c, "", trips, step);
}

void part_range(context& c, const std::string& suffix, const std::string& trips, int step) {
    const std::string index = c.index_type();
    c.out.line("const {} share{} = (({} + {}) / {} + parts - 1) / parts * {};", index, suffix, trips, step - 1, step,
               step);
    c.out.line("const {0} begin{1} = part * share{1};", index, suffix);
    c.out.line("const {0} end{1} = {2} - begin{1} < share{1} ? {2} : begin{1} + share{1};", index, suffix, trips);
}

void fold_parts(context& c, const std::vector<int>& reductions, const std::string& first, int distance,
                const std::string& from) {
    c.open_neighbours();
    for (int r : reductions) c.out.line("{} = {};", c.own(r), c.identity(r));
    c.close_neighbours();
    c.out.line("#pragma unroll {}", parts_under_way(distance));
    c.out.open("for (int p = {}; p < parts; p += {})", first, distance);
    c.open_neighbours();
    for (int r : reductions)
        c.out.line("{} = {};", c.own(r), c.combine(r, c.own(r), fmt::format("{}_of_part[{}]", c.name(r), from)));
    c.close_neighbours();
    c.out.close();
}

void leave_partials(context& c, const split_partials& p) {
    const std::vector<int>& reductions = c.k.loops[0].reductions;
    const std::string base = c.workspace();
    c.out.blank();
    c.out.comment(
        fmt::format("The block leaves its part in the workspace and draws a ticket. The block that draws the "
                    "last one of its {} folds all parts, in their own order.",
                    p.noun));
    c.out.line("unsigned int* ticket = reinterpret_cast<unsigned int*>({}){};", base,
               p.group == "0" ? "" : " + " + p.group);
    std::string before = std::to_string(ticket_bytes);
    for (std::size_t r = 0; r < reductions.size(); ++r) {
        const std::string type = c.type(c.at(reductions[r]).type);
        const std::string past =
            r == 0 ? "" : fmt::format(" + gridDim.x * {}", static_cast<int>(r) * partial_bytes(c.k) * p.slots);
        c.out.line("{0}* {1}_of_part = reinterpret_cast<{0}*>({2} + {3}{4});", type, c.name(reductions[r]), base,
                   before, past);
    }
    c.out.open("if ({})", p.writer);
    c.open_neighbours();
    for (int r : reductions) c.out.line("{}_of_part[{}] = {};", c.name(r), p.slot, c.own(r));
    c.close_neighbours();
    c.out.line("__threadfence();  // the part is visible before the ticket is drawn");
    c.out.close();
    c.out.line("__shared__ bool last;");
    if (p.slots > 1) c.out.line("__syncthreads();");
    c.out.line("if (threadIdx.x == 0) last = atomicAdd(ticket, 1u) == unsigned(parts) - 1;");
    c.out.line("__syncthreads();");
    c.out.line("if (!last) return;");
    c.out.line("__threadfence();");
    fold_parts(c, reductions, p.first, p.distance, p.from);
}

void reset_ticket(context& c, const split_partials&) {
    c.out.line("if (threadIdx.x == 0) *ticket = 0;  // ready for the next launch");
}

}  // namespace sinter::codegen
