// A mesh as the device of sharded storage. It has no memory and runs no kernels itself: its members do.
#pragma once

#include <runtime/devices/device.hpp>
#include <runtime/distributed/interval.hpp>
#include <runtime/distributed/link.hpp>
#include <runtime/distributed/process_group.hpp>
#include <sinter/storage.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::codegen {

class mesh_device final : public kernel_device {
public:
    /// `local` are this process's members, numbered from `first` on; `others` are the processes of the rest, null if
    /// there are none.
    mesh_device(int size, int first, std::vector<device*> local, std::unique_ptr<link> between,
                std::unique_ptr<process_group> others = nullptr);
    ~mesh_device() override;

    int size() const { return size_; }
    int first() const { return first_; }
    const std::vector<device*>& local() const { return local_; }
    /// A member's position in `local`; -1 for members of other processes.
    int local_index(int member) const {
        const int i = member - first_;
        return i >= 0 && i < static_cast<int>(local_.size()) ? i : -1;
    }
    bool one_process() const { return static_cast<int>(local_.size()) == size_; }

    /// Must precede exchanges between processes: throws in every process unless all pass the same numbers, which
    /// `describe` explains in words.
    void agree(std::span<const std::int64_t> numbers, const std::function<std::string()>& describe);
    std::unique_ptr<pending_transfers> start(const std::vector<transfer>& all);
    void exchange(const std::vector<transfer>& all) {
        const std::unique_ptr<pending_transfers> pending = start(all);
        for (std::size_t m = 0; m < local_.size(); ++m) pending->wait(m);
    }
    bool adds_up(dtype type) const { return between_->adds_up(type); }
    void all_reduce(const std::vector<partial_sums>& all);
    const link& between() const { return *between_; }
    /// The processes of the other members; null if there are none.
    process_group* others() const { return others_.get(); }
    /// Tells the processes of the other members, if any, that this one cannot continue.
    void tell_failure(const std::string& why) noexcept {
        if (others_) others_->tell_failure(why);
    }
    /// Bytes that this process's members have sent to other members.
    std::int64_t bytes_sent() const { return bytes_sent_.load(std::memory_order_relaxed); }

    const std::string& name() const override { return name_; }
    mesh_device* as_mesh() override { return this; }
    /// Evaluates to whole arrays on the first of this process's members.
    void evaluate_over_members(const ir::program& program, const detail::arguments_view& arguments,
                               detail::evaluation_result* results) override;
    void synchronize() override;

    const device_properties& properties() const override { refuse(); }
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
    const std::unique_ptr<process_group> others_;  // before the link, which may use it
    const std::unique_ptr<link> between_;
    const std::string name_;
    std::atomic<std::int64_t> bytes_sent_{0};
};

/// A mesh over a group's processes, whose members are their current devices.
std::shared_ptr<mesh_device> mesh_of_group(std::unique_ptr<process_group> group);

/// The contents of a sharded array's storage, in place of elements.
struct sharding {
    std::shared_ptr<mesh_device> mesh;
    int axis = -1;                           ///< the split axis; -1: replicated
    std::vector<detail::storage_ref> parts;  ///< of this process's members
};

/// Storage on the mesh, with the whole array's extents.
detail::storage_ref make_sharded_storage(sharding of, dtype type, int rank, const std::int64_t* extents);
/// The sharding of storage that is on a mesh.
const sharding& sharding_of(const detail::storage& s);

}  // namespace sinter::codegen
