// A process group on MPI's collectives and messages.
//
// Nothing blocks inside MPI: every operation is nonblocking, and completed in a loop that also polls for notes from
// other processes. So a failing process can tell those that wait for it, and a missing one can be named.
#include <runtime/mpi/mpi_group.hpp>

#include <runtime/system/fork.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <thread>

namespace sinter::codegen {
namespace {

using seconds_clock = std::chrono::steady_clock;

constexpr std::size_t chunk_bytes = std::size_t{1} << 30;  // MPI counts in int

// Tags of notes.
constexpr int tag_failure = 1;   ///< text: the sender cannot continue
constexpr int tag_question = 2;  ///< the sender has timed out: waiting receivers answer
constexpr int tag_answer = 3;    ///< the number of operations that the sender has started

class mpi_group;

class pending_mpi final : public pending_messages {
public:
    pending_mpi(mpi_group& group, std::vector<MPI_Request> requests) : group_(group), requests_(std::move(requests)) {}
    /// Cancels operations that were not waited for because of a failure: they must not write to freed memory.
    ~pending_mpi() override {
        for (MPI_Request& r : requests_)
            if (r != MPI_REQUEST_NULL && mpi_is_open()) {
                MPI_Cancel(&r);
                MPI_Request_free(&r);
            }
    }
    pending_mpi(const pending_mpi&) = delete;
    pending_mpi& operator=(const pending_mpi&) = delete;
    void wait() override;

private:
    mpi_group& group_;
    std::vector<MPI_Request> requests_;
};

class mpi_group final : public process_group {
public:
    explicit mpi_group(MPI_Comm parent) : timeout_(mesh_timeout()) {
        // One communicator per purpose: if one process fails between two operations, its next messages cannot be
        // mistaken for those that the others still wait for.
        for (MPI_Comm* c : {&data_, &control_, &notes_}) {
            check(MPI_Comm_dup(parent, c));
            check(MPI_Comm_set_errhandler(*c, MPI_ERRORS_RETURN));
        }
        check(MPI_Comm_rank(data_, &rank_));
        check(MPI_Comm_size(data_, &size_));
    }
    ~mpi_group() override {
        if (!broken_.empty() || !mpi_is_open()) return;
        for (MPI_Comm* c : {&data_, &control_, &notes_}) MPI_Comm_free(c);
    }
    mpi_group(const mpi_group&) = delete;
    mpi_group& operator=(const mpi_group&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string describe() const override {
        char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
        int length = 0;
        MPI_Get_library_version(text, &length);
        // "Open MPI v4.1.4, package: ...", or "MPICH Version:" and the number after a tab, and further lines
        std::string name(text, static_cast<std::size_t>(length));
        name.erase(std::min(name.find_first_of(",\n"), name.size()));
        if (const std::size_t word = name.find(" Version:"); word != std::string::npos)
            name.replace(word, name.find_first_not_of(" \t", word + 9) - word, " ");
        return name;
    }

    void broadcast(void* bytes, std::size_t count) override {
        const std::lock_guard lock(mutex_);
        begin();
        MPI_Request r{};
        check(MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, 0, control_, &r));
        finish({&r, 1});
    }
    void all_gather(const void* mine, void* all, std::size_t count) override {
        const std::lock_guard lock(mutex_);
        begin();
        const int n = static_cast<int>(count);
        MPI_Request r{};
        check(MPI_Iallgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, control_, &r));
        finish({&r, 1});
    }

    bool adds_up(dtype type) const override { return mpi_type(type) != MPI_DATATYPE_NULL; }
    void all_reduce(void* sums, std::int64_t count, dtype type) override {
        const std::lock_guard lock(mutex_);
        constexpr std::int64_t chunk = std::int64_t{1} << 28;
        for (std::int64_t first = 0; first < count; first += chunk) {
            begin();
            MPI_Request r{};
            check(MPI_Iallreduce(MPI_IN_PLACE,
                                 static_cast<char*>(sums) + first * static_cast<std::int64_t>(size_of(type)),
                                 static_cast<int>(std::min(chunk, count - first)), mpi_type(type), MPI_SUM, data_, &r));
            finish({&r, 1});
        }
    }
    std::unique_ptr<pending_messages> start(std::span<const message> all) override {
        const std::lock_guard lock(mutex_);
        begin();
        std::vector<MPI_Request> requests;
        for (const message& m : all) {
            for (std::size_t first = 0; first < m.count; first += chunk_bytes) {
                char* const bytes = static_cast<char*>(m.bytes) + first;
                const int count = static_cast<int>(std::min(chunk_bytes, m.count - first));
                requests.emplace_back();
                check(m.sends ? MPI_Isend(bytes, count, MPI_BYTE, m.peer, 0, data_, &requests.back())
                              : MPI_Irecv(bytes, count, MPI_BYTE, m.peer, 0, data_, &requests.back()));
            }
        }
        return std::make_unique<pending_mpi>(*this, std::move(requests));
    }

