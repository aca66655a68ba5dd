// The public interface of meshes: members, links, and queries on sharded arrays.
#include <runtime/cuda/cuda_device.hpp>
#include <runtime/distributed/evaluate.hpp>
#include <runtime/distributed/process_group.hpp>
#include <runtime/memory/storage.hpp>
#include <runtime/order/capture.hpp>
#include <sinter/sharded.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter {
namespace codegen {
namespace {

/// Whether the members are distinct GPUs.
bool are_gpus(std::vector<std::string> identities) {
    std::sort(identities.begin(), identities.end());
    return !identities.front().empty() && std::adjacent_find(identities.begin(), identities.end()) == identities.end();
}

std::shared_ptr<mesh_device> mesh_of_one_process(std::span<const sinter::device> members) {
    std::vector<device*> local;
    std::vector<std::string> identities;
    for (const sinter::device& d : members) {
        local.push_back(&d.get());
        identities.push_back(gpu_identity(d.get()));
    }
    if (local.empty()) throw error("mesh: at least one device is needed; mesh m; uses all there are");
    const int size = static_cast<int>(local.size());
    auto between = size > 1 && are_gpus(identities) ? make_nccl_link(local, 0, size, nullptr) : make_local_link(local);
    return std::make_shared<mesh_device>(size, 0, std::move(local), std::move(between));
}

std::shared_ptr<mesh_device> mesh_of_all() {
    if (std::unique_ptr<process_group> group = group_of_launcher()) return mesh_of_group(std::move(group));
    const sinter::device here = current_device();
    std::vector<sinter::device> members;
    for (int i = 0; !here.is_host() && i < cuda_count(); ++i) members.push_back(cuda(i));
    if (std::find(members.begin(), members.end(), here) == members.end()) members = {here};
    return mesh_of_one_process(members);
}

const detail::storage& sharded_leaf(const ir::program& program, const detail::arguments_view& arguments) {
    require_operands(program, arguments);
    mesh_device* mesh = nullptr;
    for (int i = 0; i < program.leaves; ++i) {
        device& where = *arguments.leaves[i]->where;
        if (where.as_mesh() == nullptr || (mesh != nullptr && where.as_mesh() != mesh))
            throw error(
                fmt::format("sharded: an operand is on {}{}; scatter(mesh, x) or replicate(mesh, x) puts it "
                            "where the others are",
                            where.name(), where.as_mesh() == nullptr ? "" : ", and another on another mesh"));
        mesh = where.as_mesh();
    }
    if (mesh == nullptr)
        throw error("sharded: no operand is sharded; scatter(mesh, e) or replicate(mesh, e) says where the values go");
    return *arguments.leaves[0].get();
}

}  // namespace

std::shared_ptr<mesh_device> mesh_of_group(std::unique_ptr<process_group> group) {
    device& mine = current_device().get();
    const int rank = group->rank(), size = group->size();
    std::unique_ptr<link> between = are_gpus(group->gather(gpu_identity(mine)))
                                        ? make_nccl_link({&mine}, rank, size, group.get())
                                        : make_host_link(mine, *group);
    return std::make_shared<mesh_device>(size, rank, std::vector<device*>{&mine}, std::move(between), std::move(group));
}

}  // namespace codegen

mesh::mesh() : d_(codegen::mesh_of_all()) {}
mesh::mesh(std::span<const device> members) : d_(codegen::mesh_of_one_process(members)) {}

namespace {
thread_local bool in_fixed_order = false;
}
bool current_reproducible() { return in_fixed_order; }
reproducible_scope::reproducible_scope(bool on) : set_(in_fixed_order, on) {}

int mesh::size() const { return d_->size(); }
int mesh::local_size() const { return static_cast<int>(d_->local().size()); }
int mesh::first() const { return d_->first(); }
device mesh::local(int i) const {
    if (i < 0 || i >= local_size())
        throw error(
            fmt::format("mesh: this process has {} members, numbered from 0; there is no local({})", local_size(), i));
    return device(*d_->local()[static_cast<std::size_t>(i)]);
}
std::string mesh::link() const { return d_->between().describe(); }
std::int64_t mesh::bytes_sent() const { return d_->bytes_sent(); }

void synchronize(const mesh& m) {
    codegen::refuse_in_capture("synchronize()");
    m.get()->synchronize();
}

namespace detail {

axis_part local_part(const mesh& m, int i, std::int64_t extent) {
    const codegen::interval mine = codegen::part_of(extent, m.first() + i, m.size());
    return {mine.begin, mine.size()};
}

storage_ref make_sharded(const mesh& m, int axis, dtype type, int rank, const std::int64_t* extents,
                         std::vector<storage_ref> parts) {
    return codegen::make_sharded_storage({m.get(), axis, std::move(parts)}, type, rank, extents);
}

void evaluate_sharded(const ir::program& program, const arguments_view& arguments, sharded_target* targets, int axis) {
    const std::shared_ptr<codegen::mesh_device> mesh =
        codegen::sharding_of(codegen::sharded_leaf(program, arguments)).mesh;
    std::vector<evaluation_result> shapes;
    for (int r = 0; r < program.root_count; ++r) shapes.push_back({targets[r].rank, targets[r].extents});
    std::vector<codegen::sharded_result> made =
        codegen::evaluate_checked(*mesh, program, arguments, shapes.data(), axis);
    for (int r = 0; r < program.root_count; ++r) {
        codegen::sharded_result& result = made[codegen::as_size(r)];
        targets[r].made = codegen::make_sharded_storage({mesh, result.axis, std::move(result.parts)}, targets[r].type,
                                                        targets[r].rank, targets[r].extents);
    }
}

storage_ref resharded(const storage_ref& s, int axis) {
    const codegen::sharding& from = codegen::sharding_of(*s.get());
    return codegen::make_sharded_storage(
        {from.mesh, axis, codegen::redistribute(*from.mesh, from.parts, s->extents, from.axis, axis)}, s->type, s->rank,
        s->extents);
}

mesh mesh_of(const storage_ref& s) { return mesh(codegen::sharding_of(*s.get()).mesh); }
int axis_of(const storage_ref& s) { return codegen::sharding_of(*s.get()).axis; }
const storage_ref& part_of(const storage_ref& s, int i) {
    const codegen::sharding& all = codegen::sharding_of(*s.get());
    if (i < 0 || i >= static_cast<int>(all.parts.size()))
        throw error(fmt::format("sharded: this process has {} parts, numbered from 0; there is no shard({})",
                                all.parts.size(), i));
    return all.parts[static_cast<std::size_t>(i)];
}
void throw_no_shards() { throw error("sharded: the array was never assigned; x = scatter(mesh, values)"); }

}  // namespace detail
}  // namespace sinter
