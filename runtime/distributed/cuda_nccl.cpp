// The link of GPUs that NCCL connects: one communicator a member. Calls for several members, and several transfers, are
// one group, so that none waits for another that was not yet asked for.
#include <runtime/cuda/cuda_context.hpp>
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/distributed/cuda_nccl_library.hpp>
#include <runtime/distributed/link.hpp>
#include <runtime/distributed/rendezvous.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

using namespace nccl;

/// How many elements of which of NCCL's types a dtype's sums are; none where it has none.
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
    nccl_link(const library& l, std::vector<device*> members, int first, int size, rendezvous* with)
        : nccl_(l), members_(std::move(members)), first_(first), communicators_(members_.size()) {
        unique_id id{};
        if (first_ == 0) check(nccl_.get_unique_id(&id), "making an id");
        if (with != nullptr) with->broadcast(&id, sizeof id);
        check(nccl_.group_start(), "starting");
        for (std::size_t m = 0; m < members_.size(); ++m) {
            cuda_context_of(*members_[m])->enter();  // NCCL takes the device whose context is current
            check(nccl_.init_rank(&communicators_[m], size, id, first_ + static_cast<int>(m)),
                  "connecting the members");
        }
        check(nccl_.group_end(), "connecting the members");
    }
    ~nccl_link() override {
        for (communicator c : communicators_) nccl_.destroy(c);
    }
    nccl_link(const nccl_link&) = delete;
    nccl_link& operator=(const nccl_link&) = delete;

    std::string describe() const override { return "NCCL " + nccl_.version_text; }

    void exchange(std::span<const transfer> all) override {
        bool any = false;
        for (const transfer& t : all) {
            if (t.from == t.to)
                members_[local(t.from)]->copy_within(t.target, t.source, t.bytes);
            else
                any = true;
        }
        if (!any) return;
        check(nccl_.group_start(), "starting a group");
        for (const transfer& t : all) {
            if (t.from == t.to) continue;
            if (t.source != nullptr)
                check(nccl_.send(t.source, t.bytes, data_type::uint8, t.to, communicators_[local(t.from)],
                                 stream_of(t.from)),
                      "sending");
            if (t.target != nullptr)
                check(nccl_.receive(t.target, t.bytes, data_type::uint8, t.from, communicators_[local(t.to)],
                                    stream_of(t.to)),
                      "receiving");
        }
        check(nccl_.group_end(), "sending and receiving");
    }

    bool adds_up(dtype type) const override {
        data_type in{};
        return elements_of(type, in) > 0;
    }
    void all_reduce(std::span<const partial_sums> all) override {
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
    }

private:
    std::size_t local(int member) const { return static_cast<std::size_t>(member - first_); }
    CUstream stream_of(int member) const {
        device& d = *members_[local(member)];
        return static_cast<CUstream>(d.native_stream(d.stream_now()));
    }
    void check(status r, const char* what) const {
        if (r != 0)
            throw error(
                fmt::format("mesh: {} failed with NCCL's error {} ({}); NCCL_DEBUG=WARN tells more, and "
                            "SINTER_NCCL=off does without it",
                            what, r, nccl_.error_text(r)));
    }

    const library& nccl_;
    const std::vector<device*> members_;
    const int first_;
    std::vector<communicator> communicators_;
};

}  // namespace

std::unique_ptr<link> make_nccl_link(std::vector<device*> members, int first, int size, rendezvous* with) {
    const library* const l = find();
    if (l == nullptr)
        throw error(
            "mesh: NCCL connects GPUs, and libnccl.so.2 was not found: install it (nvidia-nccl-cu13 of PyPI, libnccl2 "
            "of "
            "NVIDIA's packages), set SINTER_NCCL to its file, or to off to copy without it");
    return std::make_unique<nccl_link>(*l, std::move(members), first, size, with);
}

std::string gpu_identity(const device& d) {
    const cuda_context* const own = nccl::is_off() ? nullptr : cuda_context_of(d);
    if (own == nullptr) return "";
    CUuuid id{};
    own->check(own->cuda.device_get_uuid(&id, own->device), "asking for the device's identity");
    return {id.bytes, sizeof id.bytes};
}

}  // namespace sinter::codegen
