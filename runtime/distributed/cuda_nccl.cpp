// The NCCL link between GPUs: one communicator per member. Calls for several members and several transfers are grouped,
// so that none waits for another that has not been issued yet.
#include <runtime/cuda/cuda_context.hpp>
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/distributed/cuda_nccl_library.hpp>
#include <runtime/distributed/cuda_nccl_watch.hpp>
#include <runtime/distributed/link.hpp>
#include <runtime/distributed/process_group.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

using namespace nccl;

/// The number and NCCL type of the elements that a dtype's sums consist of; 0 if unsupported.
int elements_of(dtype type, data_type& in) {
    switch (type) {
        case dtype::int64: in = data_type::int64; return 1;
        case dtype::uint64: in = data_type::uint64; return 1;
        case dtype::float32: in = data_type::float32; return 1;
        case dtype::float64: in = data_type::float64; return 1;
        case dtype::complex64: in = data_type::float32; return 2;
        case dtype::complex128: in = data_type::float64; return 2;
        default: return 0;
    }
}

class nccl_link final : public link {
public:
    nccl_link(const library& l, std::vector<device*> members, int first, int size, process_group* group)
        : nccl_(l), members_(std::move(members)), first_(first), group_(group), communicators_(members_.size()) {
        unique_id id{};
        if (first_ == 0) check(nccl_.get_unique_id(&id), "making an id");
        if (group != nullptr) group->broadcast(&id, sizeof id);
        check(nccl_.group_start(), "starting");
        for (std::size_t m = 0; m < members_.size(); ++m) {
            members_[m]->make_urgent_stream();
            cuda_context_of(*members_[m])->enter();  // NCCL uses the current context's device
            check(nccl_.init_rank(&communicators_[m], size, id, first_ + static_cast<int>(m)),
                  "connecting the members");
        }
        check(nccl_.group_end(), "connecting the members");
        if (group != nullptr)
            watch_ =
                std::make_unique<nccl_watch>(l, communicators_.front(), *cuda_context_of(*members_.front()), *group);
    }
    ~nccl_link() override {
        const bool aborted = watch_ != nullptr && watch_->gave_up();
        watch_.reset();
        // Destroying a communicator waits for the other processes.
        const bool alone = group_ != nullptr && group_->is_broken();
        for (communicator c : communicators_)
            if (!aborted) alone ? nccl_.abort(c) : nccl_.destroy(c);
    }
    nccl_link(const nccl_link&) = delete;
    nccl_link& operator=(const nccl_link&) = delete;

    std::string describe() const override { return "NCCL " + nccl_.version_text; }

    /// Uses each member's urgent stream, so that it can meanwhile compute what does not depend on the transfers, and
    /// they do not wait until its multiprocessors have room.
    std::unique_ptr<pending_transfers> start(std::span<const transfer> all) override {
        bool any = false;
        for (const transfer& t : all) {
            if (t.from == t.to)
                members_[local(t.from)]->copy_within(t.target, t.source, t.bytes);
            else
                any = true;
        }
        if (any) {
            for (device* d : members_) d->let_native_wait(d->native_stream(urgent_stream));
            send_and_receive(all);
        }
        return std::make_unique<pending>(*this, any);
    }

    bool adds_up(dtype type) const override {
        data_type in{};
        return elements_of(type, in) > 0;
    }
    void all_reduce(std::span<const partial_sums> all) override {
        const CUevent begin = event_on(members_.front()->stream_now());
        check(nccl_.group_start(), "starting a group");
        for (const partial_sums& s : all) {
            data_type type{};
            const auto count = static_cast<std::size_t>(s.count * elements_of(s.type, type));
            for (std::size_t m = 0; m < members_.size(); ++m)
                check(nccl_.all_reduce(s.local[m], s.local[m], count, type, reduction::sum, communicators_[m],
                                       stream_of(first_ + static_cast<int>(m))),
                      "adding up");
        }
        check(nccl_.group_end(), "adding up");
        if (watch_ != nullptr) watch_->follow(begin, event_on(members_.front()->stream_now()));
    }

private:
    class pending final : public pending_transfers {
    public:
        pending(const nccl_link& l, bool any) : link_(l), any_(any) {}
        void wait(std::size_t m) override {
            if (any_) link_.members_[m]->wait_for_stream(urgent_stream);
        }

    private:
        const nccl_link& link_;
        const bool any_;
    };

    void send_and_receive(std::span<const transfer> all) {
        const CUevent begin = event_on(urgent_stream);
        check(nccl_.group_start(), "starting a group");
        for (const transfer& t : all) {
            if (t.from == t.to) continue;
            if (t.source != nullptr)
                check(nccl_.send(t.source, t.bytes, data_type::uint8, t.to, communicators_[local(t.from)],
                                 own_stream_of(t.from)),
                      "sending");
            if (t.target != nullptr)
                check(nccl_.receive(t.target, t.bytes, data_type::uint8, t.from, communicators_[local(t.to)],
                                    own_stream_of(t.to)),
                      "receiving");
        }
        check(nccl_.group_end(), "sending and receiving");
        if (watch_ != nullptr) watch_->follow(begin, event_on(urgent_stream));
    }

    /// An event at the end of a stream of the first member; null if exchanges are not watched.
    CUevent event_on(int stream) const {
        if (watch_ == nullptr) return nullptr;
        const cuda_context& c = *cuda_context_of(*members_.front());
        c.expect_whole();
        c.enter();
        CUevent event = nullptr;
        c.check(c.cuda.event_create(&event, CU_EVENT_DISABLE_TIMING), "making an event");
        c.check(c.cuda.event_record(event, static_cast<CUstream>(members_.front()->native_stream(stream))),
                "recording an event");
        return event;
    }

    std::size_t local(int member) const { return static_cast<std::size_t>(member - first_); }
    CUstream own_stream_of(int member) const {
        return static_cast<CUstream>(members_[local(member)]->native_stream(urgent_stream));
    }
    CUstream stream_of(int member) const {
        device& d = *members_[local(member)];
        return static_cast<CUstream>(d.native_stream(d.stream_now()));
    }
    void check(status r, const char* what) const {
        if (r != 0)
            throw error(
                fmt::format("mesh: {} failed with NCCL's error {} ({}); NCCL_DEBUG=WARN prints more, and "
                            "SINTER_NCCL=off copies without NCCL",
                            what, r, nccl_.error_text(r)));
    }

    const library& nccl_;
    const std::vector<device*> members_;
    const int first_;
    const process_group* const group_;
    std::vector<communicator> communicators_;
    std::unique_ptr<nccl_watch> watch_;  ///< if other processes own the other members
};

}  // namespace

std::unique_ptr<link> make_nccl_link(std::vector<device*> members, int first, int size, process_group* group) {
    const library* const l = find();
    if (l == nullptr)
        throw error(
            "mesh: NCCL connects GPUs, and libnccl.so.2 was not found: install it (nvidia-nccl-cu13 of PyPI, libnccl2 "
            "of "
            "NVIDIA's packages), set SINTER_NCCL to its file, or to off to copy without it");
    return std::make_unique<nccl_link>(*l, std::move(members), first, size, group);
}

std::string gpu_identity(const device& d) {
    const cuda_context* const own = nccl::is_off() ? nullptr : cuda_context_of(d);
    if (own == nullptr) return "";
    CUuuid id{};
    own->check(own->cuda.device_get_uuid(&id, own->device), "querying the device's identity");
    return {id.bytes, sizeof id.bytes};
}

}  // namespace sinter::codegen
