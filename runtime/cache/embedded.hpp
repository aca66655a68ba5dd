// Kernels compiled when a program was built: recorded in a run of it, kept in a section of its file, found again by
// their text.
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

/// Images by text and architecture, in memory that outlives it.
class image_archive {
public:
    /// Reads what append_image has written, and stops, with a warning that begins with `name`, where no record begins.
    /// An image's hash is checked when the image is found.
    image_archive(std::string name, std::string_view content);

    /// The image of a text that runs on an architecture: made for it, or for an older one of the same major version.
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

/// Appends a record to a file. Throws sinter::error where the file cannot be written.
void append_image(const std::string& file, const std::string& text, int arch, const std::string& image);

/// Those of this program: in the file that SINTER_KERNELS names, else in the section .sinter_kernels of the program's
/// own file. Read when first asked for. A file that another user owns or can write is not used: it is code.
const image_archive& embedded_images();

/// A run whose kernels are to be recorded: SINTER_RECORD_KERNELS names the file, SINTER_RECORD_ARCHS the architectures
/// ("sm_80,sm_90"; sm_90 otherwise).
struct kernel_record {
    std::string file;  ///< empty when nothing is to be recorded
    std::vector<int> archs;
};
const kernel_record& wanted_record();

/// Compiles a kernel for one architecture into the file that is wanted, once a process.
void record_kernel(int arch, const std::string& entry, const std::string& source, const compile_options& options);

/// The text by which a kernel is known in caches: all that decides its image but compiler and architecture.
std::string cache_text(const std::string& entry, const std::string& source, const compile_options& options);

}  // namespace sinter::codegen
