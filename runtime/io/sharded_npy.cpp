// Saves sharded arrays as .npy files: each process writes its members' rows.
#include <runtime/distributed/evaluate.hpp>
#include <runtime/distributed/mesh_device.hpp>
#include <runtime/io/file.hpp>
#include <runtime/io/npy_header.hpp>
#include <runtime/order/capture.hpp>
#include <sinter/sharded_npy.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace sinter {
namespace codegen {
namespace {

/// The members' rows of an array in one file.
class rows_in_file {
public:
    rows_in_file(mesh_device& mesh, std::string path, const detail::storage_ref& values)
        : mesh_(mesh), path_(std::move(path)), who_(about_file("save_npy", path_)), values_(values) {
        const sharding& s = sharding_of(*values.get());
        axis_ = std::min(s.axis, 0);
        parts_ = s.axis > 0 ? redistribute(mesh, s.parts, values->extents, s.axis, 0) : s.parts;
        header_ = format_npy_header(values->type, values->extents, values->rank, who_);
    }

    void write() {
        together([&] {
            if (mesh_.first() == 0) {
                file_.emplace(path_, who_);
                file_->write_over(0, header_.data(), header_.size());
            }
        });
        if (process_group* const group = mesh_.others()) {
            const std::string name = group->gather(mesh_.first() == 0 ? file_->share() : "").front();
            together([&] {
                if (mesh_.first() > 0) shared_ = replacement_file::shared_by_another(name, who_);
            });
        }
        together([&] {
            for (std::size_t m = 0; m < parts_.size(); ++m) write_part(m);
            if (shared_) shared_->flush();
        });
        together([&] {
            if (mesh_.first() == 0) file_->commit();
        });
    }

private:
    /// Runs work in every process; if one fails, all throw its error.
    template <class Work>
    void together(const Work& work) {
        process_group* const group = mesh_.others();
        if (group == nullptr) return work();
        std::string failure;
        try {
            work();
        } catch (const error& e) {
            failure = e.what();
        }
        for (const std::string& text : group->gather(failure))
            if (!text.empty()) throw error(text);
    }

    void write_part(std::size_t m) {
        const int member = mesh_.first() + static_cast<int>(m);
        if (axis_ < 0 && member > 0) return;
        const detail::storage_ref rows = detail::dense(parts_[m]);
        device& where = *rows->where;
        where.synchronize();
        std::size_t offset = header_.size();
        if (axis_ == 0) {
            const std::size_t row =
                values_->extents[0] > 0 ? whole_bytes() / static_cast<std::size_t>(values_->extents[0]) : 0;
            offset += row * static_cast<std::size_t>(part_of(values_->extents[0], member, mesh_.size()).begin);
        }
        replacement_file& to = shared_ ? *shared_ : *file_;
        const auto* const elements = static_cast<const unsigned char*>(rows->data);
        if (where.is_host()) return to.write_over(offset, elements, rows->bytes);
        const std::size_t step = std::min(rows->bytes, std::size_t{16} << 20);
        const auto staging = std::make_unique_for_overwrite<unsigned char[]>(step);
        for (std::size_t begin = 0; begin < rows->bytes; begin += step) {
            const std::size_t n = std::min(step, rows->bytes - begin);
            where.copy_to_host(staging.get(), elements + begin, n);
            to.write_over(offset + begin, staging.get(), n);
        }
    }

    std::size_t whole_bytes() const {
        std::size_t bytes = size_of(values_->type);
        for (int a = 0; a < values_->rank; ++a) bytes *= static_cast<std::size_t>(values_->extents[a]);
        return bytes;
    }

    mesh_device& mesh_;
    const std::string path_, who_;
    const detail::storage_ref& values_;
    int axis_ = -1;  ///< 0, or -1 if replicated
    std::vector<detail::storage_ref> parts_;
    std::string header_;
    std::optional<replacement_file> file_;      ///< in the process that creates it
    std::unique_ptr<replacement_file> shared_;  ///< in the others
};

}  // namespace
}  // namespace codegen

namespace detail {

void save_npy_parts(const mesh& m, const std::string& path, const storage_ref& values) {
    codegen::refuse_in_capture("save_npy()");
    if (codegen::sharding_of(*values.get()).mesh != m.get())
        throw error("save_npy: " + path + ": the array is on another mesh; save_npy(x.where(), path, x) writes it");
    codegen::rows_in_file(*m.get(), path, values).write();
}

}  // namespace detail
}  // namespace sinter
