// Checks each access of a thread to its shared memory, to other blocks' and to device memory: bounds and order.
#include <tests/emulate/block_runner.hpp>

#include <fmt/format.h>

#include <string>

namespace sinter::emulate {

using sinter_emulate::access_kind;

bool block_runner::in_shared(const char* p, unsigned long bytes) const {
    return p >= request_.image->shared_begin && p + bytes <= request_.image->shared_end;
}

void block_runner::on_access(const void* address, unsigned long bytes, access_kind exactly) {
    access_kind kind = exactly;
    block_runner& r = *at_work;
    const auto* p = static_cast<const char*>(address);
    const sinter_emulate::image_state& image = *r.request_.image;
    const char* const does = kind == access_kind::atomic                                       ? "updates"
                             : kind == access_kind::read || kind == access_kind::volatile_read ? "reads"
                                                                                               : "writes";
    if (kind == access_kind::volatile_read) kind = access_kind::read;  // treated alike below
    if (kind == access_kind::volatile_write) kind = access_kind::write;
    if (r.in_shared(p, bytes)) {
        const auto offset = static_cast<std::size_t>(p - image.shared_begin);
        if (!r.races_.initialise(offset, bytes, kind != access_kind::read, kind != access_kind::write))
            r.fail(fmt::format("{} byte {} of shared memory, which this block has not written yet: give it a value "
                               "before, and let a barrier stand between",
                               does, offset),
                   0);
        if (kind == access_kind::atomic) return;
        const access_time now = {r.block_clock_, r.warp_clock_[static_cast<std::size_t>(r.current_ / 32)]};
        const int other = r.races_.access(offset, bytes, kind == access_kind::write, r.current_, now);
        if (r.request_.cluster > 1 && kind == access_kind::write &&
            !r.cluster_.write(r.rank(), offset, bytes, r.threads_[static_cast<std::size_t>(r.current_)].time))
            r.fail(fmt::format("writes byte {} of shared memory, which another block reads with no barrier of the "
                               "cluster between them",
                               offset),
                   0);
        if (other >= 0)
            r.fail(fmt::format("{} byte {} of shared memory, which thread {} uses too with no barrier between them",
                               does, offset, other),
                   0);
        return;
    }
    if (r.threads_[static_cast<std::size_t>(r.current_)].on->owns(p)) return;
    if (const cluster_blocks::place at = r.cluster_.find(p); at.rank >= 0) {
        if (kind != access_kind::read)
            r.fail(fmt::format("{} another block's shared memory; the emulator knows only how to read it", does), 0);
        if (!r.cluster_.read(at, bytes, r.threads_[static_cast<std::size_t>(r.current_)].time))
            r.fail(fmt::format("reads byte {} of the shared memory of block {} of its cluster, which that one writes "
                               "with no barrier of the cluster between them",
                               at.offset, at.rank),
                   0);
        return;
    }
    if (kind != access_kind::write && !r.memory_.is_written(p, bytes))
        r.fail(fmt::format("{} {} bytes that nothing has written, {}", does, bytes, r.memory_.describe(p)), 0);
    std::string unordered;
    if (r.memory_.use(p, bytes, kind != access_kind::read, unordered)) {
        if (!unordered.empty()) r.fail(unordered, 0);
        if (r.request_.grid > 1) r.on_global_access(p, bytes, exactly, does);
        return;
    }
    if (kind == access_kind::read && p >= image.image_begin && p + bytes <= image.image_end) return;
    if (address >= r.threads_.data() && address < r.threads_.data() + r.threads_.size())
        return;  // a collective's values
    r.fail(fmt::format("{} {} bytes {}", does, bytes, r.memory_.describe(p)), 0);
}

void block_runner::on_global_access(const void* p, unsigned long bytes, access_kind kind, const char* does) {
    race_cell* const cells = memory_.race_cells(p, bytes);
    if (cells == nullptr) fail("the host has no memory left to find races in; use smaller arrays", 0);
    const std::int64_t other = global_races_.access(cells, p, bytes, kind);
    if (other < 0) return;
    fail(
        fmt::format("{} {} bytes that block {} uses too, one of them writing, and no fence, flag or barrier orders the "
                    "two, {}",
                    does, bytes, other, memory_.describe(p)),
        0);
}

void block_runner::on_fence() {
    if (at_work->request_.grid > 1) at_work->global_races_.fence();
}

}  // namespace sinter::emulate
