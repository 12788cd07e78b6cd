// How many CPUs this process may use.
#pragma once

#include <string>

namespace rondo {

/// The CPUs of the affinity mask, limited by the quota of the control groups; at least 1.
int available_cpus();

/// The CPUs that the control groups of this process allow, rounded up; 0 if there is no limit.
/// `proc_cgroup` is the text of /proc/self/cgroup, `root` the directory of /sys/fs/cgroup.
int cgroup_cpus(const std::string& proc_cgroup, const std::string& root);

}  // namespace rondo
