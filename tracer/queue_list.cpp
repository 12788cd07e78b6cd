#include "tracer/queue_list.h"

#include <algorithm>

namespace rondo::tracer {

QueueList& QueueList::instance() {
  static auto* const list = new QueueList;  // recorders of threads may outlive static destruction
  return *list;
}

std::shared_ptr<QueueList::Entry> QueueList::add(CallQueue& queue) {
  auto entry = std::make_shared<Entry>();
  entry->queue = &queue;
  const std::lock_guard guard(mutex_);
  entries_.push_back(entry);
  return entry;
}

void QueueList::remove(const std::shared_ptr<Entry>& entry) {
  {
    const std::lock_guard guard(mutex_);
    std::erase(entries_, entry);
  }
  const std::lock_guard guard(entry->mutex);
  entry->queue = nullptr;
}

void QueueList::set_holds_calls(Entry& entry, bool holds) {
  if (entry.holds_calls.exchange(holds) != holds) {
    holding_.fetch_add(holds ? 1 : -1);
  }
}

void QueueList::run_others(const Entry& own, std::span<const Tensor> targets) {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    const std::lock_guard guard(mutex_);
    entries = entries_;
  }
  for (const std::shared_ptr<Entry>& entry : entries) {
    if (entry.get() == &own || !entry->holds_calls.load()) {
      continue;
    }
    const std::lock_guard guard(entry->mutex);
    if (entry->queue != nullptr) {
      entry->queue->run_before_write(targets);
    }
  }
}

}  // namespace rondo::tracer
