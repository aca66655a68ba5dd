// The mesh as a device, the storage of sharded arrays, and the link within one process.
#include <runtime/distributed/mesh_device.hpp>

#include <runtime/memory/copy.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

class nothing_pending final : public pending_transfers {
public:
    void wait(std::size_t) override {}
};

class local_link final : public link {
public:
    explicit local_link(std::vector<device*> members) : members_(std::move(members)) {}

    std::string describe() const override { return "copies within the process"; }
    std::unique_ptr<pending_transfers> start(std::span<const transfer> all) override {
        for (const transfer& t : all)
            copy_between(*members_[static_cast<std::size_t>(t.to)], t.target,
                         *members_[static_cast<std::size_t>(t.from)], t.source, t.bytes);
        return std::make_unique<nothing_pending>();
    }

private:
    const std::vector<device*> members_;
};

}  // namespace

std::unique_ptr<link> make_local_link(std::vector<device*> members) {
    return std::make_unique<local_link>(std::move(members));
}

mesh_device::mesh_device(int size, int first, std::vector<device*> local, std::unique_ptr<link> between,
                         std::unique_ptr<process_group> others)
    : size_(size),
      first_(first),
      local_(std::move(local)),
      others_(std::move(others)),
      between_(std::move(between)),
      name_(fmt::format("a mesh of {}", size)) {}

mesh_device::~mesh_device() {
    try {
        synchronize();
    } catch (const error&) {  // errors are reported where the results are used
    }
}

void mesh_device::agree(std::span<const std::int64_t> numbers, const std::function<std::string()>& describe) {
    if (!others_) return;
    std::uint64_t digest = 14695981039346656037u;  // FNV-1a, by words
    for (const std::int64_t n : numbers) {
        digest = (digest ^ static_cast<std::uint64_t>(n)) * 1099511628211u;
        digest ^= digest >> 29;
    }
    others_->agree(digest, describe);
}

std::unique_ptr<pending_transfers> mesh_device::start(const std::vector<transfer>& all) {
    std::int64_t sent = 0;
    for (const transfer& t : all)
        if (t.from != t.to && local_index(t.from) >= 0) sent += static_cast<std::int64_t>(t.bytes);
    bytes_sent_.fetch_add(sent, std::memory_order_relaxed);
    if (all.empty()) return std::make_unique<nothing_pending>();
    return between_->start(all);
}

void mesh_device::all_reduce(const std::vector<partial_sums>& all) {
    // Each member sends (size - 1) / size of its data twice: to reduce-scatter the sums, and to all-gather the result
    // (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms", 2009).
    for (const partial_sums& s : all) {
        const auto bytes = s.count * static_cast<std::int64_t>(size_of(s.type) * s.local.size());
        bytes_sent_.fetch_add(2 * bytes * (size_ - 1) / size_, std::memory_order_relaxed);
    }
    between_->all_reduce(all);
}

void mesh_device::synchronize() {
    for (device* d : local_) d->synchronize();
}

void mesh_device::refuse() const {
    throw error(
        fmt::format("the operands are sharded over {} and have no memory or kernels of their own: use x.shard(), "
                    "or gather(x)",
                    name_));
}

detail::storage_ref make_sharded_storage(sharding of, dtype type, int rank, const std::int64_t* extents) {
    auto owner = std::make_unique<sharding>(std::move(of));
    detail::storage_ref ref(new detail::storage);
    detail::storage& s = *ref.get();
    s.type = type;
    s.rank = static_cast<std::int8_t>(rank);
    s.owned = false;
    s.writable = false;
    s.where = owner->mesh.get();
    std::copy_n(extents, rank, s.extents);
    s.owner = owner.release();
    s.release = [](void* p) { delete static_cast<sharding*>(p); };
    return ref;
}

const sharding& sharding_of(const detail::storage& s) { return *static_cast<const sharding*>(s.owner); }

}  // namespace sinter::codegen
