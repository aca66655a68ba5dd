// Parts along one axis to parts along another. What goes from one member to another is a block: the part that the one
// has along the first axis of the part that the other gets along the second. Blocks whose elements do not lie side by
// side are packed and unpacked by copy kernels.
#include <codegen/ir/print.hpp>
#include <runtime/distributed/evaluate.hpp>
#include <runtime/distributed/stages.hpp>
#include <runtime/memory/copy.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <runtime/order/order.hpp>
#include <sinter/wrap.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

using detail::storage_ref;

/// A range along one axis of an array; axis -1: all of it.
struct block {
    int axis;
    part range;
};

extents shape_of(const detail::storage& s, const block& b) {
    extents e{};
    std::copy_n(s.extents, s.rank, e.begin());
    if (b.axis >= 0) e[static_cast<std::size_t>(b.axis)] = b.range.count;
    return e;
}

std::int64_t offset_of(const detail::storage& s, const block& b) {
    return b.axis < 0 ? 0 : b.range.first * s.strides[b.axis];
}

bool is_contiguous(const detail::storage& s, const block& b) {
    std::int64_t before = 1;
    for (int a = 0; a < b.axis; ++a) before *= s.extents[a];
    return before == 1;
}

/// The block's elements as an array of their own, without copying. The caller sees to it that `s` outlives the work.
storage_ref view_of(const storage_ref& s, const block& b) {
    order_read(*s.get());
    const extents shape = shape_of(*s.get(), b);
    const auto size = static_cast<std::int64_t>(size_of(s->type));
    return detail::wrap_memory({static_cast<char*>(s->data) + offset_of(*s.get(), b) * size, s->type, s->where, false},
                               s->rank, shape.data(), s->strides);
}

/// Copies `from`, which has the block's shape, into a block of `to` on the same device.
void write_block(const storage_ref& from, const storage_ref& to, const block& b) {
    const extents shape = shape_of(*to.get(), b);
    detail::region into{to.get(), offset_of(*to.get(), b)};
    std::copy_n(to->strides, to->rank, into.strides);
    detail::evaluation_result result{to->rank, shape.data(), nullptr, &into};
    copy_elements(from, result);
}

/// The elements of a block, side by side: the memory itself, or a copy.
storage_ref packed(const storage_ref& s, const block& b) {
    const storage_ref view = view_of(s, b);
    return is_contiguous(*s.get(), b) ? view : detail::dense(view);
}

}  // namespace

std::vector<storage_ref> redistribute(mesh_device& mesh, const std::vector<storage_ref>& parts,
                                      const std::int64_t* shape, int from, int to, bool once) {
    if (from == to) return parts;
    refuse_in_capture("moving a sharded array's elements");
    const dtype type = parts.front()->type;
    const int rank = parts.front()->rank, size = mesh.size();
    std::vector<std::int64_t> numbers{from, to, once, static_cast<std::int64_t>(type)};
    numbers.insert(numbers.end(), shape, shape + rank);
    mesh.agree(numbers, [&] {
        return fmt::format("the parts of a {} {}, split along axis {}{}", name(type), shape_text(shape, rank), from,
                           to < 0 ? ", to make it whole" : fmt::format(", to split it along axis {}", to));
    });
    extents whole{};
    std::copy_n(shape, rank, whole.begin());
    const auto gets = [&](int member) { return !once || !mesh.one_process() || member == 0; };
    const auto share = [&](int axis, int member) { return axis < 0 ? part{} : part_of(shape[axis], member, size); };

    std::vector<storage_ref> made;
    for (std::size_t m = 0; m < parts.size(); ++m) {
        const extents own = local_shape(whole, to, mesh.first() + static_cast<int>(m), size);
        if (gets(mesh.first() + static_cast<int>(m)))
            made.push_back(make_storage_on(*mesh.local()[m], type, rank, own.data()));
    }

    std::vector<transfer> transfers;
    std::vector<storage_ref> sources;  // until the transfers are submitted
    struct arrival {
        storage_ref elements;
        std::size_t local;
        block where;
    };
    std::vector<arrival> arrivals;
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            // a member that has the whole needs nobody
            if (!gets(j) || (from < 0 && i != j)) continue;
            const int here = mesh.local_index(i), there = mesh.local_index(j);
            if (here < 0 && there < 0) continue;
            const block taken{to, share(to, j)}, given{from, share(from, i)};
            extents piece = local_shape(whole, from, i, size);
            if (to >= 0) piece[static_cast<std::size_t>(to)] = taken.range.count;
            const std::int64_t count = size_of_shape(piece, rank);
            if (count == 0) continue;
            if (i == j) {
                write_block(view_of(parts[static_cast<std::size_t>(here)], taken),
                            made[static_cast<std::size_t>(there)], given);
                continue;
            }
            transfer t{i, j, nullptr, nullptr, static_cast<std::size_t>(count) * size_of(type)};
            if (here >= 0) {
                sources.push_back(packed(parts[static_cast<std::size_t>(here)], taken));
                t.source = sources.back()->data;
            }
            if (there >= 0) {
                const storage_ref& target = made[static_cast<std::size_t>(there)];
                if (is_contiguous(*target.get(), given)) {
                    t.target = static_cast<char*>(target->data) +
                               static_cast<std::size_t>(offset_of(*target.get(), given)) * size_of(type);
                } else {
                    arrivals.push_back({make_storage_on(*target->where, type, rank, piece.data()),
                                        static_cast<std::size_t>(there), given});
                    t.target = arrivals.back().elements->data;
                }
            }
            transfers.push_back(t);
        }
    }
    mesh.exchange(transfers);
    for (const arrival& a : arrivals) write_block(a.elements, made[a.local], a.where);
    return made;
}

}  // namespace sinter::codegen
