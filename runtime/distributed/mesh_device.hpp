// A mesh as the device that the storage of sharded arrays is on. It has no memory and runs no kernels: its members do.
#pragma once

#include <runtime/devices/device.hpp>
#include <runtime/distributed/link.hpp>
#include <runtime/distributed/rendezvous.hpp>
#include <sinter/storage.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

/// A member's part of an axis.
struct part {
    std::int64_t first = 0;
    std::int64_t count = 0;
};
/// Where it does not come out even, the first members have one element more: those without any are the last.
constexpr part part_of(std::int64_t extent, int member, int members) {
    const std::int64_t each = extent / members, more = extent % members;
    return {each * member + std::min<std::int64_t>(member, more), each + (member < more ? 1 : 0)};
}

class mesh_device final : public kernel_device {
public:
    /// `local` are this process's members, with the numbers from `first` on; `others` are the processes that have the
    /// rest, null where there are none.
    mesh_device(int size, int first, std::vector<device*> local, std::unique_ptr<link> between,
                std::unique_ptr<rendezvous> others = nullptr);
    ~mesh_device() override;

    int size() const { return size_; }
    int first() const { return first_; }
    const std::vector<device*>& local() const { return local_; }
    /// The position among `local` of a member; -1 for those of other processes.
    int local_index(int member) const {
        const int i = member - first_;
        return i >= 0 && i < static_cast<int>(local_.size()) ? i : -1;
    }
    bool one_process() const { return static_cast<int>(local_.size()) == size_; }

    /// To be called before members of several processes exchange anything: throws in every process unless all bring the
    /// same: the numbers, of which `describe` says in words what they are.
    void agree(std::span<const std::int64_t> numbers, const std::function<std::string()>& describe);
    void exchange(const std::vector<transfer>& all);
    bool adds_up(dtype type) const { return between_->adds_up(type); }
    void all_reduce(const std::vector<partial_sums>& all);
    const link& between() const { return *between_; }
    /// Bytes that this process's members have given to other members.
    std::int64_t bytes_sent() const { return bytes_sent_.load(std::memory_order_relaxed); }

    const std::string& name() const override { return name_; }
    mesh_device* as_mesh() override { return this; }
    /// As whole arrays, on the first of this process's members.
    void evaluate_over_members(const ir::program& program, const detail::arguments_view& arguments,
                               detail::evaluation_result* results) override;
    void synchronize() override;

    const machine& properties() const override { refuse(); }
    void* allocate(std::size_t) override { refuse(); }
    using device::deallocate;
    void deallocate(void*, std::size_t, stream_uses) noexcept override {}
    void copy_from_host(void*, const void*, std::size_t) override { refuse(); }
    void copy_to_host(void*, const void*, std::size_t) override { refuse(); }
    void copy_within(void*, const void*, std::size_t) override { refuse(); }
    void fill_zero(void*, std::size_t) override { refuse(); }
    time_mark* mark() override { refuse(); }
    double seconds_between(const time_mark&, const time_mark&) override { refuse(); }
    std::string compile(const std::string&, const compile_options&) override { refuse(); }
    std::string toolchain() const override { refuse(); }
    loaded_kernel* load(const std::string&, const std::string&) override { refuse(); }
    void launch(loaded_kernel*, const launch_shape&, void**) override { refuse(); }

private:
    [[noreturn]] void refuse() const;

    const int size_;
    const int first_;
    const std::vector<device*> local_;
    const std::unique_ptr<rendezvous> others_;  // before the link, which may use it
    const std::unique_ptr<link> between_;
    const std::string name_;
    std::atomic<std::int64_t> bytes_sent_{0};
};

/// What a sharded array's storage holds in place of elements.
struct sharding {
    std::shared_ptr<mesh_device> mesh;
    int axis = -1;                           ///< along which the members have parts; -1: each has the whole
    std::vector<detail::storage_ref> parts;  ///< of this process's members
};

/// Storage on the mesh, of the whole array's extents.
detail::storage_ref make_sharded_storage(sharding of, dtype type, int rank, const std::int64_t* extents);
/// Of storage that is on a mesh.
const sharding& sharding_of(const detail::storage& s);

}  // namespace sinter::codegen
