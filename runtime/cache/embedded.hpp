// Kernels compiled when a program was built: recorded in a run of it, stored in a section of its file, found by their
// text.
#pragma once

#include <runtime/cache/sha256.hpp>
#include <runtime/devices/device.hpp>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sinter::codegen {

/// Images by text and architecture. They refer to memory that must outlive the archive.
class image_archive {
public:
    /// Reads what append_image has written. Stops with a warning that begins with `name` where no valid record begins.
    /// An image's hash is checked when it is looked up.
    image_archive(std::string name, std::string_view content);

    /// The image of a text that runs on an architecture: built for it, or for an older one of the same major version.
    std::optional<std::string> find(const std::string& text, int arch) const;
    std::size_t size() const { return records_.size(); }

private:
    struct record {
        int arch;
        sha256 hash;
        std::string_view image;
    };
    std::string name_;
    std::unordered_multimap<std::string, record> records_;  ///< by the text's hash
    mutable std::atomic<bool> said_damaged_{false};
};

/// Appends a record to a file. Throws sinter::error if the file cannot be written.
void append_image(const std::string& file, const std::string& text, int arch, const std::string& image);

/// The images of this program: in the file that SINTER_KERNELS names, else in the section .sinter_kernels of the
/// program's file. Read on first use. A file that another user owns or can write is not used, since it is code.
const image_archive& embedded_images();

/// A run that records kernels: SINTER_RECORD_KERNELS names the file, SINTER_RECORD_ARCHS the architectures
/// ("sm_80,sm_90"; default sm_90).
struct kernel_record {
    std::string file;  ///< empty: nothing is recorded
    std::vector<int> archs;
};
const kernel_record& wanted_record();

/// Compiles a kernel for one architecture into the recording file, once per process.
void record_kernel(int arch, const std::string& entry, const std::string& source, const compile_options& options);

/// Refuses to record a kernel that makes tensor maps where the compiler, of this version, does not compile these: a
/// device without NVRTC looks for this kernel and no other.
void require_tensor_maps(bool are_compiled, const std::string& version);

/// The text that identifies a kernel in caches: all that decides its image except compiler and architecture.
std::string cache_text(const std::string& entry, const std::string& source, const compile_options& options);

}  // namespace sinter::codegen
