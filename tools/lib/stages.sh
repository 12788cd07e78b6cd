# Runs the stages of tools/demo and tools/test: one line for each with its time, a log of its
# output, and a table at the end. Sourced.

export LC_ALL=C
mkdir -p build/logs build/results
stage_names=()
stage_results=()
stage_times=()
stage_notes=()
stage_failed=0

seconds_since() {
  awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'
}

# stage NAME COMMAND...: runs the command with its output in build/logs/NAME.log and prints how it
# went. If the command wrote build/results/NAME.xml, the counts of its tests are added.
stage() {
  local name=$1 start=$EPOCHREALTIME status=0
  shift
  local log="build/logs/${name// /-}.log"
  printf '%-24s ' "$name"
  if [ -t 1 ]; then
    "$@" >"$log" 2>&1 </dev/null &
    show_steps "$name" "$log" $!
    wait $! || status=$?
    printf '\r\e[K%-24s ' "$name"
  else
    "$@" >"$log" 2>&1 </dev/null || status=$?
  fi
  stage_done "$name" "$start" "$status"
  if [ "$status" -ne 0 ]; then
    printf '  the end of %s:\n' "$log"
    tail -n 40 "$log" | sed 's/^/  | /'
  fi
  return "$status"
}

# show_steps NAME LOG PID: while the process runs, shows the last step n/m that its log names.
show_steps() {
  local step
  while kill -0 "$3" 2>/dev/null; do
    step=$(tail -c 4000 "$2" | grep -oE '[0-9]+/[0-9]+[] ]' | tail -n 1)
    printf '\r\e[K%-24s %s' "$1" "${step%[] ]}"
    sleep 0.5
  done
}

# stage_done NAME START STATUS: prints and keeps the result of a stage.
stage_done() {
  local result=passed note="" seconds
  [ "$3" -eq 0 ] || { result=FAILED; stage_failed=1; }
  seconds=$(seconds_since "$2")
  [ ! -f "build/results/$1.xml" ] || note=$(.venv/bin/python tools/lib/count.py "build/results/$1.xml")
  printf '%-7s %7s s  %s\n' "$result" "$seconds" "$note"
  stage_names+=("$1")
  stage_results+=("$result")
  stage_times+=("$seconds")
  stage_notes+=("$note")
}

# stage_table: prints what each stage gave.
stage_table() {
  local i
  printf '\n%-24s %-7s %9s\n' stage result time
  for i in "${!stage_names[@]}"; do
    printf '%-24s %-7s %7s s  %s\n' "${stage_names[$i]}" "${stage_results[$i]}" \
      "${stage_times[$i]}" "${stage_notes[$i]}"
  done
  printf '%-24s %-7s %7s s\n' total "" \
    "$(printf '%s\n' "${stage_times[@]}" | awk '{ s += $1 } END { printf "%.1f", s }')"
}