    bool is_broken() const override { return !broken_.empty(); }
    std::string explain_absence(const std::string& when) override {
        const std::lock_guard lock(mutex_);
        return fmt::format("mesh: process {} of {}: {}", rank_, size_, absence(when));
    }
    void tell_failure(const std::string& why) noexcept override {
        const std::lock_guard lock(mutex_);
        if (!broken_.empty() || !mpi_is_open()) return;
        broken_ = why;
        leave_mpi_unfinished();
        const std::string text = why.substr(0, 2000);
        for (int r = 0; r < size_; ++r)
            if (r != rank_) send_note(r, tag_failure, text);
        // A note of this length is sent eagerly if there is buffer space; otherwise it is attempted only this long.
        for (int i = 0; i < 100; ++i) {
            progress();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    /// Waits for operations that have started.
    void finish(std::span<MPI_Request> requests) {
        const std::lock_guard lock(mutex_);
        const auto start = seconds_clock::now();
        for (int rounds = 0;; ++rounds) {
            int done = 0;
            check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE));
            if (done != 0) return;
            if (rounds % 16 != 15) continue;
            read_notes();
            const std::chrono::duration<double> waited = seconds_clock::now() - start;
            if (waited.count() > timeout_) give_up(fmt::format("within {:g} seconds", timeout_));
            // Yields the core to other processes while polling.
            if (waited.count() < 0.01)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }

private:
    static MPI_Datatype mpi_type(dtype type) {
        switch (type) {
            case dtype::int64: return MPI_INT64_T;
            case dtype::uint64: return MPI_UINT64_T;
            case dtype::float32: return MPI_FLOAT;
            case dtype::float64: return MPI_DOUBLE;
            case dtype::complex64: return MPI_CXX_FLOAT_COMPLEX;
            case dtype::complex128: return MPI_CXX_DOUBLE_COMPLEX;
            default: return MPI_DATATYPE_NULL;
        }
    }

    void begin() {
        refuse_after_fork("a mesh of several processes");
        if (!broken_.empty()) throw error(broken_);
        if (!mpi_is_open()) fail("MPI_Finalize was called before the mesh's work was done");
        read_notes();
        ++operations_;
    }

    [[noreturn]] void fail(const std::string& what) {
        const std::string text = fmt::format("mesh: process {} of {}: {}", rank_, size_, what);
        tell_failure(text);
        throw error(text);
    }
    void check(int code) {
        if (code != MPI_SUCCESS) give_up(fmt::format("({} says: {})", describe(), mpi_error_text(code)));
    }

    void send_note(int to, int tag, std::string text) noexcept {
        // Never freed: MPI owns an Isend's buffer until completion, which may never come.
        static std::list<std::string>& sent = *new std::list<std::string>;
        sent.push_back(std::move(text));
        MPI_Request r{};
        if (MPI_Isend(sent.back().data(), static_cast<int>(sent.back().size()), MPI_BYTE, to, tag, notes_, &r) ==
            MPI_SUCCESS)
            MPI_Request_free(&r);
    }
    void progress() noexcept {
        int any = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, notes_, &any, MPI_STATUS_IGNORE);
    }

    struct note {
        int from = -1;
        int tag = 0;
        std::string text;
    };
    /// The next note that has arrived, without a sender if there is none.
    note next_note() {
        int any = 0;
        MPI_Status status{};
        if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, notes_, &any, &status) != MPI_SUCCESS || any == 0) return {};
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        note n{status.MPI_SOURCE, status.MPI_TAG, std::string(static_cast<std::size_t>(count), '\0')};
        if (MPI_Recv(n.text.data(), count, MPI_BYTE, n.from, n.tag, notes_, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return {};
        return n;
    }
    void read_notes() {
        for (note n = next_note(); n.from >= 0; n = next_note()) react(n);
    }
    void react(const note& n) {
        if (n.tag == tag_question) send_note(n.from, tag_answer, std::to_string(operations_));
        if (n.tag != tag_failure) return;
        broken_ = fmt::format("mesh: process {} of {}: process {} cannot go on: {}", rank_, size_, n.from, n.text);
        leave_mpi_unfinished();
        throw error(broken_);
    }

    [[noreturn]] void give_up(const std::string& when) { fail(absence(when)); }
    /// Queries the other processes, and describes which are missing or wait for something else.
    std::string absence(const std::string& when) {
        std::vector<std::string> answers(static_cast<std::size_t>(size_));
        answers[static_cast<std::size_t>(rank_)] = std::to_string(operations_);
        for (int r = 0; r < size_; ++r)
            if (r != rank_) send_note(r, tag_question, "");
        const auto until = seconds_clock::now() + std::chrono::seconds(2);
        while (seconds_clock::now() < until && std::count(answers.begin(), answers.end(), "") > 0) {
            for (note n = next_note(); n.from >= 0; n = next_note()) {
                if (n.tag == tag_answer)
                    answers[static_cast<std::size_t>(n.from)] = n.text;
                else
                    react(n);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::vector<int> absent, elsewhere;
        for (int r = 0; r < size_; ++r) {
            const std::string& answer = answers[static_cast<std::size_t>(r)];
            if (answer.empty())
                absent.push_back(r);
            else if (answer != answers[static_cast<std::size_t>(rank_)])
                elsewhere.push_back(r);
        }
        const char* const cure =
            "it has ended, evaluates other expressions, or waits for something else; SINTER_MESH_TIMEOUT=<seconds> "
            "sets how long it is waited for";
        if (!absent.empty()) return fmt::format("process {} did not come {}: {}", fmt::join(absent, ", "), when, cure);
        if (!elsewhere.empty())
            return fmt::format("process {} waits for another exchange {}: {}", fmt::join(elsewhere, ", "), when, cure);
        return fmt::format("no process could go on {}", when);
    }

    MPI_Comm data_ = MPI_COMM_NULL, control_ = MPI_COMM_NULL, notes_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    const double timeout_;
    // Another thread may query absence, and MPI calls must be serialized.
    std::recursive_mutex mutex_;
    std::int64_t operations_ = 0;  ///< started by this process
    std::string broken_;           ///< the error that every later call throws
};

void pending_mpi::wait() { group_.finish(requests_); }

}  // namespace

std::unique_ptr<process_group> make_mpi_group(MPI_Comm communicator) {
    return std::make_unique<mpi_group>(communicator);
}

}  // namespace sinter::codegen
