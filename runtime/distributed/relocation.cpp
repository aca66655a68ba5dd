// Packs, sends, receives and unpacks blocks.
#include <runtime/distributed/relocation.hpp>

#include <runtime/memory/copy.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/order.hpp>
#include <sinter/wrap.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

using detail::storage_ref;

extents shape_of(const box& b, int rank) {
    extents e{};
    for (int a = 0; a < rank; ++a) e[as_size(a)] = b[as_size(a)].size();
    return e;
}

/// The offset of a block's first element in an array that holds `whole`.
std::int64_t offset_of(const detail::storage& s, const box& whole, const box& block) {
    std::int64_t offset = 0;
    for (int a = 0; a < s.rank; ++a) offset += (block[as_size(a)].begin - whole[as_size(a)].begin) * s.strides[a];
    return offset;
}

/// Whether a block's elements are contiguous in row-major order.
bool is_contiguous(const detail::storage& s, const box& block) {
    if (!is_dense(s)) return false;
    int a = s.rank - 1;
    while (a >= 0 && block[as_size(a)].size() == s.extents[a]) --a;
    for (--a; a >= 0; --a)
        if (block[as_size(a)].size() != 1) return false;
    return true;
}

/// A view of the block's elements, without copying. The caller keeps `s` alive until the work is done.
storage_ref view_of(const storage_ref& s, const box& whole, const box& block) {
    order_read(*s.get());
    const extents shape = shape_of(block, s->rank);
    const auto size = static_cast<std::int64_t>(size_of(s->type));
    return detail::wrap_memory(
        {static_cast<char*>(s->data) + offset_of(*s.get(), whole, block) * size, s->type, s->where, false}, s->rank,
        shape.data(), s->strides);
}

/// Copies `from`, of the block's shape, into a block of `to` on the same device.
void write_block(const storage_ref& from, const storage_ref& to, const box& whole, const box& block) {
    const extents shape = shape_of(block, to->rank);
    detail::region into{to.get(), offset_of(*to.get(), whole, block)};
    std::copy_n(to->strides, to->rank, into.strides);
    detail::evaluation_result result{to->rank, shape.data(), nullptr, &into};
    copy_elements(from, result);
}

}  // namespace

box box_of(const array_layout& array, int axis, const interval& range) {
    box b{};
    for (int a = 0; a < array.rank; ++a) b[as_size(a)] = {0, array.shape[as_size(a)]};
    if (axis >= 0) b[as_size(axis)] = range;
    return b;
}

box box_of(const array_layout& array, int member, int members) {
    return box_of(array, array.axis,
                  array.axis < 0 ? interval{} : part_of(array.shape[as_size(array.axis)], member, members));
}

storage_ref packed_block(const storage_ref& s, const box& whole, const box& block) {
    const storage_ref view = view_of(s, whole, block);
    return is_contiguous(*s.get(), block) ? view : detail::dense(view);
}

void copy_block(const storage_ref& from, const box& from_whole, const storage_ref& to, const box& to_whole,
                const box& block) {
    write_block(view_of(from, from_whole, block), to, to_whole, block);
}

void relocation::add(const array_layout& array, const std::vector<storage_ref>& parts, int member, const box& wanted) {
    const int there = mesh_.local_index(member);
    storage_ref target;
    if (there >= 0) {
        const extents shape = shape_of(wanted, array.rank);
        target = make_storage_on(*mesh_.local()[as_size(there)], array.type, array.rank, shape.data());
        made_[as_size(there)].push_back(target);
    }
    for (int from = 0; from < mesh_.size(); ++from) {
        const int here = mesh_.local_index(from);
        // a member with the whole array needs no other
        if ((array.axis < 0 && from != member) || (here < 0 && there < 0)) continue;
        const box has = box_of(array, from, mesh_.size());
        box block{};
        std::int64_t count = 1;
        for (int a = 0; a < array.rank; ++a) {
            block[as_size(a)] = intersection(has[as_size(a)], wanted[as_size(a)]);
            count *= block[as_size(a)].size();
        }
        if (count == 0) continue;
        if (from == member) {
            copy_block(parts[as_size(here)], has, target, wanted, block);
            continue;
        }
        transfer t{from, member, nullptr, nullptr, static_cast<std::size_t>(count) * size_of(array.type)};
        if (here >= 0) {
            const storage_ref& part = parts[as_size(here)];
            sources_.push_back(part);
            sources_.push_back(packed_block(part, has, block));
            t.source = sources_.back()->data;
        }
        if (there >= 0) {
            if (is_contiguous(*target.get(), block)) {
                t.target = static_cast<char*>(target->data) +
                           static_cast<std::size_t>(offset_of(*target.get(), wanted, block)) * size_of(array.type);
            } else {
                const extents shape = shape_of(block, array.rank);
                arrivals_.push_back({as_size(there),
                                     make_storage_on(*target->where, array.type, array.rank, shape.data()),
                                     made_[as_size(there)].size() - 1, block, wanted});
                t.target = arrivals_.back().elements->data;
            }
        }
        transfers_.push_back(t);
    }
}

void relocation::start() { pending_ = mesh_.start(transfers_); }

std::vector<storage_ref> relocation::finish(std::size_t m) {
    pending_->wait(m);
    for (const arrival& a : arrivals_)
        if (a.member == m) write_block(a.elements, made_[m][a.made], a.whole, a.where);
    return made_[m];
}

}  // namespace sinter::codegen
