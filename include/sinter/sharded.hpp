// Arrays distributed over several GPUs. Not part of sinter.hpp: include <sinter/sharded.hpp> as well.
//
// all GPUs; with several processes, one each
// splits its rows
//     sharded<float, 2> y = exp(x - max(x, axis=1, keepdims));       // one kernel on each GPU
//     float total = item(sum(y * y));                                // one kernel on each GPU, and one all-reduce
//
// A sharded array is an operand like any other. Elementwise work runs where its parts are; a reduction over the split
// axis is one kernel per member, then one all-reduce. Slices, shifts and windows along the split axis fetch neighbours'
// elements while the members compute what does not need them. Assigning such an expression to an array gathers the
// whole.
#pragma once

#include <sinter/array.hpp>
#include <sinter/pack.hpp>
#include <sinter/scoped.hpp>
#include <sinter/slice.hpp>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter {

namespace codegen {
class mesh_device;
}

/// The devices that hold the parts of sharded arrays: members, numbered from 0. A handle: copies are the same mesh.
/// Either all members belong to this process, or each process running the same program owns one: then all processes
/// must evaluate the same expressions of sharded arrays in the same order. Before communicating they compare
/// expressions and shapes; on a mismatch all of them throw, naming what each evaluates. If a process fails, ends, or
/// does not arrive within SINTER_MESH_TIMEOUT seconds (600), the others throw an error that names it; the mesh is
/// unusable afterwards.
///
/// Processes are connected by MPI: include <sinter/mpi.hpp> in one file of the program, and link sinter::mpi. GPUs
/// communicate by NCCL, loaded at run time; members that are not distinct GPUs communicate by copies within the
/// process, and by MPI between processes. SINTER_NCCL names NCCL's file; `off` disables it for all GPUs.
class mesh {
public:
    /// If a launcher (mpirun, srun) has started several processes: one member each, its current device, by default the
    /// CUDA device of its local rank. All processes must create their meshes in the same order. Throws if they are not
    /// connected: see above. Otherwise: all CUDA devices if the current device is one, else the current device.
    /// SINTER_SIZE=1 makes one of several processes independent.
    mesh();
    /// The given devices, all driven by this process. A device may occur more than once. Throws for an empty list, and
    /// if NCCL is missing for several GPUs.
    explicit mesh(std::span<const device> members);
    mesh(std::initializer_list<device> members) : mesh(std::span<const device>(members.begin(), members.size())) {}

    int size() const;  ///< number of members in all processes
    /// This process's members: local(0) is member first(), and so on.
    int local_size() const;
    int first() const;
    device local(int i) const;

    /// The communication library: "NCCL 2.28.9".
    std::string link() const;
    /// Bytes that this process's members have sent so far. An all-reduce of n bytes over p members counts 2 n (p - 1) /
    /// p per member, the lower bound.
    std::int64_t bytes_sent() const;

    friend bool operator==(const mesh&, const mesh&) = default;

    explicit mesh(std::shared_ptr<codegen::mesh_device> d) : d_(std::move(d)) {}
    const std::shared_ptr<codegen::mesh_device>& get() const { return d_; }

private:
    std::shared_ptr<codegen::mesh_device> d_;
};

/// Whether this thread is in a reproducible_scope.
bool current_reproducible();

/// Until the end of the scope, this thread's evaluations of sharded arrays are bit-for-bit identical for any number of
/// members of one kind, including one:
///
///     reproducible_scope same_bits;
///     float total = item(sum(x * x));
///
/// The split axis is divided into 64 blocks, whose bounds depend only on its extent. Each is reduced separately, in its
/// own memory, and the results are reduced in order. So at most 64 members share the work, and operands are copied
/// first: a sum that only reads takes about three times as long. Scans along the split axis throw. All processes must
/// enter the scope for the same evaluations.
class reproducible_scope {
public:
    explicit reproducible_scope(bool on = true);

private:
    detail::scoped<bool> set_;
};

/// Waits for all work submitted to this process's members.
void synchronize(const mesh& m);

namespace detail {

/// A member's part of an axis: first element and element count.
struct axis_part {
    std::int64_t first;
    std::int64_t count;
};
axis_part local_part(const mesh& m, int i, std::int64_t extent);

/// Storage of parts on a mesh; axis -1: every part is the whole array.
storage_ref make_sharded(const mesh& m, int axis, dtype type, int rank, const std::int64_t* extents,
                         std::vector<storage_ref> parts);
/// A result of an evaluation of sharded arrays.
struct sharded_target {
    dtype type;
    int rank;
    const std::int64_t* extents;
    storage_ref made{};
};
/// Evaluates a program whose leaves are sharded storage, with one target per root. A result that would be replicated on
/// all members is split along `axis` instead if that is not negative.
void evaluate_sharded(const ir::program& program, const arguments_view& arguments, sharded_target* targets,
                      int axis = -1);
storage_ref resharded(const storage_ref& s, int axis);

mesh mesh_of(const storage_ref& s);
int axis_of(const storage_ref& s);
const storage_ref& part_of(const storage_ref& s, int i);
[[noreturn]] void throw_no_shards();

}  // namespace detail

