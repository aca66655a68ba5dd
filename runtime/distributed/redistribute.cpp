// Resharding from one axis to another: an all-to-all exchange.
#include <codegen/ir/print.hpp>
#include <runtime/distributed/evaluate.hpp>
#include <runtime/distributed/relocation.hpp>
#include <runtime/order/capture.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {

std::vector<detail::storage_ref> redistribute(mesh_device& mesh, const std::vector<detail::storage_ref>& parts,
                                              const std::int64_t* shape, int from, int to, bool once) {
    if (from == to) return parts;
    refuse_in_capture("moving a sharded array's elements");
    const dtype type = parts.front()->type;
    const int rank = parts.front()->rank;
    std::vector<std::int64_t> numbers{from, to, once, static_cast<std::int64_t>(type)};
    numbers.insert(numbers.end(), shape, shape + rank);
    mesh.agree(numbers, [&] {
        return fmt::format("the parts of a {} {}, split along axis {}{}", name(type), shape_text(shape, rank), from,
                           to < 0 ? ", to make it whole" : fmt::format(", to split it along axis {}", to));
    });
    array_layout array{type, rank, {}, from};
    std::copy_n(shape, rank, array.shape.begin());
    const array_layout wanted{type, rank, array.shape, to};
    relocation r(mesh);
    for (int member = 0; member < mesh.size(); ++member)
        if (!once || !mesh.one_process() || member == 0)
            r.add(array, parts, member, box_of(wanted, member, mesh.size()));
    r.start();
    std::vector<detail::storage_ref> made;
    for (std::size_t m = 0; m < mesh.local().size(); ++m)
        for (detail::storage_ref& whole : r.finish(m)) made.push_back(std::move(whole));
    return made;
}

}  // namespace sinter::codegen
