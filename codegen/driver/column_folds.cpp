// Tries each kernel of columns with each earlier kernel of rows.
#include <codegen/driver/column_folds.hpp>

#include <codegen/ir/verify.hpp>
#include <codegen/schedule/column_folds.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

/// Of the time of the two kernels as they are: what the model leaves out, such as the registers that a fold takes.
constexpr double worth_folding = 0.9;

/// Leaves from here on are those of partial results, until all are renumbered.
constexpr int first_new_leaf = 1 << 24;

class column_folding {
public:
    column_folding(std::vector<loop_nest>& all, int leaf_count, const device_properties& on,
                   const unaligned_schedule& chosen, const std::function<double(const loop_nest&)>& predicted)
        : kernels_(all), leaves_(leaf_count), m_(on), chosen_(chosen), seconds_(predicted) {}

    void run() {
        for (std::size_t second = 1; second < kernels_.size(); ++second)
            for (std::size_t first = second; first-- > 0;)
                if (fold(first, second)) break;
    }

private:
    /// Makes a kernel of rows and one of columns of two, of which either may be the first now. The first stays where it
    /// stands, or moves down to the second where this reads what is stored in between.
    bool fold(std::size_t first, std::size_t second) {
        const std::vector<std::vector<int>> stored = stored_leaves(kernels_, leaves_);
        bool first_is_read = false, second_reads = false;
        for (std::size_t between = first + 1; between < second; ++between) {
            first_is_read = first_is_read || reads_any(kernels_[between], stored[first]);
            second_reads = second_reads || reads_any(kernels_[second], stored[between]);
        }
        if (first_is_read && second_reads) return false;
        if (make(first, second, {first, second, second_reads}, stored)) return true;
        if (first_is_read || second_reads || reads_any(kernels_[second], stored[first])) return false;
        return make(second, first, {first, second, false}, stored);
    }

    /// Where the kernels of rows and of columns go.
    struct places {
        std::size_t first = 0, second = 0;
        bool moves_down = false;  ///< the first one, to the place before the second
    };

    bool make(std::size_t rows, std::size_t columns, const places& to, const std::vector<std::vector<int>>& stored) {
        const loop_nest &of_rows = kernels_[rows], &of_columns = kernels_[columns];
        std::optional<folded_columns> two = fold_columns(of_rows, of_columns, stored[rows], first_new_leaf);
        if (!two || !are_rows_and_columns(of_rows, of_columns) || !has_column_folds_schedule(two->rows, m_))
            return false;
        std::vector<std::vector<int>> before = stored;
        before[to.first] = stored[rows];
        before[to.second] = stored[columns];
        const std::size_t outputs = of_rows.outputs.size();
        for (std::size_t o = outputs; o < two->rows.outputs.size(); ++o)
            before[to.first].push_back(first_new_leaf + static_cast<int>(o - outputs));
        drop_unread(two->rows, before[to.first], outputs, columns);
        two->divide_among(blocks_for_column_folds(two->rows, m_));
        verify(two->rows, "fold_columns");
        verify(two->columns, "fold_columns");
        if (seconds_(two->rows) + seconds_(two->columns) > worth_folding * (seconds_(of_rows) + seconds_(of_columns)))
            return false;
        kernels_[to.first] = std::move(two->rows);
        kernels_[to.second] = std::move(two->columns);
        if (to.moves_down) {
            move_down(kernels_, to);
            move_down(before, to);
        }
        renumber_leaves(kernels_, leaves_, before);
        return true;
    }

    /// Whether neighbouring threads have neighbouring elements of a row in the one kernel, and columns in the other.
    bool are_rows_and_columns(const loop_nest& a, const loop_nest& b) const {
        return chosen_(a).form == schedule_form::rows && chosen_(b).form == schedule_form::columns;
    }

    template <class T>
    static void move_down(std::vector<T>& all, const places& to) {
        const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
        std::rotate(at(to.first), at(to.first + 1), at(to.second));
    }

    /// Of the outputs that a kernel of rows has had, what only the one of columns has read is stored no longer.
    void drop_unread(loop_nest& rows, std::vector<int>& stored, std::size_t outputs, std::size_t columns) const {
        for (auto o = static_cast<int>(outputs); o-- > 0;) {
            const int leaf = stored[static_cast<std::size_t>(o)];
            if (leaf >= 0 && only_reader(kernels_, leaf) == static_cast<int>(columns)) drop_stored(rows, stored, o);
        }
    }

    std::vector<loop_nest>& kernels_;
    const int leaves_;
    const device_properties& m_;
    const unaligned_schedule& chosen_;
    const std::function<double(const loop_nest&)>& seconds_;
};

}  // namespace

void fold_columns_in_rows(std::vector<loop_nest>& kernels, int leaves, const device_properties& m,
                          const unaligned_schedule& chosen, const std::function<double(const loop_nest&)>& seconds) {
    column_folding(kernels, leaves, m, chosen, seconds).run();
}

}  // namespace sinter::codegen
