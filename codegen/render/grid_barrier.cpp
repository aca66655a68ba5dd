// Teams, their barrier and their results.
//
// Why two sets of results are enough: a block writes those of its team's next group when it is through with the present
// one, while a slower block may still read the present one's. It cannot write those of the group after that, in the
// place of the present one's, before the slower block has come to the next group's barrier, and so has read them.
#include <codegen/render/grid_barrier.hpp>

#include <codegen/render/forms.hpp>
#include <codegen/render/split.hpp>

namespace sinter::codegen {

namespace {
constexpr int barrier_bytes = 128;  ///< a line of the cache for each team's counter
}

team_renderer::team_renderer(context& shared, const team_walk& walked) : c(shared), walk(walked) {}

// Loops of a resident group are as long as each other.
std::string team_renderer::suffix(int l) const {
    return c.s.resident || c.k.loops.size() == 1 ? "" : "_" + std::to_string(l);
}

void team_renderer::open() {
    const std::string index = c.index_type();
    const bool several = !walk.groups.empty();
    c.out.comment(fmt::format(
        "A team of blocks shares every {0}; each takes one part of it. All blocks of the launch run at once, so that "
        "they may wait for each other.{1}",
        walk.noun, several ? fmt::format(" A team's {0}s are number team, team + teams, ...", walk.noun) : ""));
    if (several) {
        const std::string parts = c.parts();
        c.out.line("const int teams = gridDim.x / {};", parts);
        c.out.line("const int team = blockIdx.x / {};", parts);
        c.out.line("const int part = blockIdx.x % {};", parts);
    } else {
        c.out.line("const int parts = gridDim.x;");
        c.out.line("const int part = blockIdx.x;");
    }
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
        if (l > 0 && suffix(l).empty()) break;
        part_range(c, suffix(l), c.trips(l), walk.step);
    }
    c.out.blank();
    const std::string base = c.workspace();
    c.out.comment(several ? "In the workspace: a counter for the barrier of each team, then the results of the parts."
                          : "In the workspace: a counter for the barrier, then the results of the parts.");
    c.out.line("unsigned int* arrived = reinterpret_cast<unsigned int*>({}{});", base,
               several ? fmt::format(" + team * {}", barrier_bytes) : "");
    c.out.line("unsigned char* results = {} + {}{};", base, several ? "teams * " : "", barrier_bytes);
    if (!several) return;
    c.out.line("int turn = 0;  // of two places for results: some blocks may be a {} ahead", walk.noun);
    c.out.open("for ({0} {1} = team; {1} < {2}; {1} += teams)", index, walk.noun, walk.groups);
}

void team_renderer::close() {
    if (walk.groups.empty()) return;
    c.out.line("turn = 1 - turn;");
    c.out.line("__syncthreads();  // the next {} uses the shared arrays again", walk.noun);
    c.out.close();
}

void team_renderer::meet(int l) {
    const std::vector<int>& reductions = c.k.loops[static_cast<std::size_t>(l)].reductions;
    const bool several = !walk.groups.empty();
    const std::string slots = walk.slots > 1 ? fmt::format(" * {}", walk.slots) : "";
    const auto slot = [&](const std::string& part) {
        return walk.slots > 1 ? part + slots + " + " + walk.column : part;
    };
    c.out.blank();
    c.out.comment(
        "The block leaves the result of its part; when its whole team has, it folds those of all parts, in "
        "their own order.");
    for (int r : reductions) {
        const std::string type = c.type(c.at(r).type);
        const int size = partial_bytes(c.k) * walk.slots;
        const int before = results++ * size;  // a block's bytes before this result
        std::string past;
        if (several)
            past = fmt::format(" + {} * gridDim.x", before > 0 ? fmt::format("({} + turn * {})", 2 * before, size)
                                                               : fmt::format("turn * {}", size));
        else if (before > 0)
            past = fmt::format(" + {} * gridDim.x", before);
        c.out.line("{0}* {1}_of_part = reinterpret_cast<{0}*>(results{2}){3};", type, c.name(r), past,
                   several ? " + team * parts" + slots : "");
    }
    if (reductions.size() == 1 && !c.has_neighbours())
        c.out.line("if ({0}) {1}_of_part[{2}] = {1};", walk.writer, c.name(reductions[0]), slot("part"));
    else {
        c.out.open("if ({})", walk.writer);
        c.open_neighbours();
        for (int r : reductions) c.out.line("{}_of_part[{}] = {};", c.name(r), slot("part"), c.own(r));
        c.close_neighbours();
        c.out.close();
    }
    c.out.line("meet_team(arrived, part, parts);");
    fold_parts(c, reductions, walk.first, walk.distance, slot("p"));
}

void write_grid_barrier(writer& w) {
    w.comment(
        "Waits until every block of the team has come here. An arrival adds 1 to the counter, that of part 0 what is "
        "missing to 2^31: the top bit flips when the last one arrives, and the counter is ready for the next barrier.");
    w.open("static __device__ __forceinline__ void meet_team(unsigned int* arrived, const int part, const int parts)");
    w.line("__syncthreads();");
    w.open("if (threadIdx.x == 0)");
    w.line("__threadfence();  // what the block has written is visible before its arrival");
    w.line("const unsigned int before = atomicAdd(arrived, part == 0 ? 0x80000001u - unsigned(parts) : 1u);");
    w.line("const volatile unsigned int* now = arrived;");
    w.line("while (((*now ^ before) & 0x80000000u) == 0) __nanosleep(20);");
    w.line("__threadfence();  // and what the others have written, behind it");
    w.close();
    w.line("__syncthreads();");
    w.close();
}

std::size_t grid_barrier_bytes(const kernel& k, const schedule& s, std::size_t slots) {
    std::size_t reductions = 0;
    for (const inner_loop& l : k.loops) reductions += l.reductions.size();
    return static_cast<std::size_t>(s.teams) * barrier_bytes +
           2 * reductions * slots * static_cast<std::size_t>(partial_bytes(k));
}

}  // namespace sinter::codegen