/// An array of element type T with `Rank` axes, distributed over a mesh: split along one axis as evenly as possible,
/// larger parts first, or replicated on every member. An expression (x + 1, sum(x, axis=0)) of sharded arrays is
/// evaluated by assignment to a sharded array, which is split as the expression is, or to an array, which gets the
/// whole. All operands are sharded over one mesh, or scalars.
///
/// Data of other members is exchanged during the evaluation: reductions over the split axis by an all-reduce; the rows
/// that a slice, a shift (roll, flip), a window, pad or concat along the split axis reads; the totals of preceding
/// members in a scan. Gradients equal those of the same program on whole arrays: a gradient with respect to a
/// replicated array is summed over all members, so training on a sharded batch is data-parallel. Throws if operands are
/// split along different axes, for gathers along the split axis (take), reshapes that merge or divide it, scans of
/// user-defined functions along it, and whole-array functions (sort, fft, solve): call reshard() or replicate() first.
///
/// An axis of extent 0 or 1 is not split. Sharded arrays are values: copies are O(1), and assignment allocates fresh
/// storage.
template <element_type T, int Rank>
class sharded : public expr<tree::leaf<dtype_of<T>, Rank>> {
    using base = expr<tree::leaf<dtype_of<T>, Rank>>;

public:
    using value_type = T;

    sharded() = default;
    /// Evaluates an expression of sharded arrays.
    template <class Tree>
    sharded(const expr<Tree>& e) {
        static_assert(Tree::rank == Rank,
                      "sinter: the expression's rank differs from the array's: declare sharded<T, rank> with the "
                      "expression's rank");
        static_assert(assignable(dtype_of<T>, Tree::type),
                      "sinter: assignment does not convert to a lower kind (bool < integer < floating < complex): "
                      "write astype<T>(...)");
        if constexpr (Tree::rank == Rank && assignable(dtype_of<T>, Tree::type)) {
            using program_tree = typename detail::root<Tree, dtype_of<T>>::type;
            detail::sharded_target target{dtype_of<T>, Rank, e.shape().extent};
            detail::evaluate_sharded(detail::program_of<program_tree>, e.arguments(), &target);
            this->leaves_.item[0] = std::move(target.made);
            this->shape_ = e.shape();
        }
    }
    template <class Tree>
    sharded& operator=(const expr<Tree>& e) {
        return *this = sharded(e);
    }
    /// From parts that are already on the members; for internal use.
    sharded(detail::storage_ref s, const sinter::shape<Rank>& extents) {
        this->leaves_.item[0] = std::move(s);
        this->shape_ = extents;
    }

    const detail::storage_ref& storage() const {
        if (!this->leaves_.item[0]) detail::throw_no_shards();
        return this->leaves_.item[0];
    }
    mesh where() const { return detail::mesh_of(storage()); }
    /// The split axis; -1 if every member has the whole.
    int axis() const { return detail::axis_of(storage()); }
    /// The part of this process's i-th member, on its device: 0 <= i < where().local_size().
    array<T, Rank> shard(int i = 0) const { return array<T, Rank>(detail::part_of(storage(), i)); }
};

namespace detail {

/// The sharded arrays that a pack's results are assigned to.
template <class... To>
class sharded_tie {
public:
    explicit sharded_tie(To&... to) : to_(to...) {}

    template <class... Trees>
    void operator=(const packed<Trees...>& all) && {
        constexpr bool counted = sizeof...(Trees) == sizeof...(To);
        static_assert(counted, "sinter: tie takes one array per packed expression");
        if constexpr (counted) assign(all, std::index_sequence_for<To...>());
    }
    void operator=(const sharded_tie&) && {
        static_assert(never<To...>, "sinter: tie takes the results of a pack: tie(a, b) = pack(sum(x), max(x))");
    }

private:
    template <class... Trees, std::size_t... I>
    void assign(const packed<Trees...>& all, std::index_sequence<I...>) {
        static_assert(((Trees::rank == To::rank) && ...),
                      "sinter: the rank of a packed expression differs from that of its target in tie");
        static_assert(
            (assignable(To::type, Trees::type) && ...),
            "sinter: a packed expression does not convert to the dtype of its target in tie: write astype<T>(...)");
        using program_tree = tree::pack<typename root<Trees, To::type>::type...>;
        sharded_target targets[] = {{To::type, Trees::rank, boost::hana::at_c<I>(all.shapes_).extent}...};
        evaluate_sharded(program_of<program_tree>, all.arguments(), targets);
        ((std::get<I>(to_) = To(std::move(targets[I].made), boost::hana::at_c<I>(all.shapes_))), ...);
    }

