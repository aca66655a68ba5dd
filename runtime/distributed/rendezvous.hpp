// The processes of one program on one machine: which of them this is, and bytes between any two of them.
#pragma once

#include <runtime/system/process_rank.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::codegen {

/// Connects each process with each other by sockets of the Unix domain. They find each other by a path: that of
/// SINTER_RENDEZVOUS, or one that the children of one process share. Throws where the others do not come in a minute,
/// and when one of them ends early.
class rendezvous {
public:
    explicit rendezvous(process_rank who);
    ~rendezvous();
    rendezvous(const rendezvous&) = delete;
    rendezvous& operator=(const rendezvous&) = delete;

    int rank() const { return who_.rank; }
    int size() const { return who_.size; }

    void send(int to, const void* bytes, std::size_t count) const;
    void receive(int from, void* bytes, std::size_t count) const;
    /// What rank 0 has, for all.
    void broadcast(void* bytes, std::size_t count) const;
    /// What each has, in the order of the ranks: up to 64 KiB each.
    std::vector<std::string> gather(const std::string& mine) const;

private:
    void listen_at(const std::string& path);
    void connect_to(int rank, const std::string& path);
    void accept_one();
    void stop_listening() noexcept;
    void close_all() noexcept;
    std::string path_of(int rank) const;
    [[noreturn]] void fail(const std::string& what) const;
    [[noreturn]] void fail_to_meet(const std::string& whom, const std::string& path) const;

    const process_rank who_;
    const std::string path_;
    double deadline_ = 0;
    int listening_ = -1;
    std::vector<int> sockets_;  ///< by rank; -1 for one's own
};

}  // namespace sinter::codegen
