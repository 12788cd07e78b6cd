// How much memory this process may use.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::serve {

/// The memory of the machine, or less where the control groups of this process allow less.
std::int64_t available_memory();

/// What the control groups allow; the largest int64 if there is no limit. `proc_cgroup` is the text
/// of /proc/self/cgroup, `root` the directory of /sys/fs/cgroup.
std::int64_t cgroup_memory(const std::string& proc_cgroup, const std::string& root);

/// Bytes of memory that the process holds.
std::int64_t resident_bytes();

}  // namespace rondo::serve
