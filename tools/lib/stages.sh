# Runs the stages of tools/demo and tools/test: one line for each with its time, a log of its
# output, and a table at the end. Sourced.

mkdir -p build/logs
stage_names=()
stage_results=()
stage_times=()
stage_notes=()
stage_failed=0

# stage NAME COMMAND...: runs the command with its output in build/logs/NAME.log. A stage that needs
# one that failed is run all the same unless it says `stage_needs`.
stage() {
  local name=$1 start=$EPOCHREALTIME result=passed status=0
  shift
  local log="build/logs/${name// /-}.log"
  printf '%-24s ' "$name"
  stage_note=""
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    result=FAILED
    stage_failed=1
  fi
  [ ! -f "$log.note" ] || { stage_note=$(cat "$log.note"); rm -f "$log.note"; }
  local seconds
  seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  printf '%-7s %7s s  %s\n' "$result" "$seconds" "$stage_note"
  if [ "$status" -ne 0 ]; then
    printf '  the end of %s:\n' "$log"
    tail -n 40 "$log" | sed 's/^/  | /'
  fi
  stage_names+=("$name")
  stage_results+=("$result")
  stage_times+=("$seconds")
  stage_notes+=("$stage_note")
  return "$status"
}

# stage_say NAME TEXT: sets the remark that the stage NAME ends with.
stage_say() {
  printf '%s' "$2" >"build/logs/${1// /-}.log.note"
}

# stage_table: prints what each stage gave.
stage_table() {
  local i total=0
  printf '\n%-24s %-7s %9s\n' stage result time
  for i in "${!stage_names[@]}"; do
    printf '%-24s %-7s %7s s  %s\n' "${stage_names[$i]}" "${stage_results[$i]}" \
      "${stage_times[$i]}" "${stage_notes[$i]}"
  done
  total=$(printf '%s\n' "${stage_times[@]}" | awk '{ s += $1 } END { printf "%.0f", s }')
  printf '%-24s %-7s %7s s\n' total "" "$total"
}
