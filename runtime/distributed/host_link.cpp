// The link between processes whose members NCCL does not connect: data goes through host memory and the engine that
// connects the processes. Members on the host send and receive in place.
#include <runtime/distributed/link.hpp>
#include <runtime/distributed/process_group.hpp>

#include <deque>

namespace sinter::codegen {
namespace {

/// A transfer that arrives in host memory, to be copied to the member's device.
struct arrival_on_host {
    void* target;
    std::vector<unsigned char> bytes;
};

class pending_through_host final : public pending_transfers {
public:
    explicit pending_through_host(device& member) : member_(member) {}

    void start(std::span<const transfer> all, process_group& group) {
        std::vector<message> messages;
        for (const transfer& t : all) {
            if (t.from == t.to) {
                member_.copy_within(t.target, t.source, t.bytes);
            } else if (t.source != nullptr) {
                messages.push_back({t.to, bytes_of(t), t.bytes, true});
            } else {
                messages.push_back({t.from, destination_of(t), t.bytes, false});
            }
        }
        on_their_way_ = group.start(messages);
    }
    bool waits_on_host() const override { return true; }
    void wait(std::size_t) override {
        on_their_way_->wait();
        for (const arrival_on_host& a : arrivals_) member_.copy_from_host(a.target, a.bytes.data(), a.bytes.size());
    }

private:
    void* bytes_of(const transfer& t) {
        if (member_.is_host()) return const_cast<void*>(t.source);
        staged_.emplace_back(t.bytes);
        member_.copy_to_host(staged_.back().data(), t.source, t.bytes);
        return staged_.back().data();
    }
    void* destination_of(const transfer& t) {
        if (member_.is_host()) return t.target;
        arrivals_.push_back({t.target, std::vector<unsigned char>(t.bytes)});
        return arrivals_.back().bytes.data();
    }

    device& member_;
    std::deque<std::vector<unsigned char>> staged_;
    std::deque<arrival_on_host> arrivals_;
    std::unique_ptr<pending_messages> on_their_way_;
};

class host_link final : public link {
public:
    host_link(device& member, process_group& group) : member_(member), group_(group) {}

    std::string describe() const override { return group_.describe(); }

    std::unique_ptr<pending_transfers> start(std::span<const transfer> all) override {
        auto pending = std::make_unique<pending_through_host>(member_);
        pending->start(all, group_);
        return pending;
    }

    bool adds_up(dtype type) const override { return group_.adds_up(type); }
    void all_reduce(std::span<const partial_sums> all) override {
        for (const partial_sums& s : all) {
            void* const sums = s.local.front();
            if (member_.is_host()) {
                group_.all_reduce(sums, s.count, s.type);
                continue;
            }
            std::vector<unsigned char> staged(static_cast<std::size_t>(s.count) * size_of(s.type));
            member_.copy_to_host(staged.data(), sums, staged.size());
            group_.all_reduce(staged.data(), s.count, s.type);
            member_.copy_from_host(sums, staged.data(), staged.size());
        }
    }

private:
    device& member_;
    process_group& group_;
};

}  // namespace

std::unique_ptr<link> make_host_link(device& member, process_group& group) {
    return std::make_unique<host_link>(member, group);
}

}  // namespace sinter::codegen