    std::tuple<To&...> to_;
};

}  // namespace detail

/// The targets of pack()'s results, in order, evaluated together: tie(w, m) = pack(w - g, 0.9 * m + g).
template <class... T, int... Rank>
    requires(sizeof...(T) > 0)
[[nodiscard]] auto tie(sharded<T, Rank>&... to) {
    return detail::sharded_tie<sharded<T, Rank>...>(to...);
}

/// Splits an array or an expression along one axis over the members of a mesh. Every process must pass the same values.
/// Expressions that read no array (arange, random numbers, constants) are computed by each member for its part; others
/// are computed where the operands are, and copied.
template <operand A>
[[nodiscard]] auto scatter(const mesh& m, const A& a, detail::runtime_axes<1> which = axis = 0) {
    using e = detail::expr_of<const A&>;
    static_assert(e::rank > 0, "sinter: scatter needs an axis to split; for an operand of rank 0 write replicate");
    using T = element_t<e::type>;
    int chosen = __builtin_ctz(detail::axis_mask("scatter", which, e::rank));
    const auto extents = a.shape();
    if (extents[chosen] < 2) chosen = -1;
    std::vector<detail::storage_ref> parts;
    for (int i = 0; i < m.local_size(); ++i) {
        const device_scope scope(m.local(i));
        auto v = detail::make_view<e::rank>(a);
        v.shape_ = extents;
        for (int s = 0; s < e::rank; ++s) {
            detail::axis_part p{0, extents[s]};
            if (s == chosen) p = detail::local_part(m, i, extents[s]);
            detail::set_axis(detail::own_integers(v), s, s, p.first, 1);
            v.shape_.extent[s] = p.count;
        }
        detail::set_extents(v, e::rank);
        parts.push_back(array<T, e::rank>(v).to(m.local(i)).storage());
    }
    return sharded<T, e::rank>(detail::make_sharded(m, chosen, e::type, e::rank, extents.extent, std::move(parts)),
                               extents);
}

/// Replicates an array or an expression on every member of a mesh. Every process must pass the same values.
template <operand A>
[[nodiscard]] auto replicate(const mesh& m, const A& a) {
    using e = detail::expr_of<const A&>;
    using T = element_t<e::type>;
    std::vector<detail::storage_ref> parts;
    for (int i = 0; i < m.local_size(); ++i) {
        const device_scope scope(m.local(i));
        // a leaf has storage even for a default-constructed array
        const auto values = array<T, e::rank>(detail::as_expr(a)).to(m.local(i)).as_expr();
        parts.push_back(values.leaves_.item[0]);
    }
    return sharded<T, e::rank>(detail::make_sharded(m, -1, e::type, e::rank, a.shape().extent, std::move(parts)),
                               a.shape());
}

/// Replicates a sharded array on every member.
template <element_type T, int Rank>
[[nodiscard]] sharded<T, Rank> replicate(const sharded<T, Rank>& x) {
    return {detail::resharded(x.storage(), -1), x.shape()};
}

/// Splits a sharded array along another axis.
template <element_type T, int Rank>
[[nodiscard]] sharded<T, Rank> reshard(const sharded<T, Rank>& x, detail::runtime_axes<1> which) {
    const int chosen = __builtin_ctz(detail::axis_mask("reshard", which, Rank));
    return {detail::resharded(x.storage(), x.shape()[chosen] < 2 ? -1 : chosen), x.shape()};
}
/// Evaluates an expression of sharded arrays and splits the result along an axis. For a sum over the split axis, as in
/// a matrix product split along the shared axis, each member receives only its part: a reduce-scatter, which moves half
/// as much data as an all-reduce.
template <class Tree>
[[nodiscard]] auto reshard(const expr<Tree>& e, detail::runtime_axes<1> which) {
    const int chosen = __builtin_ctz(detail::axis_mask("reshard", which, Tree::rank));
    using split = sharded<element_t<Tree::type>, Tree::rank>;
    detail::sharded_target target{Tree::type, Tree::rank, e.shape().extent};
    detail::evaluate_sharded(detail::program_of<Tree>, e.arguments(), &target, chosen);
    return reshard(split(std::move(target.made), e.shape()), which);
}

/// Gathers a sharded array, or an expression of some, into one array on the first of this process's members.
template <operand A>
[[nodiscard]] auto gather(const A& a) {
    return detail::evaluated(a);
}

}  // namespace sinter
