# Completion for bash. Commands and options are those that --help prints, so
# this knows every option of the installed version.

_kstatic_affinity() {
  local cur prev words cword split
  _init_completion -s || return
  local tool=${words[0]} command='' word
  for word in "${words[@]:1:cword-1}"; do
    [[ $word == -* ]] && break
    command+=" $word"
    [[ $command =~ ^\ (profile|trace|isolation|colour|contexts)$ ]] || break
  done
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$("$tool" $command --help-hidden 2>/dev/null | sed -n 's/^ *\(--\?[a-z][a-z-]*\).*/\1/p')" -- "$cur"))
  elif [[ $cword -eq 1 || ($cword -eq 2 && ($command =~ ^\ (profile|trace|isolation|colour|contexts)$)) ]]; then
    COMPREPLY=($(compgen -W "$("$tool" --help 2>/dev/null | awk -v at=$cword -v all="$command" \
      '/^  [a-z]+( [a-z]+)?  +[A-Z]/ && (at == 1 || " " $1 == all) && $at ~ /^[a-z]/ && !seen[$at]++ { print $at }')" -- "$cur"))
    _filedir
  else
    _filedir
  fi
}
complete -F _kstatic_affinity kstatic-affinity
