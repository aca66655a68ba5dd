// Hand-written kernels, compiled from source and launched through the driver API.
#pragma once

#include <runtime/cuda/cuda_driver.hpp>

#include <string>

namespace bench {

/// The driver, and a separate stream for the hand-written kernels.
struct cuda {
    const sinter::codegen::driver& driver;
    CUstream stream = nullptr;
    int arch = 0;  ///< 90

    static cuda& get();
    void check(CUresult r, const char* what) const;
};

struct geometry {
    long long grid = 1;
    int block = 256;
    int shared_bytes = 0;
};

/// A kernel from a file of this folder. Compiled once per process.
class kernel {
public:
    kernel(const char* file, const std::string& name);

    template <class... Arguments>
    void operator()(const geometry& g, Arguments... arguments) const {
        void* pointers[] = {&arguments...};
        launch(g, pointers);
    }

    int registers = 0;
    int spilled_bytes = 0;  ///< local memory a thread

private:
    void launch(const geometry& g, void** arguments) const;
    CUfunction function_ = nullptr;
};

/// Events in the hand-written kernels' stream.
struct stream_clock {
    class mark_t {
    public:
        mark_t();
        ~mark_t();
        mark_t(const mark_t&) = delete;
        mark_t& operator=(const mark_t&) = delete;
        CUevent event = nullptr;
    };
    mark_t mark() const { return mark_t(); }
    double seconds(const mark_t& from, const mark_t& to) const;
    void synchronize() const;
    bool hold(double seconds) const;
};

}  // namespace bench
