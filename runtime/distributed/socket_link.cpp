// The link between processes where there is no NCCL for them: bytes go through the host's memory and sockets.
#include <runtime/distributed/link.hpp>
#include <runtime/distributed/rendezvous.hpp>

namespace sinter::codegen {
namespace {

class socket_link final : public link {
public:
    socket_link(device& member, const rendezvous& with) : member_(member), with_(with) {}

    std::string describe() const override { return "sockets"; }

    /// One transfer after the other. Nobody waits in vain: of all transfers that are not done, the first in the order
    /// that the processes share is the next one of both its ends.
    void exchange(std::span<const transfer> all) override {
        for (const transfer& t : all) {
            if (t.from == t.to) {
                member_.copy_within(t.target, t.source, t.bytes);
                continue;
            }
            through_.resize(t.bytes);
            if (t.from == with_.rank()) {
                member_.copy_to_host(through_.data(), t.source, t.bytes);
                with_.send(t.to, through_.data(), t.bytes);
            } else {
                with_.receive(t.from, through_.data(), t.bytes);
                member_.copy_from_host(t.target, through_.data(), t.bytes);
            }
        }
    }

private:
    device& member_;
    const rendezvous& with_;
    std::vector<unsigned char> through_;
};

}  // namespace

std::unique_ptr<link> make_socket_link(device& member, const rendezvous& with) {
    return std::make_unique<socket_link>(member, with);
}

}  // namespace sinter::codegen
