// Devices: where arrays are stored and expressions run.
#pragma once

#include <sinter/error.hpp>
#include <sinter/scoped.hpp>

#include <string>

namespace sinter {

namespace codegen {
class device;
}  // namespace codegen

/// A handle to a compute device: the host or a CUDA device. Compares by identity.
class device {
public:
    /// "host", "cuda(0)".
    const std::string& name() const;
    /// The hardware: "NVIDIA H200, sm_90, 132 multiprocessors".
    std::string description() const;
    bool is_host() const;
    friend bool operator==(const device&, const device&) = default;

    explicit device(codegen::device& d) : d_(&d) {}
    codegen::device& get() const { return *d_; }

private:
    codegen::device* d_;
};

/// The host processor.
device host();
/// A CUDA device. Throws with the reason if it is not available.
device cuda(int index = 0);
/// The number of CUDA devices; 0 without a driver.
int cuda_count() noexcept;

/// The device of this thread's new arrays: the innermost device_scope's, else the one named by SINTER_DEVICE ("host",
/// "cuda", "cuda:1"), else cuda(0) if there is one (in one of several processes started by a launcher, see mesh, the
/// CUDA device of its rank), else the host.
device current_device();

/// Makes a device current for this thread until the end of the scope.
class device_scope {
public:
    explicit device_scope(device d);

private:
    detail::scoped<codegen::device*> set_;
};

/// Waits for all work submitted to the current device, on every stream.
void synchronize();

}  // namespace sinter
