"""The functions that every script of ``plan -o kubectl`` begins with."""

from typing import Final

LIBRARY: Final = r"""
KUBECTL=${KUBECTL:-kubectl}   # the client; --context and the like go into a wrapper or the kubeconfig
POLL=${POLL:-2}               # seconds between two looks at the cluster
YES=${YES:-}                  # 1 answers the question of a step that asks for a review
WITHDRAW=''                   # what takes the flip back while nothing is deleted
DONE=''                       # 1 when nothing is left to write
WHAT=''                       # what was looked for last, in words
OWN=()                        # the object written last, and its resourceVersion after that

say() { printf '%s\n' "$*" >&2; }

stop() {  # CODE WORDS...: withdraw what can be withdrawn, say why, end
  local code=$1 withdraw=$WITHDRAW
  shift
  say "stopped: $*"
  WITHDRAW=''
  if [ -n "$withdraw" ]; then "$withdraw"; fi
  exit "$code"
}
trap 'stop 130 "by a signal"' INT
trap 'stop 143 "by a signal"' TERM

# Reading. A check gives 0 when it holds, 1 when it does not, 2 when that is unknown; unknown never passes.
ask() {  # KIND NAMESPACE NAME OUTPUT: what kubectl prints; nothing for an object that is not there
  if [ -n "$2" ]; then
    "$KUBECTL" get "$1" "$3" --namespace "$2" --ignore-not-found --request-timeout=30s --output "$4"
  else
    "$KUBECTL" get "$1" "$3" --ignore-not-found --request-timeout=30s --output "$4"
  fi
}
look() {  # KIND NAMESPACE NAME OUTPUT: as ask, into SEEN, trailing line breaks kept
  local out
  out=$(ask "$@" && printf x) || { SEEN='no answer'; return 2; }
  SEEN=${out%x}
}
all() { local check; for check in "$@"; do "$check" || return $?; done; }
any() {
  local check code=1
  for check in "$@"; do
    if "$check"; then return 0; elif [ $? = 2 ]; then code=2; fi
  done
  return "$code"
}
negated() { if "$1"; then return 1; elif [ $? = 2 ]; then return 2; fi; }

exists() {
  look "$1" "$2" "$3" 'go-template=here:{{with .metadata.deletionTimestamp}}going{{end}}' || return 2
  [ "$SEEN" = here: ]
}
gone() {  # KIND NAMESPACE NAME UID
  look "$1" "$2" "$3" 'go-template={{.metadata.uid}}' || return 2
  [ "$SEEN" != "$4" ]
}
same_uid() {
  look "$1" "$2" "$3" 'go-template={{.metadata.uid}}{{with .metadata.deletionTimestamp}} going{{end}}' || return 2
  [ "$SEEN" = "$4" ]
}
field_is() {  # KIND NAMESPACE NAME OUTPUT TYPE:VALUE...
  local want
  look "$1" "$2" "$3" "$4" || return 2
  for want in "${@:5}"; do if [ "$SEEN" = "here:$want" ]; then return 0; fi; done
  return 1
}
field_absent() {
  look "$1" "$2" "$3" "$4" || return 2
  case $SEEN in here: | 'here:<nil>:<nil>') return 0 ;; *) return 1 ;; esac
}
field_present() {
  look "$1" "$2" "$3" "$4" || return 2
  case $SEEN in '' | here: | 'here:<nil>:<nil>') return 1 ;; *) return 0 ;; esac
}
field_matches() {  # KIND NAMESPACE NAME OUTPUT PATTERN EXCEPT
  look "$1" "$2" "$3" "$4" || return 2
  case $SEEN in here:string:*) like "${SEEN#here:string:}" "$5" "$6" ;; *) return 1 ;; esac
}
like() { [[ $1 =~ $2 ]] || return 1; if [ -n "$3" ] && [[ $1 =~ $3 ]]; then return 1; fi; }
field_at_least() {
  look "$1" "$2" "$3" "$4" || return 2
  local number=${SEEN#here:*64:}
  [[ $number =~ ^-?[0-9]+$ ]] || return 1
  [ "$number" -ge "$5" ]
}
keys_match() {  # KIND NAMESPACE NAME OUTPUT PATTERN EXCEPT: every key, and there is one
  local key keys
  look "$1" "$2" "$3" "$4" || return 2
  case $SEEN in here:?*) keys=${SEEN#here:} ;; *) return 1 ;; esac
  while IFS= read -r key; do like "$key" "$5" "$6" || return 1; done <<<"${keys%$'\n'}"
}
has_keys() {  # KIND NAMESPACE NAME OUTPUT +WANTED... -UNWANTED...
  local word
  look "$1" "$2" "$3" "$4" || return 2
  case $SEEN in here:*) ;; *) return 1 ;; esac
  for word in "${@:5}"; do
    if grep -Fxq -- "${word:1}" <<<"${SEEN#here:}"; then
      case $word in -*) return 1 ;; esac
    else
      case $word in +*) return 1 ;; esac
    fi
  done
}
has_key_within() {
  look "$1" "$2" "$3" "$4" || return 2
  [ -n "$SEEN" ]
}
GENERATIONS='{{$generation := .metadata.generation}}{{$observed := .status.observedGeneration}}'
CONDITION='{{printf "%v|%v|%v|%v|%v\n" .status .reason .observedGeneration $observed $generation}}'
condition_is() {  # KIND NAMESPACE NAME TYPE STATUS REASON...: at the object's present generation
  local status reason own observed generation
  look "$1" "$2" "$3" \
    "go-template=$GENERATIONS{{range .status.conditions}}{{if eq .type \"$4\"}}$CONDITION{{end}}{{end}}" || return 2
  IFS='|' read -r status reason own observed generation <<<"$SEEN" || true
  [[ $own =~ ^[1-9][0-9]*$ ]] || own=$observed
  if [[ $own =~ ^[1-9][0-9]*$ && $generation =~ ^[0-9]+$ ]] && [ "$own" -lt "$generation" ]; then return 1; fi
  [ "$status" = "$5" ] || return 1
  [ $# -gt 5 ] || return 0
  case " ${*:6} " in *" $reason "*) return 0 ;; *) return 1 ;; esac
}
ROLL='{{printf "%v|%v|%v|%v|%v|%v|%v" .metadata.generation .spec.replicas .status.observedGeneration '
ROLL+='.status.updatedReplicas .status.replicas .status.availableReplicas .metadata.deletionTimestamp}}'
number() { if [[ $1 =~ ^[0-9]+$ ]]; then printf '%s' "$1"; else printf '%s' "$2"; fi; }
rolled_out() {  # the present generation is observed, updated and available, and no old replica is left
  local generation wanted observed updated total available going
  look "$1" "$2" "$3" "go-template=$ROLL" || return 2
  [ -n "$SEEN" ] || return 1
  IFS='|' read -r generation wanted observed updated total available going <<<"$SEEN" || true
  [ "$going" = '<nil>' ] || return 1
  generation=$(number "$generation" 0) wanted=$(number "$wanted" 1) total=$(number "$total" 0)
  observed=$(number "$observed" "$generation") updated=$(number "$updated" "$total")
  available=$(number "$available" 0)
  [ "$observed" -ge "$generation" ] && [ "$updated" -ge "$wanted" ] && [ "$total" -le "$updated" ] &&
    [ "$available" -ge "$wanted" ]
}
MANAGERS='go-template={{with .metadata.labels}}{{with index . "app.kubernetes.io/managed-by"}}{{printf "%s\n" .}}'
MANAGERS+='{{end}}{{end}}{{range .metadata.managedFields}}{{printf "%s\n" .manager}}{{end}}'
managed_by() {
  look "$1" "$2" "$3" "$MANAGERS" || return 2
  grep -Fxq -- "$4" <<<"$SEEN"
}
text_is() {  # KIND NAMESPACE NAME OUTPUT SHA256: the digest of a text
  look "$1" "$2" "$3" "$4" || return 2
  [ "$(printf '%s' "$SEEN" | sha256 | cut -c 1-64)" = "$5" ]
}
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
same_members() {  # KIND UID...: the whole set, in all namespaces
  local kind=$1 out
  shift
  out=$("$KUBECTL" get "$kind" --all-namespaces --request-timeout=60s \
    --output 'go-template={{range .items}}{{printf "%s\n" .metadata.uid}}{{end}}') || return 2
  [ "$(LC_ALL=C sort <<<"$out" | grep . || true)" = "$(printf '%s\n' "$@" | LC_ALL=C sort | grep . || true)" ]
}

# Writing. Each patch carries the UID of the plan and the resourceVersion read just before: nobody's write is lost.
PATCHED='go-template={{.metadata.resourceVersion}}'
patch() {  # KIND NAMESPACE NAME UID BODY PLACEHOLDER [FLAG]
  local version where=() tries=0
  if [ -n "$2" ]; then where=(--namespace "$2"); fi
  while :; do
    look "$1" "$2" "$3" 'go-template={{.metadata.uid}} {{.metadata.resourceVersion}}' ||
      stop 22 "$1 $2/$3 cannot be read"
    version=${SEEN##* }
    if [ "${SEEN% *}" != "$4" ]; then stop 21 "$1 $2/$3 is another object than the plan's, or gone"; fi
    [[ $version =~ ^[A-Za-z0-9]+$ ]] || stop 21 "$1 $2/$3 has no resourceVersion"
    if version=$("$KUBECTL" patch "$1" "$3" ${where[@]+"${where[@]}"} --type merge --field-manager maas-migrate \
      --patch "${5/"$6"/$version}" --output "$PATCHED" ${7:+"$7"}); then
      if [ -z "${7:-}" ]; then OWN=("$1" "$2" "$3" "$version"); fi
      return 0
    fi
    tries=$((tries + 1))
    if [ "$tries" -ge 5 ]; then stop 21 "$1 $2/$3 could not be written; kubectl says why"; fi
    sleep "$POLL"
  done
}
moved_on() {  # whether somebody wrote to our object since we did
  [ "${#OWN[@]}" -gt 0 ] || return 0
  look "${OWN[0]}" "${OWN[1]}" "${OWN[2]}" 'go-template={{.metadata.resourceVersion}}' || return 2
  [ "$SEEN" != "${OWN[3]}" ]
}
wait_until() {  # CHECK SECONDS SETTLE [FAILURE WORDS]...: a failure counts once somebody has reacted to our write
  local check=$1 limit=$2 settle=$3 begun=$SECONDS since='' fails=("${@:4}") said='' i
  while :; do
    if "$check"; then
      since=${since:-$SECONDS}
      if [ $((SECONDS - since)) -ge "$settle" ]; then return 0; fi
    else
      since=''
      if [ "$said" != "$WHAT" ]; then said=$WHAT; say "  not yet: $WHAT"; fi
      for ((i = 0; i < ${#fails[@]}; i += 2)); do
        if moved_on && "${fails[i]}"; then stop 21 "${fails[i + 1]}"; fi
      done
    fi
    if [ $((SECONDS - begun)) -ge "$limit" ]; then stop 22 "not within $limit seconds: $WHAT; seen: $SEEN"; fi
    sleep "$POLL"
  done
}
may() {  # needed|optional VERB RESOURCE NAMESPACE NAME
  local where=() answer
  if [ -n "$4" ]; then where=(--namespace "$4"); fi
  answer=$("$KUBECTL" auth can-i "$2" "$3${5:+/$5}" ${where[@]+"${where[@]}"} 2>/dev/null) || true
  if [ "$answer" = yes ]; then return 0; fi
  say "not permitted: $2 $3 ${4:+in $4 }${5:-}"
  if [ "$1" = needed ]; then DENIED=1; fi
}
save() {  # needed|optional KIND NAMESPACE NAME UID FILE
  local file=$BACKUPS/$6 where=()
  if [ -n "$3" ]; then where=(--namespace "$3"); fi
  if [ "$1" = optional ] && gone "$2" "$3" "$4" "$5"; then
    say "$2 $3/$4 is gone or another one; not saved"
    return 0
  fi
  same_uid "$2" "$3" "$4" "$5" || stop 13 "$2 $3/$4 is not the object of the plan"
  "$KUBECTL" get "$2" "$4" ${where[@]+"${where[@]}"} --output yaml >"$file" || stop 24 "$file was not written"
  grep -Fq -- "$5" "$file" || stop 24 "$file does not hold the object"
}
review() {  # QUESTION NAME...
  local name answer=''
  for name in "${@:2}"; do say "  review: $name"; done
  if [ "$YES" = 1 ]; then say "answered by YES=1, not reviewed"; return 0; fi
  if [ ! -t 0 ]; then stop 20 "nobody can be asked: set YES=1, or run it on a terminal"; fi
  read -r -p "$1 [y/N] " answer
  case $answer in y | Y | yes) ;; *) stop 20 "the answer was no" ;; esac
}
"""
"""Bash 3.2 and later, ``kubectl``, and what POSIX has."""
